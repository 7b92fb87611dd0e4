/* lines.c: prints what Trireme reads of a sparse source, so that others can compare.
 *
 * usage: lines SOURCE [FEATURES]
 * First "EXAMPLES FEATURES CLASSES", then a line an example: its class, then key:value for every feature, values as hexadecimal floats. A
 * damaged record is a line that begins with "damaged". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "data/source/source.h"

static tri_status print_example(tri__reader *reader, int64_t record, int32_t *keys, float *values)
{
    int32_t label;
    int64_t count = 0;
    tri_status status = reader->source->kind->read(
        reader, record, &(tri__example_target){.keys = keys, .values = values, .count = &count, .label = &label});
    if (tri_status_code(status) == TRI_BAD_DATA) {
        printf("damaged %s\n", tri_status_message(status));
        tri_status_free(status);
        return NULL;
    }
    TRI_TRY(status);
    printf("%d", label);
    for (int64_t i = 0; i < count; i++)
        printf(" %d:%a", keys[i], (double)values[i]);
    putchar('\n');
    return NULL;
}

static tri_status print_all(tri_source *source)
{
    const tri_source_info *info = &source->info;
    if (info->width == 0)
        return tri_fail(TRI_BAD_CALL, "%s is not a sparse source", info->spec);
    printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", info->examples, info->shape.dim[0], info->classes);
    int32_t *keys = NULL;
    float *values = NULL;
    tri__reader *reader = NULL;
    tri_status status = tri__allocate((size_t)info->width, sizeof *keys, "keys", &keys);
    if (!status)
        status = tri__allocate((size_t)info->width, sizeof *values, "values", &values);
    if (!status)
        status = tri__reader_create(source, &reader);
    for (int64_t i = 0; i < info->examples && !status; i++)
        status = print_example(reader, i, keys, values);
    tri__reader_destroy(reader);
    free(keys);
    free(values);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "usage: lines SOURCE [FEATURES]\n");
        return 2;
    }
    const tri_source_options options = {.features = count > 2 ? strtoll(arguments[2], NULL, 10) : 0};
    tri_source *source = NULL;
    tri_status status = tri_source_open(arguments[1], TRI_PART_TRAIN, &options, &source);
    if (!status)
        status = print_all(source);
    tri_source_destroy(source);
    if (status)
        fprintf(stderr, "lines: %s\n", tri_status_message(status));
    int failed = status != NULL;
    tri_status_free(status);
    return failed;
}
