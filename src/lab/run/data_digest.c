/* data_digest.c: opens each source once and computes the digest by which the machines of a cluster compare their data. */
#include "lab/run/data_digest.h"

#include <string.h>

#include "data/source/digest.h"

/* The source that the words name; NULL: they name none. */
static const char *source_of(const tri__command_line *line)
{
    for (int i = 0; i + 1 < line->count; i++)
        if (!strcmp(line->words[i], "--data"))
            return line->words[i + 1];
    return line->count > 2 && !strcmp(line->words[0], "data") ? line->words[2] : NULL;
}

static json_t *digest_of(const char *name, const char *cache_folder)
{
    const tri_source_options options = {.seed = 1, .cache_folder = cache_folder};
    char digest[TRI_DATA_DIGEST_SIZE] = "";
    tri_source *source = NULL;
    tri_status status = tri_source_open(name, TRI_PART_TRAIN, &options, &source);
    if (!status)
        status = tri__source_digest(source, digest);
    tri_source_destroy(source);
    bool known = !status && *digest;
    tri_status_free(status);
    return known ? json_string(digest) : json_null();
}

static tri_status add_cell(const tri__study *study, int cell, const tri__study_names *names, const char *cache_folder, json_t *digests)
{
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    tri_status status = tri__study_command(study, cell, names, &line);
    const char *source = status ? NULL : source_of(&line);
    if (source && !json_object_get(digests, source) && json_object_set_new(digests, source, digest_of(source, cache_folder)))
        status = tri_fail(TRI_NO_MEMORY, "no memory for digests of data");
    tri__command_line_fini(&line);
    return status;
}

tri_status tri__study_data_digests(const tri__study *study, const char *folder, const char *cache_folder, json_t **out)
{
    const tri__study_names names = {.data = folder, .run = "", .cluster = "", .repeat = 1};
    tri_status status = NULL;
    *out = json_object();
    if (!*out)
        return tri_fail(TRI_NO_MEMORY, "no memory for digests of data");
    for (int cell = 0; cell < study->cell_count && !status; cell++)
        status = add_cell(study, cell, &names, cache_folder, *out);
    if (status) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}
