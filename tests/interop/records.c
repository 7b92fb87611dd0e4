/* records.c: TFRecord files written for other programs to read, and theirs read and written down.
 *
 * usage: records write FOLDER    clicks and pictures, plain, gzip and zlib: clicks, clicks.gz, clicks.z, raw, raw.gz, …
 *        records read FILE       each record as one line of JSON; a damaged one as {"damaged": its message}
 *
 * Click i (of 50) has i + 1 features: index j · 1000003 + i, value j / 4 − i; its label is i mod 2. Picture i (of 5) is 6×4 of bytes
 * (7i + 3j) mod 256; its label is i mod 3, its class text "class <label>"; photos are the same pixels as JPEG. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/format/tf_example.h"
#include "data/format/tfrecord.h"
#include "data/photo/jpeg/encode.h"
#include "data/source/source.h"

enum { CLICKS = 50, PICTURES = 5, HEIGHT = 6, WIDTH = 4, BYTES = HEIGHT * WIDTH * 3 };

static void make_click(tri__tf_example_writer *example, int i)
{
    int64_t index[CLICKS], label = i % 2;
    float value[CLICKS];
    for (int j = 0; j <= i; j++) {
        index[j] = (int64_t)j * 1000003 + i;
        value[j] = (float)j / 4 - (float)i;
    }
    tri__tf_example_add_integers(example, "index", index, (size_t)i + 1);
    tri__tf_example_add_floats(example, "value", value, (size_t)i + 1);
    tri__tf_example_add_integers(example, "label", &label, 1);
}

static tri_status add_photo(tri__tf_example_writer *example, const uint8_t *pixels)
{
    uint8_t *photo;
    size_t size;
    TRI_TRY(tri__jpeg_encode(pixels, HEIGHT, WIDTH, 3, 95, &photo, &size));
    tri__tf_example_add_bytes(example, "image/encoded", photo, size);
    free(photo);
    return NULL;
}

static tri_status make_picture(tri__tf_example_writer *example, int i, bool encoded)
{
    uint8_t pixels[BYTES];
    char text[32];
    int64_t label = i % 3;
    for (int j = 0; j < BYTES; j++)
        pixels[j] = (uint8_t)(7 * i + 3 * j);
    if (encoded)
        TRI_TRY(add_photo(example, pixels));
    else
        tri__tf_example_add_bytes(example, "image/raw", pixels, BYTES);
    snprintf(text, sizeof text, "class %" PRId64, label);
    tri__tf_example_add_integers(example, "image/height", (int64_t[]){HEIGHT}, 1);
    tri__tf_example_add_integers(example, "image/width", (int64_t[]){WIDTH}, 1);
    tri__tf_example_add_integers(example, "image/channels", (int64_t[]){3}, 1);
    tri__tf_example_add_integers(example, "image/class/label", &label, 1);
    tri__tf_example_add_bytes(example, "image/class/text", text, strlen(text));
    return NULL;
}

static const char *const sorts[] = {"clicks", "raw", "encoded"};

static tri_status write_all(tri__tfrecord_writer *writer, int sort)
{
    tri__tf_example_writer example = {0};
    tri_status status = NULL;
    for (int i = 0; i < (sort == 0 ? CLICKS : PICTURES) && !status; i++) {
        const uint8_t *data;
        size_t size;
        tri__tf_example_begin(&example);
        if (sort == 0)
            make_click(&example, i);
        else
            status = make_picture(&example, i, sort == 2);
        if (!status)
            status = tri__tf_example_finish(&example, &data, &size);
        if (!status)
            tri__tfrecord_write(writer, data, size);
    }
    tri__tf_example_fini(&example);
    return status;
}

static tri_status write_file(const char *folder, int sort, tri__compression compression)
{
    static const char *const endings[] = {[TRI_UNCOMPRESSED] = "", [TRI_GZIP] = ".gz", [TRI_ZLIB] = ".z"};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, sorts[sort], endings[compression]);
    tri__tfrecord_writer *writer;
    TRI_TRY(tri__tfrecord_writer_create(path, compression, &writer));
    tri_status status = write_all(writer, sort);
    if (!status)
        return tri__tfrecord_writer_commit(writer);
    tri__tfrecord_writer_abandon(writer);
    return status;
}

static tri_status write_files(const char *folder)
{
    for (int sort = 0; sort < 3; sort++)
        for (int compression = TRI_UNCOMPRESSED; compression <= TRI_ZLIB; compression++)
            TRI_TRY(write_file(folder, sort, (tri__compression)compression));
    return NULL;
}

static void print_record(const tri_source *source, const tri__example_target *target)
{
    const tri_source_info *info = &source->info;
    printf("{\"label\": %d", *target->label);
    if (info->width > 0) {
        const char *between = "";
        printf(", \"index\": [");
        for (int64_t i = 0; i < *target->count; i++, between = ", ")
            printf("%s%d", between, target->keys[i]);
        printf("], \"value\": [");
        between = "";
        for (int64_t i = 0; i < *target->count; i++, between = ", ")
            printf("%s%.9g", between, (double)target->values[i]);
        printf("]}\n");
        return;
    }
    printf(", \"class\": \"%s\", \"pixels\": [", info->class_names ? info->class_names[*target->label] : "");
    for (size_t i = 0; i < source->example_bytes; i++)
        printf("%s%d", i ? ", " : "", target->x[i]);
    printf("]}\n");
}

static tri_status print_all(tri_source *source, tri__reader *reader, const tri__example_target *target)
{
    for (int64_t i = 0; i < source->info.examples; i++) {
        tri_status status = source->kind->read(reader, i, target);
        if (status && tri_status_code(status) != TRI_BAD_DATA)
            return status;
        if (status)
            printf("{\"damaged\": \"%s\"}\n", tri_status_message(status));
        else
            print_record(source, target);
        tri_status_free(status);
    }
    return NULL;
}

static tri_status read_file(const char *path)
{
    tri_source *source;
    TRI_TRY(tri_source_open(path, TRI_PART_TRAIN, NULL, &source));
    size_t width = (size_t)source->info.width + 1;
    int32_t label, *keys = calloc(width, sizeof *keys);
    float *values = calloc(width, sizeof *values);
    uint8_t *x = calloc(source->example_bytes + 1, 1);
    const tri__example_target target = {.x = x, .keys = keys, .values = values, .count = &(int64_t){0}, .label = &label};
    tri__reader *reader = NULL;
    tri_status status = keys && values && x ? tri__reader_create(source, &reader) : tri_fail(TRI_NO_MEMORY, "out of memory");
    if (!status)
        status = print_all(source, reader, &target);
    tri__reader_destroy(reader);
    free(keys);
    free(values);
    free(x);
    tri_source_destroy(source);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3 || (strcmp(argv[1], "write") && strcmp(argv[1], "read"))) {
        fprintf(stderr, "usage: records write FOLDER | records read FILE\n");
        return 2;
    }
    tri_status status = strcmp(argv[1], "write") ? read_file(argv[2]) : write_files(argv[2]);
    if (status)
        fprintf(stderr, "%s\n", tri_status_message(status));
    int result = status ? 1 : 0;
    tri_status_free(status);
    return result;
}
