/* csv_fuzz.c: tables of separated values, and NumPy's arrays and archives. Whatever is accepted must be readable to the end; fields stay
 * within their text. */
#define _GNU_SOURCE /* memfd_create */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "data/format/npy.h"
#include "data/text/csv_columns.h"
#include "data/text/csv_look.h"
#include "data/text/lines.h"
#include "fuzz/memory_file.h"
#include "trireme/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void read_fields(const char *at, const char *end)
{
    const char separator = tri__csv_look_at(at, (size_t)(end - at)).separator;
    while (at < end) {
        tri__csv_field field;
        bool last = false;
        const char *before = at;
        if (tri__csv_next(&at, end, separator, &field, &last)) {
            require(at >= before && at <= end);
            at = tri__line_next(at, end);
            continue;
        }
        require(field.at >= before && field.at + field.size <= end && at > before - 1 && at <= end);
        at = last ? tri__line_next(at, end) : at;
    }
}

static volatile double seen; /* so that no read is optimised away */

static void read_array(const uint8_t *data, size_t size)
{
    tri__npy array;
    tri_status status = tri__npy_parse("input", data, size, &array);
    for (int64_t i = 0; !status && i < array.count; i++)
        seen += tri__npy_at(&array, i);
    tri_status_free(status);
}

static void read_archive(const uint8_t *data, size_t size)
{
    tri__zip_entry entry;
    uint8_t *inflated = NULL;
    tri_status status = tri__zip_find("input", data, size, "x", &entry);
    if (!status && entry.deflated && entry.size < 1 << 24) {
        status = tri__zip_inflate("input", &entry, &inflated);
        if (!status)
            read_array(inflated, entry.size);
        tri__buffer_free(inflated);
    } else if (!status && !entry.deflated) {
        read_array(entry.data, entry.size);
    }
    tri_status_free(status);
}

static void read_columns(const uint8_t *data, size_t size)
{
    tri__csv_columns columns;
    char *text = malloc(size + 1);
    require(text);
    memcpy(text, data, size);
    text[size] = '\0';
    tri_status status = tri__csv_columns_read("input", text, &columns);
    if (!status)
        tri__csv_columns_fini(&columns);
    tri_status_free(status);
    free(text);
}

/* All records of a table, through the source. */
static void read_table(const uint8_t *data, size_t size)
{
    char path[MEMORY_FILE];
    int file = memory_file(data, size, path);
    tri_source *source = NULL;
    tri_status status = tri__csv_is(data, size) ? tri_source_open(path, TRI_PART_TRAIN, NULL, &source) : NULL;
    const tri_source_info *info = source ? tri_source_describe(source) : NULL;
    if (info && info->width == 0 && info->shape.rank == 1 && info->type == TRI_F32 && info->shape.dim[0] < 1 << 16) {
        float *x = malloc(((size_t)info->shape.dim[0] + (size_t)info->outputs + 1) * sizeof *x);
        require(x);
        for (int64_t i = 0; i < info->examples; i++) {
            int32_t label;
            tri_status_free(info->outputs ? tri_source_read_targets(source, &i, 1, x, x + info->shape.dim[0])
                                          : tri_source_read(source, &i, 1, x, &label));
        }
        free(x);
    }
    tri_source_destroy(source);
    tri_status_free(status);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_fields((const char *)data, (const char *)data + size);
    read_array(data, size);
    read_archive(data, size);
    read_columns(data, size);
    read_table(data, size);
    return 0;
}
