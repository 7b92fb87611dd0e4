/* onnx_fuzz.c: ONNX files. Whatever is imported is a model that can be read; all of its tensors can. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/onnx/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile float seen; /* so that no read is optimised away */

static void use(const tri__imported *imported)
{
    tri_model *model = NULL;
    tri_status status = tri_model_parse("imported.model", imported->text, strlen(imported->text), &model);
    for (int64_t i = 0; i < imported->tensors; i++)
        for (int64_t k = 0; k < tri_shape_count(imported->tensor[i].shape); k++)
            seen += imported->tensor[i].data[k];
    tri_model_destroy(model);
    tri_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tri__arena *arena = NULL;
    tri__imported imported;
    if (tri__arena_create(&arena))
        abort();
    tri_status status = tri__onnx_import(data, size, NULL, arena, &imported);
    if (!status)
        use(&imported);
    tri_status_free(status);
    tri__imported_fini(&imported);
    tri__arena_destroy(arena);
    return 0;
}
