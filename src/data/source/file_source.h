/* file_source.h: what sources over files of records share: files, their indices, and the facts in these indices.
 *
 * A format says how to index a file, how to merge the facts of several files, and how to describe a source from these facts. */
#ifndef TRI_DATA_SOURCE_FILE_SOURCE_H
#define TRI_DATA_SOURCE_FILE_SOURCE_H

#include "data/file/record_files.h"
#include "data/source/file_format.h"

typedef struct {
    tri_source source;
    tri__record_files files;
} tri__file_source;

typedef struct tri__file_source_format {
    size_t size; /* of the format's source struct, whose first member is a tri__file_source */
    tri__index_format index;
    const tri__source_kind *kind;
    /* Merge the facts of one more file into those of all before it. NULL: there are no facts, and other parts are not opened. */
    tri_status (*merge)(int64_t *facts, const tri__record_file *file);
    /* Fill in the info of the source; examples, bytes and files are set already. facts: of all parts, as all parts must agree. */
    tri_status (*describe)(tri__file_source *self, const tri__file_set *set, const int64_t *facts, const tri_source_options *options);
} tri__file_source_format;

/* Open the files of a part, index those that are not indexed yet, and make a source of them. */
TRI_MUST_CHECK tri_status tri__file_source_open(const tri__file_source_format *format, const tri__file_set *set, tri_part part,
                                                const tri_source_options *options, tri_source **out);

/* For the tri__source_kind of such sources. */
const char *tri__file_source_path(const tri_source *source, int64_t record);
void tri__file_source_destroy(tri_source *source);

#endif
