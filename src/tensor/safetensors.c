/* safetensors.c: named tensors in a file.
 *
 * Writing lays the tensors out one after another, describes that layout in the header and streams them behind it. Reading goes the other
 * way: every entry is checked by itself (type, shape, its number of bytes), then all together: sorted by offset they must fill the data
 * from its first byte to its last. A tensor that another program wrote at an unaligned address is copied to an aligned one. */
#include "tensor/safetensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/json.h"
#include "base/memory/memory.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "safetensors files are little-endian, and tensors are written as they lie in memory");

#define METADATA "__metadata__"

enum { LENGTH_BYTES = 8, HEADER_ALIGNMENT = 8 };

static const uint64_t largest_header = 100000000; /* the limit that the format's definition sets */

static const char *const dtypes[] = {[TRI_F32] = "F32", [TRI_I32] = "I32", [TRI_I64] = "I64", [TRI_U8] = "U8"};

enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* ---- writing ---- */

/* The number of the first chosen row from `number` on; there is one. */
static int64_t choose(const uint64_t *chosen, int64_t number)
{
    while (!(chosen[number / 64] >> number % 64))
        number = (number / 64 + 1) * 64;
    return number + __builtin_ctzll(chosen[number / 64] >> number % 64);
}

static void lock_rows(const tri__named_tensor *named, bool locked)
{
    if (named->moving.lock)
        named->moving.lock(named->moving.context, locked);
}

/* Where row `number` is to be read. */
static const uint8_t *row_at(const tri__named_tensor *named, int64_t number)
{
    const uint8_t *where = (const uint8_t *)named->tensor.data + (size_t)number * named->pitch;
    return named->moving.find ? named->moving.find(named->moving.context, number, where) : where;
}

static void copy_chosen(const tri__named_tensor *named, tri__tensor_rows *rows, size_t each, int64_t count, uint8_t *buffer)
{
    lock_rows(named, true);
    for (int64_t i = 0; i < count; i++) {
        rows->number = choose(named->chosen, rows->number);
        const int32_t number = (int32_t)rows->number;
        memcpy(buffer + (size_t)i * each, named->tensor.data ? row_at(named, rows->number) : (const uint8_t *)&number, each);
        rows->number++;
    }
    lock_rows(named, false);
    rows->data = buffer;
    rows->bytes = (size_t)count * each;
    rows->next += count;
}

/* Rows of one float, as those of logistic regression's table, are copied as such: a call of memcpy for each takes several times as long. */
static void copy_rows(const tri__named_tensor *named, int64_t first, int64_t count, size_t each, uint8_t *buffer)
{
    lock_rows(named, true);
    if (each == sizeof(float) && !named->moving.find) {
        const uint8_t *from = row_at(named, first);
        for (int64_t i = 0; i < count; i++)
            memcpy(buffer + (size_t)i * sizeof(float), from + (size_t)i * named->pitch, sizeof(float));
    } else {
        for (int64_t i = 0; i < count; i++)
            memcpy(buffer + (size_t)i * each, row_at(named, first + i), each);
    }
    lock_rows(named, false);
}

bool tri__tensor_next(const tri__named_tensor *named, tri__tensor_rows *rows, uint8_t buffer[TRI_TENSOR_ROWS])
{
    const tri_tensor *tensor = &named->tensor;
    const int64_t all = tensor->shape.rank ? tensor->shape.dim[0] : 1, left = all - rows->next;
    if (left == 0)
        return false;
    const size_t bytes = (size_t)tri_shape_count(tensor->shape) * tri_type_size(tensor->type), each = bytes / (size_t)all;
    const uint8_t *data = tensor->data;
    if (named->chosen && each <= TRI_TENSOR_ROWS) {
        const int64_t most = (int64_t)(TRI_TENSOR_ROWS / each);
        copy_chosen(named, rows, each, left < most ? left : most, buffer);
        return true;
    }
    if (named->chosen) { /* a single row is longer than the buffer */
        const int64_t number = choose(named->chosen, rows->number);
        *rows = (tri__tensor_rows){data + (size_t)number * named->pitch, each, rows->next + 1, number + 1};
        return true;
    }
    if (!named->pitch || (named->pitch == each && !named->moving.find)) {
        *rows = (tri__tensor_rows){data, bytes, all, 0};
        return true;
    }
    const int64_t fitting = (int64_t)(TRI_TENSOR_ROWS / each), count = left < fitting ? left : fitting;
    if (fitting == 0) { /* a single row is longer than the buffer */
        *rows = (tri__tensor_rows){data + (size_t)rows->next * named->pitch, each, rows->next + 1, 0};
        return true;
    }
    copy_rows(named, rows->next, count, each, buffer);
    *rows = (tri__tensor_rows){buffer, (size_t)count * each, rows->next + count, 0};
    return true;
}

static void write_tensor(tri__writer *writer, const tri__named_tensor *named)
{
    uint8_t buffer[TRI_TENSOR_ROWS];
    tri__tensor_rows rows = {0};
    while (tri__tensor_next(named, &rows, buffer))
        tri__writer_write(writer, rows.data, rows.bytes);
}

typedef struct {
    const tri__named_tensor *named;
    size_t bytes;
} piece;

/* Larger elements come first; among equal ones the given order decides, so the layout depends only on the arguments. */
static int compare_pieces(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    size_t x_size = tri_type_size(x->named->tensor.type), y_size = tri_type_size(y->named->tensor.type);
    if (x_size != y_size)
        return x_size < y_size ? 1 : -1;
    return (x->named > y->named) - (x->named < y->named);
}

static tri_status lay_out(const char *path, const tri__named_tensor *tensors, size_t count, piece *pieces)
{
    for (size_t i = 0; i < count; i++) {
        int64_t elements;
        TRI_TRY(tri_wrap(tri_shape_check(tensors[i].tensor.shape, &elements), "%s: tensor '%s'", path, tensors[i].name));
        pieces[i] = (piece){&tensors[i], (size_t)elements * tri_type_size(tensors[i].tensor.type)};
    }
    qsort(pieces, count, sizeof *pieces, compare_pieces);
    return NULL;
}

static json_t *describe(const piece *described, size_t offset)
{
    const tri_tensor *tensor = &described->named->tensor;
    json_t *shape = json_array();
    for (int i = 0; i < tensor->shape.rank; i++)
        json_array_append_new(shape, json_integer(tensor->shape.dim[i]));
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtypes[tensor->type], "shape", shape, "data_offsets", (json_int_t)offset,
                     (json_int_t)(offset + described->bytes));
}

/* Put value under key; takes ownership of value, which is NULL where memory ran out or a text is not UTF-8. */
static tri_status put(const char *path, json_t *object, const char *key, json_t *value)
{
    if (value && json_object_get(object, key)) {
        json_decref(value);
        return tri_fail(TRI_BAD_CALL, "%s: the name '%s' is given twice", path, key);
    }
    if (json_object_set_new(object, key, value))
        return tri_fail(TRI_BAD_CALL, "%s: cannot write '%s': it is not UTF-8 text, or memory is short", path, key);
    return NULL;
}

static tri_status fill_header(const char *path, json_t *header, const piece *pieces, size_t count, const tri__metadata *metadata,
                              size_t entries)
{
    if (entries) {
        json_t *map = json_object();
        TRI_TRY(put(path, header, METADATA, map));
        for (size_t i = 0; i < entries; i++)
            TRI_TRY(put(path, map, metadata[i].key, json_string(metadata[i].value)));
    }
    size_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = pieces[i].named->name;
        if (strcmp(name, METADATA) == 0)
            return tri_fail(TRI_BAD_CALL, "%s: a tensor cannot be called " METADATA, path);
        TRI_TRY(put(path, header, name, describe(&pieces[i], offset)));
        offset += pieces[i].bytes;
    }
    return NULL;
}

static tri_status write_file(const char *path, const char *header, const piece *pieces, size_t count)
{
    static const char spaces[HEADER_ALIGNMENT + 1] = "        ";
    size_t length = strlen(header), padding = (HEADER_ALIGNMENT - length % HEADER_ALIGNMENT) % HEADER_ALIGNMENT;
    uint64_t total = length + padding;
    tri__writer *writer;
    TRI_TRY(tri__writer_create(path, &writer));
    tri__writer_write(writer, &total, LENGTH_BYTES);
    tri__writer_write(writer, header, length);
    tri__writer_write(writer, spaces, padding);
    for (size_t i = 0; i < count; i++)
        write_tensor(writer, pieces[i].named);
    return tri__writer_commit(writer);
}

tri_status tri__safetensors_write(const char *path, const tri__named_tensor *tensors, size_t count, const tri__metadata *metadata,
                                  size_t entries)
{
    piece *pieces = NULL;
    json_t *header = json_object();
    char *text = NULL;
    tri_status status = tri__allocate(count, sizeof *pieces, "the list of tensors", &pieces);
    if (!status)
        status = lay_out(path, tensors, count, pieces);
    if (!status)
        status = fill_header(path, header, pieces, count, metadata, entries);
    if (!status && !(text = json_dumps(header, JSON_COMPACT)))
        status = tri_fail(TRI_NO_MEMORY, "%s: no memory for the header", path);
    if (!status)
        status = write_file(path, text, pieces, count);
    free(text);
    json_decref(header);
    free(pieces);
    return status;
}

/* ---- reading ---- */

typedef struct {
    tri__named_tensor named;
    uint64_t begin, end; /* in the data */
    void *copy;          /* where the tensor lies when its place in the file is not aligned to its type */
} entry;

struct tri__safetensors {
    char *name; /* of the file, for messages */
    tri__mapping mapping;
    json_t *header; /* owns the names and the metadata */
    entry *entries;
    size_t count;
};

/* Formats that people take for this one, by their first bytes, and what to do with them. */
static tri_status refuse_other_format(const char *name, const uint8_t *data)
{
    static const struct {
        const char *begins; /* at most LENGTH_BYTES of them */
        const char *advice;
    } other[] = {
        {"\x93NUMPY", "a NumPy array: safetensors.numpy.save_file({'NAME': array}, 'FILE.safetensors') writes it as one"},
        {"PK\x03\x04", "a ZIP archive such as PyTorch's or NumPy's: safetensors.torch.save_file or safetensors.numpy.save_file writes its "
                       "tensors as one"},
        {"\x89HDF\r\n", "an HDF5 file such as Keras's: safetensors.numpy.save_file writes its arrays as one"},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (!memcmp(data, other[i].begins, strlen(other[i].begins)))
            return tri_fail(TRI_BAD_DATA, "%s: not a safetensors file, but %s", name, other[i].advice);
    return NULL;
}

static tri_status read_header(const char *name, const uint8_t *data, size_t size, json_t **header, size_t *data_begin)
{
    uint64_t length;
    if (size < LENGTH_BYTES)
        return tri_fail(TRI_BAD_DATA, "%s: truncated: %zu bytes, less than the length of a header", name, size);
    memcpy(&length, data, LENGTH_BYTES);
    if (length > largest_header)
        TRI_TRY(refuse_other_format(name, data));
    if (length > largest_header)
        return tri_fail(TRI_BAD_DATA, "%s: not a safetensors file: a header of %" PRIu64 " bytes is more than the format allows", name,
                        length);
    if (length > size - LENGTH_BYTES)
        return tri_fail(TRI_BAD_DATA, "%s: truncated: the header has %" PRIu64 " bytes, only %zu are there", name, length,
                        size - LENGTH_BYTES);
    TRI_TRY(
        tri_wrap(tri__json_parse("header", (const char *)data + LENGTH_BYTES, (size_t)length, header), "%s: not a safetensors file", name));
    if (!json_is_object(*header))
        return tri_fail(TRI_BAD_DATA, "%s: not a safetensors file: the header is not a JSON object", name);
    *data_begin = LENGTH_BYTES + (size_t)length;
    return NULL;
}

static tri_status check_metadata(const char *file, json_t *metadata)
{
    const char *key;
    json_t *value;
    if (!json_is_object(metadata))
        return tri_fail(TRI_BAD_DATA, "%s: " METADATA " is not a map", file);
    json_object_foreach(metadata, key,
                        value) if (!json_is_string(value)) return tri_fail(TRI_BAD_DATA, "%s: " METADATA ": '%s' is not a text", file, key);
    return NULL;
}

static tri_status read_type(const char *file, const char *name, const json_t *dtype, tri_type *out)
{
    const char *text = json_string_value(dtype);
    for (int i = 0; i < DTYPES; i++)
        if (text && strcmp(text, dtypes[i]) == 0) {
            *out = (tri_type)i;
            return NULL;
        }
    return tri_fail(TRI_UNSUPPORTED, "%s: tensor '%s': type %s: only F32, I32, I64 and U8 can be read (convert the file to F32)", file,
                    name, text ? text : "is missing");
}

static tri_status read_shape(const char *file, const char *name, const json_t *dimensions, tri_shape *out)
{
    size_t rank = json_array_size(dimensions);
    if (!json_is_array(dimensions))
        return tri_fail(TRI_BAD_DATA, "%s: tensor '%s' has no shape", file, name);
    if (rank > TRI_MAX_RANK)
        return tri_fail(TRI_UNSUPPORTED, "%s: tensor '%s' has %zu dimensions, at most %d can be read", file, name, rank, TRI_MAX_RANK);
    *out = (tri_shape){.rank = (int)rank};
    for (size_t i = 0; i < rank; i++) {
        const json_t *dimension = json_array_get(dimensions, i);
        if (!json_is_integer(dimension))
            return tri_fail(TRI_BAD_DATA, "%s: tensor '%s': dimension %zu is not a whole number", file, name, i);
        out->dim[i] = json_integer_value(dimension);
    }
    return NULL;
}

static tri_status read_offsets(const char *file, const char *name, const json_t *offsets, entry *out)
{
    const json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(begin) || !json_is_integer(end) || json_integer_value(begin) < 0 ||
        json_integer_value(end) < json_integer_value(begin))
        return tri_fail(TRI_BAD_DATA, "%s: tensor '%s': data_offsets are not two offsets in order", file, name);
    out->begin = (uint64_t)json_integer_value(begin);
    out->end = (uint64_t)json_integer_value(end);
    return NULL;
}

static tri_status read_entry(const char *file, const char *name, const json_t *value, entry *out)
{
    tri_tensor *tensor = &out->named.tensor;
    int64_t elements;
    out->named.name = name;
    if (!json_is_object(value))
        return tri_fail(TRI_BAD_DATA, "%s: tensor '%s' is not described by a map", file, name);
    TRI_TRY(read_type(file, name, json_object_get(value, "dtype"), &tensor->type));
    TRI_TRY(read_shape(file, name, json_object_get(value, "shape"), &tensor->shape));
    TRI_TRY(read_offsets(file, name, json_object_get(value, "data_offsets"), out));
    tri_status status = tri_shape_check(tensor->shape, &elements);
    if (status) {
        tri_status_free(status);
        return tri_fail(TRI_BAD_DATA, "%s: tensor '%s': its shape is negative or too large", file, name);
    }
    uint64_t bytes = (uint64_t)elements * tri_type_size(tensor->type);
    if (out->end - out->begin != bytes) {
        char shape[128];
        return tri_fail(TRI_BAD_DATA, "%s: tensor '%s': %s %s is %" PRIu64 " bytes, data_offsets say %" PRIu64, file, name,
                        tri_type_name(tensor->type), tri_shape_text(tensor->shape, shape, sizeof shape), bytes, out->end - out->begin);
    }
    return NULL;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The sorted entries must fill the data without a gap or overlap. */
static tri_status check_coverage(const tri__safetensors *file, uint64_t available)
{
    uint64_t end = 0;
    for (size_t i = 0; i < file->count; i++)
        if (file->entries[i].end > available)
            return tri_fail(TRI_BAD_DATA, "%s: truncated: tensor '%s' ends at byte %" PRIu64 " of the data, only %" PRIu64 " are there",
                            file->name, file->entries[i].named.name, file->entries[i].end, available);
    for (size_t i = 0; i < file->count; i++) {
        const entry *e = &file->entries[i];
        if (e->begin != end)
            return tri_fail(TRI_BAD_DATA,
                            "%s: tensor '%s' begins at byte %" PRIu64 " of the data, but the one before it ends at %" PRIu64 " (%s)",
                            file->name, e->named.name, e->begin, end, e->begin < end ? "they overlap" : "a hole");
        end = e->end;
    }
    if (end != available)
        return tri_fail(TRI_BAD_DATA, "%s: %" PRIu64 " bytes behind the last tensor belong to none", file->name, available - end);
    return NULL;
}

/* Point each tensor at its bytes, or at an aligned copy of them. */
static tri_status attach(tri__safetensors *file, const uint8_t *data)
{
    for (size_t i = 0; i < file->count; i++) {
        entry *e = &file->entries[i];
        const uint8_t *at = data + e->begin;
        e->named.tensor.data = (void *)at;
        if ((uintptr_t)at % tri_type_size(e->named.tensor.type) == 0)
            continue;
        TRI_TRY(tri__allocate(1, (size_t)(e->end - e->begin), e->named.name, &e->copy));
        memcpy(e->copy, at, (size_t)(e->end - e->begin));
        e->named.tensor.data = e->copy;
    }
    return NULL;
}

static tri_status read_entries(tri__safetensors *file)
{
    const char *key;
    json_t *value;
    TRI_TRY(tri__allocate(json_object_size(file->header), sizeof *file->entries, "the list of tensors", &file->entries));
    json_object_foreach(file->header, key, value)
    {
        if (strcmp(key, METADATA) == 0)
            TRI_TRY(check_metadata(file->name, value));
        else
            TRI_TRY(read_entry(file->name, key, value, &file->entries[file->count++]));
    }
    qsort(file->entries, file->count, sizeof *file->entries, compare_entries);
    return NULL;
}

static tri_status read_all(tri__safetensors *file, const uint8_t *data, size_t size)
{
    size_t data_begin;
    TRI_TRY(read_header(file->name, data, size, &file->header, &data_begin));
    TRI_TRY(read_entries(file));
    TRI_TRY(check_coverage(file, size - data_begin));
    return attach(file, data + data_begin);
}

tri_status tri__safetensors_parse(const char *name, const uint8_t *data, size_t size, tri__safetensors **out)
{
    tri__safetensors *file;
    TRI_TRY(tri__allocate(1, sizeof *file, name, &file));
    file->name = strdup(name);
    tri_status status = file->name ? read_all(file, data, size) : tri_fail(TRI_NO_MEMORY, "%s: no memory for its name", name);
    if (status) {
        tri__safetensors_close(file);
        return status;
    }
    *out = file;
    return NULL;
}

tri_status tri__safetensors_open(const char *path, tri__safetensors **out)
{
    tri__mapping mapping;
    TRI_TRY(tri__file_map(path, &mapping));
    tri_status status = tri__safetensors_parse(path, mapping.data, mapping.size, out);
    if (status)
        tri__file_unmap(&mapping);
    else
        (*out)->mapping = mapping;
    return status;
}

void tri__safetensors_close(tri__safetensors *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->count; i++)
        free(file->entries[i].copy);
    free(file->entries);
    json_decref(file->header);
    if (file->mapping.data)
        tri__file_unmap(&file->mapping);
    free(file->name);
    free(file);
}

size_t tri__safetensors_count(const tri__safetensors *file)
{
    return file->count;
}

const tri__named_tensor *tri__safetensors_at(const tri__safetensors *file, size_t index)
{
    return &file->entries[index].named;
}

const char *tri__safetensors_metadata(const tri__safetensors *file, const char *key)
{
    return json_string_value(json_object_get(json_object_get(file->header, METADATA), key));
}

tri_status tri__safetensors_find(const tri__safetensors *file, const char *name, tri_type type, tri_shape shape, tri_tensor *out)
{
    for (size_t i = 0; i < file->count; i++) {
        const tri__named_tensor *named = &file->entries[i].named;
        if (strcmp(named->name, name) != 0)
            continue;
        *out = named->tensor;
        if (out->type == type && tri_shape_equal(out->shape, shape))
            return NULL;
        char there[128], wanted[128];
        return tri_fail(TRI_BAD_DATA, "%s: tensor '%s' is %s %s, expected %s %s (a checkpoint of another model?)", file->name, name,
                        tri_type_name(out->type), tri_shape_text(out->shape, there, sizeof there), tri_type_name(type),
                        tri_shape_text(shape, wanted, sizeof wanted));
    }
    return tri_fail(TRI_NOT_FOUND, "%s: there is no tensor '%s' (a checkpoint of another model?)", file->name, name);
}
