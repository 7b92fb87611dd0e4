/* record_files.h: files of records, each with its index. Record numbers run on through all files. */
#ifndef TRI_DATA_FILE_RECORD_FILES_H
#define TRI_DATA_FILE_RECORD_FILES_H

#include "data/file/index.h"

typedef struct {
    char *path;
    tri__content content;
    tri__index index;
    int64_t first; /* the number of its first record */
} tri__record_file;

typedef struct {
    size_t count;
    tri__record_file *files; /* [count] */
    int64_t records;
    int64_t bytes; /* on disk */
} tri__record_files;

/* Open and index files, plain or compressed. A zeroed tri__record_files is empty. */
TRI_MUST_CHECK tri_status tri__record_files_open(const char *const *paths, size_t count, const tri__index_format *format,
                                                 const char *cache_folder, tri__record_files *out);
void tri__record_files_fini(tri__record_files *files);

/* The file that has the record. The record's index in that file is record − first. */
const tri__record_file *tri__record_files_find(const tri__record_files *files, int64_t record);

#endif
