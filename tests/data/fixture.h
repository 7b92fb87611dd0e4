/* fixture.h: small data files for the tests of the data room. */
#ifndef TESTS_DATA_FIXTURE_H
#define TESTS_DATA_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support.h"
#include "trireme/dataset.h"

/* An IDX file in memory: header, then elements; element i is (i · 7 + salt) mod limit. free() it. */
static inline uint8_t *fixture_idx(int rank, const uint32_t *dim, int limit, int salt, size_t *size)
{
    size_t header = 4 + 4 * (size_t)rank, elements = 1;
    for (int i = 0; i < rank; i++)
        elements *= dim[i];
    uint8_t *data = calloc(1, header + elements);
    assert_non_null(data);
    data[2] = 0x08;
    data[3] = (uint8_t)rank;
    for (int i = 0; i < rank; i++)
        for (int byte = 0; byte < 4; byte++)
            data[4 + 4 * i + byte] = (uint8_t)(dim[i] >> (24 - 8 * byte));
    for (size_t i = 0; i < elements; i++)
        data[header + i] = (uint8_t)((i * 7 + (size_t)salt) % (size_t)limit);
    *size = header + elements;
    return data;
}

/* data as a gzip member; free() it. */
static inline uint8_t *fixture_gzip(const uint8_t *data, size_t size, size_t *out_size)
{
    z_stream stream = {.next_in = (Bytef *)data, .avail_in = (uInt)size};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, size) + 32;
    uint8_t *out = malloc(room);
    assert_non_null(out);
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *out_size = room - stream.avail_out;
    deflateEnd(&stream);
    return out;
}

static inline void fixture_write(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    char *path = test_path(folder, name);
    test_write(path, data, size);
    free(path);
}

static inline void fixture_write_gzip(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    size_t compressed_size;
    uint8_t *compressed = fixture_gzip(data, size, &compressed_size);
    fixture_write(folder, name, compressed, compressed_size);
    free(compressed);
}

/* A folder's training part, which is of this format, and has so many examples in so many files. */
static inline tri_source *fixture_open(const char *folder, const char *format, int64_t examples, int64_t files)
{
    tri_source *source;
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source));
    const tri_source_info *info = tri_source_describe(source);
    assert_string_equal(info->format, format);
    assert_int_equal(info->examples, examples);
    assert_int_equal(info->files, files);
    return source;
}

/* A pair of IDX files: count images of 4×3, labels below classes. */
static inline void fixture_pair(const char *folder, const char *images_name, const char *labels_name, uint32_t count, int classes,
                                bool gzip)
{
    size_t images_size, labels_size;
    uint8_t *images = fixture_idx(3, (uint32_t[]){count, 4, 3}, 251, 1, &images_size);
    uint8_t *labels = fixture_idx(1, &count, classes, 0, &labels_size);
    void (*write)(const char *, const char *, const uint8_t *, size_t) = gzip ? fixture_write_gzip : fixture_write;
    write(folder, images_name, images, images_size);
    write(folder, labels_name, labels, labels_size);
    free(images);
    free(labels);
}

#endif
