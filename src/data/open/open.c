/* open.c: opens the source that the user typed: a known name, or a path. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/nearest.h"
#include "data/file/catalogue.h"
#include "data/make/clicks.h"
#include "data/make/digits.h"
#include "data/make/fake.h"
#include "data/open/files.h"
#include "data/stream/stream.h"

/* Synthetic sources. */
static const struct {
    const char *name;
    bool alone; /* its name needs no arguments after a colon */
    tri_status (*open)(const char *arguments, tri_part part, const tri_source_options *options, tri_source **out);
} synthetic[] = {
    {"clicks", false, tri__clicks_open},
    {"digits", true, tri__digits_open},
    {"fake", false, tri__fake_open},
};

static tri_status open_known(const tri__known_set *set, tri_part part, const tri_source_options *options, tri_source **out)
{
    if (!set->system_folder && !options->cache_folder)
        return tri_fail(TRI_BAD_CALL, "%s is kept in the cache folder, and there is none: set HOME or XDG_CACHE_HOME", set->name);
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

/* A hint with the known name that is nearest to the first length bytes of spec; "" if none is near. */
static const char *suggest(const char *spec, size_t length, char hint[TRI_NEAREST_HINT])
{
    char given[64];
    snprintf(given, sizeof given, "%.*s", (int)(length < sizeof given ? length : sizeof given - 1), spec);
    tri__nearest nearest = tri__nearest_of(given);
    for (size_t i = 0; i < sizeof synthetic / sizeof *synthetic; i++)
        tri__nearest_offer(&nearest, synthetic[i].name);
    for (int i = 0; tri__known_name(i); i++)
        tri__nearest_offer(&nearest, tri__known_name(i));
    return tri__nearest_hint(&nearest, hint);
}

static tri_status open_standard_input(const tri_source_options *options, tri_source **out)
{
    if (options->stream)
        return tri__stream_open(STDIN_FILENO, "standard input", options, out);
    return tri_fail(TRI_BAD_CALL, "standard input ('-') is read once, in its order: a sparse model is trained on it and predicts it; "
                                  "everything else needs files");
}

static tri_status open_by_name(const char *spec, tri_part part, const tri_source_options *options, tri_source **out)
{
    if (tri__source_is_stream(spec))
        return open_standard_input(options, out);
    const char *colon = strchr(spec, ':');
    size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
    for (size_t i = 0; i < sizeof synthetic / sizeof *synthetic; i++)
        if (strlen(synthetic[i].name) == length && strncmp(synthetic[i].name, spec, length) == 0 &&
            (colon || synthetic[i].alone || !tri__files_are(spec))) /* a folder may be called clicks, too */
            return part == TRI_PART_VALIDATION ? tri_fail(TRI_NOT_FOUND, "%s: has no validation part", spec)
                                               : synthetic[i].open(colon ? colon + 1 : NULL, part, options, out);
    const tri__known_set *set = tri__known_find(spec);
    if (set)
        return open_known(set, part, options, out);
    if (tri__files_are(spec))
        return tri__files_open(spec, part, 0, options, out);
    char hint[TRI_NEAREST_HINT];
    return tri_fail(TRI_NOT_FOUND,
                    "'%s' is neither a known data source nor a file or folder%s: give fashion, mnist, cifar10, digits[:N], "
                    "fake:HxWxC:CLASSES[:N], clicks:FEATURES[:N], or the path of data files (a file, a folder, or a glob in quotes)",
                    spec, suggest(spec, length, hint));
}

/* Set what only sparse examples have. The words of Criteo text and of synthetic clicks are always hashed. */
static tri_status set_keys(tri_source *source, const char *spec, const tri_source_options *options)
{
    const bool dense = !source->info.width;
    source->hash_keys = options->hash_keys;
    if (dense && options->hash_keys)
        return tri_fail(TRI_BAD_CALL, "--hash-keys: the examples of %s are dense and have no keys", spec);
    const bool as_many = source->info.shape.rank == 1 && source->info.type == TRI_F32 && source->info.shape.dim[0] == options->features;
    if (dense && options->features > 0 && !as_many)
        return tri_fail(TRI_BAD_CALL, "%" PRId64 " features are expected, and the examples of %s are dense (--features is for sparse data)",
                        options->features, spec);
    if (options->hash_keys && !options->features)
        return tri_fail(TRI_BAD_CALL, "--hash-keys goes with --features N: how many to hash into");
    if (options->hash_keys && (!source->info.features_by || !strcmp(source->info.features_by, TRI_FEATURES_BY_INDEX)))
        source->info.features_by = TRI_FEATURES_BY_HASH;
    return NULL;
}

static tri_status check_label(const tri_source *source, const tri_source_options *options)
{
    if (!options->label || source->info.columns)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--label is for CSV tables, and %s has no columns", source->info.spec);
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
    status = options ? check_label(source, options) : NULL;
    if (!status && options)
        status = set_keys(source, spec, options);
    if (status)
        tri_source_destroy(source);
    else
        *out = source;
    return status;
}
