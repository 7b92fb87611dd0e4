/* model.c: two checkpoints, tensor by tensor. */
#include "ps/model.h"

#include <math.h>
#include <stdlib.h>

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
