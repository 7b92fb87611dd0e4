/* safetensors_fuzz.c: whatever the bytes, a file that opens has tensors whose every byte can be read. */
#include "tensor/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t sum_of_bytes(const tri_tensor *tensor)
{
    const uint8_t *bytes = tensor->data;
    size_t count = (size_t)tri_shape_count(tensor->shape) * tri_type_size(tensor->type);
    uint8_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tri__safetensors *file;
    tri_status status = tri__safetensors_parse("fuzz", data, size, &file);
    if (status) {
        tri_status_free(status);
        return 0;
    }
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < tri__safetensors_count(file); i++)
        sum = (uint8_t)(sum + sum_of_bytes(&tri__safetensors_at(file, i)->tensor));
    tri__safetensors_close(file);
    return 0;
}
