/* file_source.c: sources over files of records. */
#include "data/source/file_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

static tri_status merge_files(const tri__file_source_format *format, const tri__record_files *files, size_t first, int64_t *facts)
{
    for (size_t i = first; i < files->count; i++)
        TRI_TRY(format->merge(facts, &files->files[i]));
    return NULL;
}

/* Merge the facts of another part, whose files are opened only for this. */
static tri_status merge_other(const tri__file_source_format *format, const tri__file_list *other, const char *cache_folder, int64_t *facts)
{
    if (other->count == 0)
        return NULL;
    tri__record_files others;
    TRI_TRY(tri__record_files_open(other->paths, other->count, &format->index, cache_folder, &others));
    tri_status status = merge_files(format, &others, 0, facts);
    tri__record_files_fini(&others);
    return status;
}

/* Merge the facts of all parts, beginning with this part. */
static tri_status merge_parts(const tri__file_source_format *format, const tri__record_files *files, const tri__file_set *set,
                              tri_part part, const char *cache_folder, int64_t *facts)
{
    memcpy(facts, files->files[0].index.facts, sizeof files->files[0].index.facts);
    TRI_TRY(merge_files(format, files, 1, facts));
    for (int other = 0; other < TRI_PARTS; other++)
        if (other != (int)part)
            TRI_TRY(merge_other(format, &set->part[other], cache_folder, facts));
    return NULL;
}

static tri_status open_files(const tri__file_source_format *format, tri__file_source *self, const tri__file_set *set, tri_part part,
                             const tri_source_options *options)
{
    const tri__file_list *list = &set->part[part];
    int64_t facts[TRI_INDEX_FACTS] = {0};
    TRI_TRY(tri__record_files_open(list->paths, list->count, &format->index, options->cache_folder, &self->files));
    if (format->merge)
        TRI_TRY(merge_parts(format, &self->files, set, part, options->cache_folder, facts));
    tri_source_info *info = &self->source.info;
    info->examples = self->files.records;
    info->bytes = self->files.bytes;
    info->files = (int64_t)self->files.count;
    if (info->examples == 0)
        return tri_fail(TRI_BAD_DATA, "%s: has no records (an unfinished write? make it again)", set->spec);
    return format->describe(self, set, facts, options);
}

tri_status tri__file_source_open(const tri__file_source_format *format, const tri__file_set *set, tri_part part,
                                 const tri_source_options *options, tri_source **out)
{
    tri__file_source *self;
    TRI_TRY(tri__allocate(1, format->size, "a data source", &self));
    self->source.kind = format->kind;
    tri_status status = open_files(format, self, set, part, options);
    if (status) {
        self->source.kind->destroy(&self->source);
        return status;
    }
    *out = &self->source;
    return NULL;
}

const char *tri__file_source_path(const tri_source *source, int64_t record)
{
    return tri__record_files_find(&((const tri__file_source *)source)->files, record)->path;
}

void tri__file_source_destroy(tri_source *source)
{
    tri__record_files_fini(&((tri__file_source *)source)->files);
    free(source);
}
