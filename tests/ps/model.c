/* model.c: two checkpoints, tensor by tensor. */
#include "ps/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "tensor/safetensors.h"

static tri__safetensors *open_checkpoint(const char *folder, const json_t *summary)
{
    tri__safetensors *file;
    char *path = test_path(folder, json_string_value(json_object_get(summary, "checkpoint")));
    assert_ok(tri__safetensors_open(path, &file));
    free(path);
    return file;
}

static double tensor_difference(const float *x, const float *y, int64_t count)
{
    double scale = 0, difference = 0;
    for (int64_t i = 0; i < count; i++) {
        double distance = fabs((double)x[i] - (double)y[i]);
        if (isnan(distance))
            return INFINITY; /* which a maximum would pass over */
        scale = fmax(scale, fabs((double)x[i]));
        difference = fmax(difference, distance);
    }
    return scale > 0 ? difference / scale : difference;
}

double model_difference(const char *folder, const json_t *one, const json_t *two)
{
    tri__safetensors *a = open_checkpoint(folder, one), *b = open_checkpoint(folder, two);
    double worst = 0;
    assert_true(tri__safetensors_count(a) > 0);
    assert_int_equal(tri__safetensors_count(a), tri__safetensors_count(b));
    for (size_t i = 0; i < tri__safetensors_count(a); i++) {
        const tri__named_tensor *named = tri__safetensors_at(a, i);
        tri_tensor other;
        assert_ok(tri__safetensors_find(b, named->name, named->tensor.type, named->tensor.shape, &other));
        worst = fmax(worst, tensor_difference(named->tensor.data, other.data, tri_shape_count(named->tensor.shape)));
    }
    tri__safetensors_close(a);
    tri__safetensors_close(b);
    return worst;
}

/* NULL: it has no such tensor. */
static const tri__named_tensor *find_named(const tri__safetensors *file, const char *name)
{
    for (size_t i = 0; i < tri__safetensors_count(file); i++)
        if (!strcmp(tri__safetensors_at(file, i)->name, name))
            return tri__safetensors_at(file, i);
    return NULL;
}

/* Where each row of a goes in b, by its key. */
static int64_t *match_rows(const tri__safetensors *a, const tri__safetensors *b, int64_t *rows)
{
    const tri__named_tensor *x = find_named(a, "table/keys"), *y = find_named(b, "table/keys");
    assert_non_null(x);
    assert_non_null(y);
    *rows = x->tensor.shape.dim[0];
    assert_int_equal(*rows, y->tensor.shape.dim[0]);
    int64_t *at = calloc((size_t)*rows + 1, sizeof *at);
    assert_non_null(at);
    for (int64_t i = 0; i < *rows; i++) {
        while (at[i] < *rows && ((const int32_t *)y->tensor.data)[at[i]] != ((const int32_t *)x->tensor.data)[i])
            at[i]++;
        assert_true(at[i] < *rows); /* both have the key */
    }
    return at;
}

double model_difference_by_key(const char *folder, const json_t *one, const json_t *two)
{
    tri__safetensors *a = open_checkpoint(folder, one), *b = open_checkpoint(folder, two);
    double worst = 0;
    int64_t rows, *at = match_rows(a, b, &rows);
    for (size_t i = 0; i < tri__safetensors_count(a); i++) {
        const tri__named_tensor *named = tri__safetensors_at(a, i);
        const tri_shape shape = named->tensor.shape;
        tri_tensor other;
        if (named->tensor.type != TRI_F32)
            continue;
        assert_ok(tri__safetensors_find(b, named->name, TRI_F32, shape, &other));
        const float *x = named->tensor.data, *y = other.data;
        if (shape.rank != 2 || shape.dim[0] != rows)
            worst = fmax(worst, tensor_difference(x, y, tri_shape_count(shape)));
        else
            for (int64_t row = 0; row < rows; row++)
                for (int64_t k = 0; k < shape.dim[1]; k++)
                    worst = fmax(worst, fabs((double)x[row * shape.dim[1] + k] - (double)y[at[row] * shape.dim[1] + k]));
    }
    free(at);
    tri__safetensors_close(a);
    tri__safetensors_close(b);
    return worst;
}

void model_sightings(const char *folder, const json_t *summary, int64_t *rows, int64_t *sightings)
{
    tri__safetensors *file = open_checkpoint(folder, summary);
    const tri__named_tensor *keys = find_named(file, "table/keys"), *counts = find_named(file, "table/sightings");
    assert_non_null(keys);
    *rows = keys->tensor.shape.dim[0];
    *sightings = 0;
    for (int64_t i = 0; counts && i < counts->tensor.shape.dim[0]; i++)
        *sightings += ((const int32_t *)counts->tensor.data)[i];
    tri__safetensors_close(file);
}
