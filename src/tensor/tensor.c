/* tensor.c: types and shapes. */
#include "trireme/tensor.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>

size_t tri_type_size(tri_type type)
{
    static const size_t sizes[] = {[TRI_F32] = 4, [TRI_I32] = 4, [TRI_I64] = 8, [TRI_U8] = 1};
    return sizes[type];
}

const char *tri_type_name(tri_type type)
{
    static const char *const names[] = {[TRI_F32] = "f32", [TRI_I32] = "i32", [TRI_I64] = "i64", [TRI_U8] = "u8"};
    return names[type];
}

tri_shape tri_shape_of(int rank, const int64_t *dim)
{
    tri_shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++)
        shape.dim[i] = dim[i];
    return shape;
}

int64_t tri_shape_count(tri_shape shape)
{
    int64_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    return count;
}

bool tri_shape_equal(tri_shape a, tri_shape b)
{
    if (a.rank != b.rank)
        return false;
    for (int i = 0; i < a.rank; i++)
        if (a.dim[i] != b.dim[i])
            return false;
    return true;
}

const char *tri_shape_text(tri_shape shape, char *buffer, size_t size)
{
    tri__text text;
    tri__text_init(&text, buffer, size);
    if (shape.rank == 0)
        tri__text_add(&text, "scalar");
    for (int i = 0; i < shape.rank; i++)
        tri__text_add(&text, "%s%" PRId64, i ? "x" : "", shape.dim[i]);
    return buffer;
}

tri_status tri_shape_check(tri_shape shape, int64_t *count)
{
    if (shape.rank < 0 || shape.rank > TRI_MAX_RANK)
        return tri_fail(TRI_BAD_CALL, "a shape has %d dimensions, at most %d are possible", shape.rank, TRI_MAX_RANK);
    int64_t product = 1;
    for (int i = 0; i < shape.rank; i++)
        if (shape.dim[i] < 0 || __builtin_mul_overflow(product, shape.dim[i], &product) || product > INT64_MAX / 8) {
            char text[128];
            return tri_fail(TRI_BAD_CALL, "shape %s is negative or too large", tri_shape_text(shape, text, sizeof text));
        }
    *count = product;
    return NULL;
}
