/* make_clicks.c: writes click records as files: TFRecord, LIBSVM or Criteo text.
 *
 * A partition is a file with a range of the records. One thread writes it, from its first record to its last, so what it holds depends
 * on the request alone. The records are those of the source clicks:FEATURES with the same seed. */
#define _GNU_SOURCE /* asprintf */
#include "data/make/make_clicks.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/memory/memory.h"
#include "data/format/tf_example.h"
#include "data/format/tfrecord.h"
#include "data/make/clicks.h"

#define MOST_COUNT      INT64_C(1000000000000)
#define MOST_PARTITIONS 100000
#define REPORT_EVERY    4096 /* records */
#define LONGEST_LINE    (4 + TRI_CRITEO_FIELDS * 14)

/* What a format needs to write a partition. */
typedef struct {
    int64_t features;
    tri__writer *text;
    tri__tfrecord_writer *records;
    tri__tf_example_writer example;
} sink;

typedef struct {
    const char *name;
    tri_status (*put)(sink *to, const tri__click *click);
    bool is_text;
} format;

/* Write a tf.Example: index and value of every feature, and the label. */
static tri_status put_example(sink *to, const tri__click *click)
{
    int32_t keys[TRI_CRITEO_FIELDS];
    int64_t indices[TRI_CRITEO_FIELDS], label = click->label;
    float values[TRI_CRITEO_FIELDS];
    tri__click_keys(click, to->features, keys);
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++) {
        indices[i] = keys[i];
        values[i] = 1;
    }
    const uint8_t *data;
    size_t size;
    tri__tf_example_begin(&to->example);
    tri__tf_example_add_integers(&to->example, "index", indices, TRI_CRITEO_FIELDS);
    tri__tf_example_add_integers(&to->example, "label", &label, 1);
    tri__tf_example_add_floats(&to->example, "value", values, TRI_CRITEO_FIELDS);
    TRI_TRY(tri__tf_example_finish(&to->example, &data, &size));
    tri__tfrecord_write(to->records, data, size);
    return NULL;
}

static int by_key(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

/* Write a line of LIBSVM text. Its indices count from 1 and increase, as the format demands. If two fields hash to one feature, its value
 * is 2. */
static tri_status put_libsvm(sink *to, const tri__click *click)
{
    int32_t keys[TRI_CRITEO_FIELDS];
    char line[LONGEST_LINE];
    tri__click_keys(click, to->features, keys);
    qsort(keys, TRI_CRITEO_FIELDS, sizeof *keys, by_key);
    int size = snprintf(line, sizeof line, "%d", click->label);
    for (int i = 0, count; i < TRI_CRITEO_FIELDS; i += count) {
        for (count = 1; i + count < TRI_CRITEO_FIELDS && keys[i + count] == keys[i];)
            count++;
        size += snprintf(line + size, sizeof line - (size_t)size, " %" PRId64 ":%d", (int64_t)keys[i] + 1, count);
    }
    line[size++] = '\n';
    tri__writer_write(to->text, line, (size_t)size);
    return NULL;
}

static tri_status put_criteo(sink *to, const tri__click *click)
{
    char line[TRI_CLICK_LONGEST];
    tri__writer_write(to->text, line, tri__click_text(click, line));
    return NULL;
}

static const format formats[] = {
    {"tfrecord", put_example, false},
    {"libsvm", put_libsvm, true},
    {"criteo", put_criteo, true},
};

/* What all partitions of a part have in common. */
typedef struct {
    const tri__make_request *request;
    const format *format;
    tri__clicks clicks;
    const char *part_name;
    int64_t records, partitions;
    int64_t all; /* records of both parts */
    _Atomic int64_t *done, *bytes;
} partition_task;

static tri_status find_format(const char *name, const format **out)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0) {
            *out = &formats[i];
            return NULL;
        }
    return tri_fail(TRI_BAD_CALL, "--format %s: clicks are written as tfrecord, libsvm or criteo", name);
}

static tri_status check(const tri__make_request *request)
{
    if (request->count < 1 || request->count > MOST_COUNT)
        return tri_fail(TRI_BAD_CALL, "--count %" PRId64 ": should be 1 to %" PRId64, request->count, MOST_COUNT);
    if (request->features < 1 || request->features > TRI_CLICKS_MOST_FEATURES)
        return tri_fail(TRI_BAD_CALL, "--features %" PRId64 ": should be 1 to %d", request->features, TRI_CLICKS_MOST_FEATURES);
    if (request->partitions < 1 || request->partitions > MOST_PARTITIONS || request->partitions > request->count)
        return tri_fail(TRI_BAD_CALL, "--partitions %" PRId64 ": should be 1 to %d, and not more than the %" PRId64 " examples",
                        request->partitions, MOST_PARTITIONS, request->count);
    return NULL;
}

static tri_status write_records(const partition_task *self, sink *to, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        tri__click click;
        tri__clicks_make(&self->clicks, i, &click);
        TRI_TRY(self->format->put(to, &click));
        int64_t made = i + 1 - first;
        if (made % REPORT_EVERY == 0 || i + 1 == end) {
            int64_t more = made % REPORT_EVERY == 0 ? REPORT_EVERY : made % REPORT_EVERY;
            int64_t done = atomic_fetch_add(self->done, more) + more;
            TRI_TRY(tri__make_tell(self->request, done, self->all));
        }
    }
    return NULL;
}

static tri_status write_partition(const partition_task *self, const char *path, int64_t first, int64_t end)
{
    sink to = {.features = self->request->features};
    if (self->format->is_text)
        TRI_TRY(tri__writer_create(path, &to.text));
    else
        TRI_TRY(tri__tfrecord_writer_create(path, TRI_UNCOMPRESSED, &to.records));
    tri_status status = write_records(self, &to, first, end);
    tri__tf_example_fini(&to.example);
    if (status) {
        tri__writer_abandon(to.text);
        tri__tfrecord_writer_abandon(to.records);
        return status;
    }
    return to.text ? tri__writer_commit(to.text) : tri__tfrecord_writer_commit(to.records);
}

/* The first record of a partition. Sizes differ by one record at most. partition × records could overflow, so it is not computed. */
static int64_t first_of(const partition_task *self, int64_t partition)
{
    int64_t each = self->records / self->partitions, more = self->records % self->partitions;
    return partition * each + (partition < more ? partition : more);
}

static tri_status make_partition(void *context, int64_t partition)
{
    const partition_task *self = context;
    char *path;
    if (asprintf(&path, "%s/%s-%05" PRId64 "-of-%05" PRId64 ".%s", self->request->out, self->part_name, partition, self->partitions,
                 self->format->name) < 0)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file in %s", self->request->out);
    tri_status status = write_partition(self, path, first_of(self, partition), first_of(self, partition + 1));
    struct stat written;
    if (!status && stat(path, &written) == 0)
        atomic_fetch_add(self->bytes, written.st_size);
    free(path);
    return status;
}

tri_status tri__make_clicks(const tri__make_request *request, tri__make_result *out)
{
    const format *as;
    TRI_TRY(check(request));
    TRI_TRY(find_format(request->format, &as));
    _Atomic int64_t done = 0, bytes = 0;
    int64_t counts[2] = {request->count, tri__source_test_share(request->count)};
    int64_t partitions[2] = {request->partitions, tri__source_test_share(request->partitions)};
    for (int part = 0; part < 2; part++) {
        partition_task self = {
            .request = request, .format = as, .part_name = part == TRI_PART_TEST ? "test" : "train", .records = counts[part]};
        self.partitions = partitions[part];
        self.all = counts[0] + counts[1];
        self.done = &done;
        self.bytes = &bytes;
        tri__clicks_init(&self.clicks, request->seed, (tri_part)part, request->features);
        TRI_TRY(tri__pool_for(request->pool, self.partitions, make_partition, &self));
    }
    *out = (tri__make_result){.records = done, .files = partitions[0] + partitions[1], .bytes = bytes};
    return NULL;
}
