/* file_format.h: a format of data files: how to recognise such files by what they hold, and how to make a source of them. */
#ifndef TRI_DATA_SOURCE_FILE_FORMAT_H
#define TRI_DATA_SOURCE_FILE_FORMAT_H

#include "data/source/source.h"

typedef struct {
    const char *const *paths; /* [count], sorted by bytes */
    size_t count;
} tri__file_list;

typedef struct tri__file_format tri__file_format;

/* All files of a data set. Paths live only as long as the call that they are passed to. */
typedef struct {
    const char *spec;               /* what the user gave */
    tri__file_list part[TRI_PARTS]; /* by tri_part; all parts, as they often must agree on classes and features */
    int64_t classes;                /* if the caller knows it; 0: take it from the files */
    const tri__file_format *format; /* of all files; NULL if there are several formats, which may be mixed */
} tri__file_set;

size_t tri__file_set_count(const tri__file_set *set); /* files of all parts */

#define TRI_FILE_HEAD 16

enum { TRI_FILE_MARKS = 4 };

/* A format of files. To add one: write its .c and .h, which export such a struct, and its test; then add it to the table in
 * data/open/files.c. No other code lists the formats. */
struct tri__file_format {
    const char *name;        /* for messages: "TFRecord" */
    const char *description; /* for messages that list all formats: "IDX images and labels, plain or .gz"; NULL: another covers it */
    const char *marks[TRI_FILE_MARKS]; /* ends with NULL. If no format recognises a file's content and its name contains one of these, in
                                        * any case, it is of this format. So damage is reported as damage */
    bool (*is)(const uint8_t *head, size_t size);  /* head: all of a plain file, or the first 4 kB of what a compressed file inflates to */
    const struct tri__file_source_format *records; /* how to read files of records (file_source.h); then open is NULL */
    /* Make a source of files that are not records. Formats with the same function may be mixed. */
    tri_status (*open)(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out);
    bool by_folder;    /* only folders say to which part a file belongs, not file names */
    bool aside;        /* such a file in a folder with files of other formats is not data, and is left out */
    bool parts_inside; /* a file may hold several parts: if no file belongs to a part, it is looked for in those of the train part */
    bool by_head;      /* the first TRI_FILE_HEAD bytes are enough to recognise such a file */
};

/* The part that a file belongs to by a word of its name: "t10k-images", "a9a.t", "validation-00000-of-00008". */
tri_part tri__file_part(const char *name);

/* The part of a folder, by its whole name ("test", "val2"), as a class may be called "test tubes". */
tri_part tri__folder_part(const char *name);

#endif
