/* study_fuzz.c: files of studies: whatever is in them, they are read or refused. */
#include <stdlib.h>
#include <string.h>

#include "lab/study/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    tri__study *study = NULL;
    tri_status_free(tri__study_parse(&(tri__study_text){.file = "fuzz", .text = text, .builtin = true}, TRI_SCALE_USUAL, &study));
    tri__study_destroy(study);
    free(text);
    return 0;
}
