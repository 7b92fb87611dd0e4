/* file_source.h: what sources over files of records share: files, their indices, and the facts that these keep.
 *
 * A format says how a file is indexed, what the facts of several files give together, and what a source of such facts looks like. */
#ifndef TRI_DATA_SOURCE_FILE_SOURCE_H
#define TRI_DATA_SOURCE_FILE_SOURCE_H

#include "data/file/record_files.h"
#include "data/source/file_format.h"

typedef struct {
    tri_source source;
    tri__record_files files;
} tri__file_source;

typedef struct tri__file_source_format {
    size_t size; /* of a source, whose first member is a tri__file_source */
    tri__index_format index;
    const tri__source_kind *kind;
    /* Bring the facts of one more file to those of all before it; NULL: there are none, and other parts are not looked at. */
    tri_status (*merge)(int64_t *facts, const tri__record_file *file);
    /* The source has examples, bytes and files: fill in the rest of its info. facts: of all parts, as they must agree on them. */
    tri_status (*describe)(tri__file_source *self, const tri__file_set *set, const int64_t *facts, const tri_source_options *options);
} tri__file_source_format;

/* Open the files of a part, index them where that was not done before, and make a source of them. */
TRI_MUST_CHECK tri_status tri__file_source_open(const tri__file_source_format *format, const tri__file_set *set, tri_part part,
                                                const tri_source_options *options, tri_source **out);

/* For the kinds of such sources. */
const char *tri__file_source_path(const tri_source *source, int64_t record);
void tri__file_source_destroy(tri_source *source);

#endif
