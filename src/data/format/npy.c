/* npy.c: the header of an array.
 *
 *     \x93NUMPY 1 0 <length> {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 784), }
 *
 * The header is a Python dictionary with these three keys; the elements follow it. */
#include "data/format/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 8, LONGEST_HEADER = 4096, LONGEST_TYPE = 16 }; /* of a type: as much as a message shows */

static tri_status damaged(const char *name, const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s: not a NumPy array that can be read: %s", name, what);
}

/* Where the value of a key begins; NULL if there is no such key. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? strchr(at + strlen(key), ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static tri_status read_type(const char *name, const char *header, tri__npy *out)
{
    const char *at = value_of(header, "'descr'");
    if (!at || *at != '\'' || strlen(at) < 5)
        return damaged(name, "it has no plain type (an array of records? save x and y as arrays of their own)");
    const char order = at[1], kind = at[2], size = at[3];
    const bool known = at[4] == '\'' && ((kind == 'f' && (size == '4' || size == '8')) || (kind == 'b' && size == '1') ||
                                         ((kind == 'i' || kind == 'u') && strchr("1248", size)));
    const size_t length = strcspn(at + 1, "'");
    if (!known || (order != '<' && order != '|' && order != '='))
        return tri_fail(TRI_UNSUPPORTED, "%s: its elements are '%.*s': save them as float32, float64, uint8 or integers (%s)", name,
                        length < LONGEST_TYPE ? (int)length : LONGEST_TYPE, at + 1,
                        strchr("USO", kind) ? "numpy.unique(y, return_inverse=True)[1] makes numbers of words" : "x.astype('float32')");
    out->kind = kind;
    out->size = size - '0';
    return NULL;
}

static tri_status read_shape(const char *name, const char *header, tri__npy *out)
{
    const char *at = value_of(header, "'shape'");
    if (!at || *at++ != '(')
        return damaged(name, "it has no shape");
    out->count = 1;
    while (*(at += strspn(at, " ,")) != ')') {
        char *end;
        const long long dim = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : -1;
        if (dim < 0 || out->rank == TRI_NPY_RANK || __builtin_mul_overflow(out->count, (int64_t)dim, &out->count))
            return damaged(name, "its shape makes no sense");
        out->dim[out->rank++] = dim;
        at = end;
    }
    return out->rank > 0 ? NULL : damaged(name, "it is one number, and no array");
}

static tri_status check_order(const char *name, const char *header, const tri__npy *array)
{
    const char *order = value_of(header, "'fortran_order'");
    if (!order)
        return damaged(name, "it does not say in which order its elements stand");
    if (strncmp(order, "True", 4) == 0 && array->rank > 1)
        return tri_fail(TRI_UNSUPPORTED, "%s: its elements stand in Fortran's order: save numpy.ascontiguousarray(x) instead", name);
    return NULL;
}

/* *bytes: the size of header and elements together. */
static tri_status parse_header(const char *name, const uint8_t *data, size_t size, tri__npy *out, uint64_t *bytes)
{
    *out = (tri__npy){0};
    if (size < PREFIX + 4 || memcmp(data, TRI_NPY_MAGIC, 6) != 0)
        return damaged(name, "it does not begin as one");
    const bool wide = data[6] >= 2; /* a length of four bytes */
    const size_t begin = PREFIX + (wide ? 4 : 2);
    size_t length = (size_t)data[8] | (size_t)data[9] << 8;
    if (wide)
        length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    char header[LONGEST_HEADER];
    if (length >= sizeof header || begin + length > size)
        return damaged(name, "its header is cut, or too long");
    memcpy(header, data + begin, length);
    header[length] = '\0';
    TRI_TRY(read_type(name, header, out));
    TRI_TRY(read_shape(name, header, out));
    TRI_TRY(check_order(name, header, out));
    out->data = data + begin + length;
    uint64_t elements;
    if (__builtin_mul_overflow((uint64_t)out->count, (uint64_t)out->size, &elements) ||
        __builtin_add_overflow(elements, begin + length, bytes))
        return damaged(name, "its shape makes no sense");
    return NULL;
}

tri_status tri__npy_fits(const char *name, uint64_t bytes, uint64_t size)
{
    if (size < bytes)
        return damaged(name, "it ends before its last element (cut short?)");
    if (size > bytes)
        return tri_fail(TRI_BAD_DATA,
                        "%s: has %" PRIu64 " bytes, and its shape needs %" PRIu64
                        ": the rest would not be read (several arrays in one file? numpy.savez keeps them apart)",
                        name, size, bytes);
    return NULL;
}

tri_status tri__npy_bytes(const char *name, const uint8_t *head, size_t size, uint64_t *out)
{
    tri__npy array;
    return parse_header(name, head, size, &array, out);
}

tri_status tri__npy_parse(const char *name, const uint8_t *data, size_t size, tri__npy *out)
{
    uint64_t bytes;
    TRI_TRY(parse_header(name, data, size, out, &bytes));
    return tri__npy_fits(name, bytes, size);
}

#define AT(type)                                                                                                                           \
    {                                                                                                                                      \
        type value;                                                                                                                        \
        memcpy(&value, array->data + (size_t)index * sizeof value, sizeof value);                                                          \
        return (double)value;                                                                                                              \
    }

double tri__npy_at(const tri__npy *array, int64_t index)
{
    const bool is_signed = array->kind == 'i';
    if (array->kind == 'f') {
        if (array->size == 4)
            AT(float)
        AT(double)
    }
    switch (array->size) {
    case 1:
        if (is_signed)
            AT(int8_t)
        return array->data[index];
    case 2:
        if (is_signed)
            AT(int16_t)
        AT(uint16_t)
    case 4:
        if (is_signed)
            AT(int32_t)
        AT(uint32_t)
    default:
        if (is_signed)
            AT(int64_t)
        AT(uint64_t)
    }
}
