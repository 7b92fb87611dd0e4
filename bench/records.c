/* records.c: how fast TFRecord files are read, in memory already: click records parsed, framing and checksums alone, and bare copying.
 *
 * usage: records make FOLDER RECORDS          clicks-0 … clicks-3 (39 integers and 39 floats each) and frames (256 MB of 100 kB records)
 *        records clicks FOLDER THREADS SECONDS   {"records_per_second": …}
 *        records frames FOLDER SECONDS           {"gigabytes_per_second": …} by one thread
 *        records copy SECONDS                    {"gigabytes_per_second": …} by one thread: memcpy of as much */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "base/thread/pool.h"
#include "data/format/tf_example.h"
#include "data/format/tfrecord.h"
#include "data/source/source.h"

enum { FIELDS = 39, FILES = 4, FRAME = 100000, FRAMES = 2560, CHUNK = 4096 };

static void path_of(const char *folder, const char *name, int number, char *out, size_t size)
{
    if (number < 0)
        snprintf(out, size, "%s/%s", folder, name);
    else
        snprintf(out, size, "%s/%s-%d.tfrecord", folder, name, number);
}

static tri_status put_click(tri__tfrecord_writer *writer, tri__tf_example_writer *example, uint64_t number)
{
    tri__key key = tri__key_split(tri__key_of(1), number);
    int64_t index[FIELDS], label = (int64_t)tri__random_below(key, 1000, 2);
    float value[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        index[i] = (int64_t)tri__random_below(key, (uint64_t)i, 1 << 25);
        value[i] = 1;
    }
    tri__random_fill_uniform(key, 100, 13, value);
    const uint8_t *data;
    size_t size;
    tri__tf_example_begin(example);
    tri__tf_example_add_integers(example, "index", index, FIELDS);
    tri__tf_example_add_integers(example, "label", &label, 1);
    tri__tf_example_add_floats(example, "value", value, FIELDS);
    TRI_TRY(tri__tf_example_finish(example, &data, &size));
    tri__tfrecord_write(writer, data, size);
    return NULL;
}

static tri_status make_clicks(const char *path, uint64_t first, uint64_t count)
{
    tri__tfrecord_writer *writer;
    tri__tf_example_writer example = {0};
    TRI_TRY(tri__tfrecord_writer_create(path, TRI_UNCOMPRESSED, &writer));
    tri_status status = NULL;
    for (uint64_t i = first; i < first + count && !status; i++)
        status = put_click(writer, &example, i);
    tri__tf_example_fini(&example);
    if (!status)
        return tri__tfrecord_writer_commit(writer);
    tri__tfrecord_writer_abandon(writer);
    return status;
}

static tri_status make(const char *folder, uint64_t records)
{
    char path[4096];
    for (int i = 0; i < FILES; i++) {
        path_of(folder, "clicks", i, path, sizeof path);
        TRI_TRY(make_clicks(path, records / FILES * (uint64_t)i, records / FILES));
    }
    path_of(folder, "frames", -1, path, sizeof path);
    tri__tfrecord_writer *writer;
    TRI_TRY(tri__tfrecord_writer_create(path, TRI_UNCOMPRESSED, &writer));
    static uint8_t data[FRAME];
    for (int i = 0; i < FRAMES; i++) {
        tri__random_fill_bytes(tri__key_split(tri__key_of(2), (uint64_t)i), 0, FRAME, data);
        tri__tfrecord_write(writer, data, sizeof data);
    }
    TRI_TRY(tri__tfrecord_writer_commit(writer));
    puts("{}");
    return NULL;
}

/* One pass over all records, a chunk at a time, each chunk into keys and values of its own, as batches are. */
typedef struct {
    tri_source *source;
    int64_t chunks;
} pass;

static tri_status read_range(const tri_source_info *info, tri__reader *reader, int64_t first, int64_t end, int32_t *keys, float *values)
{
    int32_t labels[CHUNK];
    for (int64_t i = first; i < end; i++) {
        int64_t row = (i - first) % CHUNK;
        const tri__example_target target = {
            .keys = keys + row * info->width, .values = values + row * info->width, .count = &(int64_t){0}, .label = &labels[row]};
        TRI_TRY(reader->source->kind->read(reader, i, &target));
    }
    return NULL;
}

static tri_status read_share(void *context, int64_t share)
{
    const pass *self = context;
    const tri_source_info *info = &self->source->info;
    int64_t first = info->examples * share / self->chunks, end = info->examples * (share + 1) / self->chunks;
    tri__reader *reader;
    int32_t *keys = NULL;
    float *values = NULL;
    TRI_TRY(tri__reader_create(self->source, &reader));
    tri_status status = tri__allocate((size_t)(CHUNK * info->width), sizeof *keys, "keys", &keys);
    if (!status)
        status = tri__allocate((size_t)(CHUNK * info->width), sizeof *values, "values", &values);
    if (!status)
        status = read_range(info, reader, first, end, keys, values);
    tri__reader_destroy(reader);
    free(keys);
    free(values);
    return status;
}

static tri_status time_clicks(const char *folder, int threads, double seconds)
{
    char spec[4096];
    snprintf(spec, sizeof spec, "%s/clicks-*", folder);
    pass self = {.chunks = threads};
    TRI_TRY(tri_source_open(spec, TRI_PART_TRAIN, NULL, &self.source));
    tri__pool *pool = NULL;
    tri_status status = tri__pool_create(threads, &pool);
    int64_t passes = 0, begin = tri__clock_now();
    while (!status && (passes == 0 || tri__clock_seconds(tri__clock_now() - begin) < seconds)) {
        status = tri__pool_for(pool, self.chunks, read_share, &self);
        passes++;
    }
    double elapsed = tri__clock_seconds(tri__clock_now() - begin);
    if (!status)
        printf("{\"records_per_second\": %.1f}\n", (double)(passes * self.source->info.examples) / elapsed);
    if (pool)
        tri__pool_destroy(pool);
    tri_source_destroy(self.source);
    return status;
}

static tri_status check_frames(const tri__tfrecord_file *file)
{
    tri__record record;
    int64_t number = 0;
    for (size_t offset = 0; offset < file->size; offset = tri__record_end(&record)) {
        TRI_TRY(tri__tfrecord_at(file, offset, number++, &record));
        TRI_TRY(tri__tfrecord_check(file, &record));
    }
    return NULL;
}

static void print_rate(double bytes, int64_t nanoseconds)
{
    printf("{\"gigabytes_per_second\": %.3f}\n", bytes / (double)nanoseconds);
}

static tri_status time_frames(const char *folder, double seconds)
{
    char path[4096];
    tri__mapping file;
    path_of(folder, "frames", -1, path, sizeof path);
    TRI_TRY(tri__file_map(path, &file));
    const tri__tfrecord_file frames = {path, file.data, file.size};
    tri_status status = check_frames(&frames); /* and all pages are there */
    int64_t passes = 0, begin = tri__clock_now();
    while (!status && (passes == 0 || tri__clock_seconds(tri__clock_now() - begin) < seconds)) {
        status = check_frames(&frames);
        passes++;
    }
    if (!status)
        print_rate((double)passes * (double)file.size, tri__clock_now() - begin);
    tri__file_unmap(&file);
    return status;
}

/* Nanoseconds of one copy, in pieces. */
static int64_t copy_once(uint8_t *to, const uint8_t *from, size_t size, size_t piece)
{
    int64_t begin = tri__clock_now();
    for (size_t at = 0; at < size; at += piece)
        memcpy(to + at, from + at, size - at < piece ? size - at : piece);
    return tri__clock_now() - begin;
}

/* Memory to memory, whole and in pieces of a record's size: the C library has two ways, and the faster one counts. */
static tri_status time_copy(double seconds)
{
    size_t size = (size_t)FRAMES * FRAME;
    uint8_t *from = malloc(size), *to = malloc(size);
    tri_status status = from && to ? NULL : tri_fail(TRI_NO_MEMORY, "out of memory for a copy");
    if (!status) {
        memset(from, 1, size);
        memset(to, 2, size);
        int64_t whole = 0, pieces = 0, passes = 0, begin = tri__clock_now();
        for (; passes == 0 || tri__clock_seconds(tri__clock_now() - begin) < seconds; passes++) {
            whole += copy_once(to, from, size, size);
            pieces += copy_once(to, from, size, FRAME);
        }
        print_rate((double)passes * (double)size, whole < pieces ? whole : pieces);
    }
    free(from);
    free(to);
    return status;
}

static tri_status run(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 4 && strcmp(what, "make") == 0)
        return make(argv[2], strtoull(argv[3], NULL, 10));
    if (argc == 5 && strcmp(what, "clicks") == 0 && atoi(argv[3]) > 0)
        return time_clicks(argv[2], atoi(argv[3]), atof(argv[4]));
    if (argc == 4 && strcmp(what, "frames") == 0)
        return time_frames(argv[2], atof(argv[3]));
    if (argc == 3 && strcmp(what, "copy") == 0)
        return time_copy(atof(argv[2]));
    return tri_fail(TRI_BAD_CALL,
                    "usage: records make FOLDER RECORDS | clicks FOLDER THREADS SECONDS | frames FOLDER SECONDS | copy SECONDS");
}

int main(int argc, char **argv)
{
    tri_status status = run(argc, argv);
    if (!status)
        return 0;
    fprintf(stderr, "%s\n", tri_status_message(status));
    tri_status_free(status);
    return 1;
}
