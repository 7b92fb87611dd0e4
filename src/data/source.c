/* source.c: a source found by what the user typed: a name that is known here, or a path. */
#include "data/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/catalogue.h"
#include "data/clicks.h"
#include "data/files.h"

/* Sources that are made, not read. */
static const struct {
    const char *name;
    tri_status (*open)(const char *arguments, tri_part part, const tri_source_options *options, tri_source **out);
} synthetic[] = {
    {"clicks", tri__clicks_open},
    {"digits", tri__digits_open},
    {"fake", tri__fake_open},
};

tri_status tri__source_set_shape(tri_source *source, tri_shape shape)
{
    int64_t bytes;
    TRI_TRY(tri_shape_check(shape, &bytes));
    if (bytes == 0)
        return tri_fail(TRI_BAD_DATA, "an example has no elements");
    source->info.type = TRI_U8;
    source->info.shape = shape;
    source->example_bytes = (size_t)bytes;
    return NULL;
}

tri_status tri__source_read_rows(tri__reader *reader, int64_t record, const tri__place *to)
{
    const tri_source *source = reader->source;
    memcpy(to->x, source->rows + (size_t)record * source->example_bytes, source->example_bytes);
    *to->label = source->classes_of[record];
    return NULL;
}

tri_status tri__reader_create(tri_source *source, tri__reader **out)
{
    if (source->kind->reader_create)
        return source->kind->reader_create(source, out);
    TRI_TRY(tri__allocate(1, sizeof **out, "a reader", out));
    (*out)->source = source;
    return NULL;
}

void tri__reader_destroy(tri__reader *reader)
{
    if (reader && reader->source->kind->reader_destroy)
        reader->source->kind->reader_destroy(reader);
    else
        free(reader);
}

bool tri__source_parse_count(const char **text, int64_t limit, int64_t *out)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(*text, &end, 10);
    if (errno || value < 1 || value > limit)
        return false;
    *text = end;
    *out = value;
    return true;
}

static tri_status open_known(const tri__known_set *set, tri_part part, const tri_source_options *options, tri_source **out)
{
    if (!set->system_folder && !options->cache_folder)
        return tri_fail(TRI_BAD_CALL, "%s is kept in the cache folder, and none is given", set->name);
    char *folder = tri__known_folder(set, options->cache_folder, options->data_folder);
    if (!folder)
        return tri_fail(TRI_NO_MEMORY, "out of memory while opening %s", set->name);
    tri_status status;
    if (tri__folder_exists(folder))
        status = tri__files_open(folder, part, set->classes, options, out);
    else if (set->system_folder)
        status = tri_fail(TRI_NOT_FOUND, "%s is not on this machine (no folder %s): install it with `apt install %s`", set->name, folder,
                          set->system_package);
    else
        status = tri_fail(TRI_NOT_FOUND, "%s is not on this machine yet: fetch it with `trireme data get %s`", set->name, set->name);
    if (!status)
        (*out)->info.class_names = set->class_names;
    free(folder);
    return status;
}

static tri_status open_by_name(const char *spec, tri_part part, const tri_source_options *options, tri_source **out)
{
    const char *colon = strchr(spec, ':');
    size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
    for (size_t i = 0; i < sizeof synthetic / sizeof *synthetic; i++)
        if (strlen(synthetic[i].name) == length && strncmp(synthetic[i].name, spec, length) == 0)
            return synthetic[i].open(colon ? colon + 1 : NULL, part, options, out);
    const tri__known_set *set = tri__known_find(spec);
    if (set)
        return open_known(set, part, options, out);
    if (tri__files_are(spec))
        return tri__files_open(spec, part, 0, options, out);
    return tri_fail(TRI_NOT_FOUND,
                    "'%s' is neither a known data source nor a file or folder: give fashion, mnist, cifar10, digits[:N], "
                    "fake:HxWxC:CLASSES[:N], clicks:FEATURES[:N], or the path of data files (a file, a folder, or a glob in quotes)",
                    spec);
}

tri_status tri_source_open(const char *spec, tri_part part, const tri_source_options *options, tri_source **out)
{
    char *name = strdup(spec);
    if (!name)
        return tri_fail(TRI_NO_MEMORY, "out of memory while opening %s", spec);
    tri_source *source;
    tri_status status = open_by_name(spec, part, options ? options : &(tri_source_options){0}, &source);
    if (status) {
        free(name);
        return status;
    }
    source->info.spec = name;
    *out = source;
    return NULL;
}

void tri__source_hold(tri_source *source)
{
    atomic_fetch_add(&source->holders, 1);
}

void tri_source_destroy(tri_source *source)
{
    if (!source || atomic_fetch_sub(&source->holders, 1) > 0)
        return;
    free((char *)source->info.spec);
    source->kind->destroy(source);
}

const tri_source_info *tri_source_describe(const tri_source *source)
{
    return &source->info;
}

static tri_status check_records(const tri_source *source, const int64_t *records, int64_t count)
{
    if (source->info.width > 0)
        return tri_fail(TRI_BAD_CALL, "%s: examples are sparse, and cannot be read as rows", source->info.spec);
    for (int64_t i = 0; i < count; i++)
        if (records[i] < 0 || records[i] >= source->info.examples)
            return tri_fail(TRI_BAD_CALL, "%s: no record %" PRId64 ", there are %" PRId64, source->info.spec, records[i],
                            source->info.examples);
    return NULL;
}

tri_status tri_source_read(tri_source *source, const int64_t *records, int64_t count, void *x, int32_t *labels)
{
    TRI_TRY(check_records(source, records, count));
    tri__reader *reader;
    TRI_TRY(tri__reader_create(source, &reader));
    tri_status status = NULL;
    for (int64_t i = 0; i < count && !status; i++) {
        const tri__place place = {.x = (uint8_t *)x + (size_t)i * source->example_bytes, .label = &labels[i]};
        status = source->kind->read(reader, records[i], &place);
    }
    tri__reader_destroy(reader);
    return status;
}
