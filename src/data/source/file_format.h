/* file_format.h: a format of data files: how it is recognised by what files hold, and how a source is made of them. */
#ifndef TRI_DATA_SOURCE_FILE_FORMAT_H
#define TRI_DATA_SOURCE_FILE_FORMAT_H

#include "data/source/source.h"

typedef struct {
    const char *const *paths; /* [count], sorted by bytes */
    size_t count;
} tri__file_list;

typedef struct tri__file_format tri__file_format;

/* All files of a data set, of one format. Paths live as long as the call that they are handed to. */
typedef struct {
    const char *spec;               /* what the user gave */
    tri__file_list part[TRI_PARTS]; /* by tri_part: all, as classes and features are often those of all together */
    int64_t classes;                /* as the caller knows; 0: as found */
    const tri__file_format *format; /* of all files; NULL where formats that may stand side by side do */
} tri__file_set;

size_t tri__file_set_count(const tri__file_set *set); /* files of all parts */

#define TRI_FILE_HEAD 16

enum { TRI_FILE_MARKS = 4 };

/* A format of files. To add one: write its .c and .h, which export such a description, and its test; then put its name into the table in
 * data/open/files.c. Nothing else knows the formats. */
struct tri__file_format {
    const char *name;                  /* for messages: "TFRecord" */
    const char *description;           /* for messages that list all formats: "IDX images and labels, plain or .gz"; NULL: another has it */
    const char *marks[TRI_FILE_MARKS]; /* the last one is NULL. A file whose name has one of them in it is of this format where its content
                                        * does not say, so that damage is reported as damage; case does not count */
    bool (*is)(const uint8_t *head, size_t size);  /* head: all of a plain file, the first 4 kB of what a compressed one inflates to */
    const struct tri__file_source_format *records; /* where its files are records (file_source.h): how they are read, and open is NULL */
    /* Otherwise: makes a source of the files. Formats that share it may be mixed. */
    tri_status (*open)(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out);
    bool by_folder;    /* only folders say which part a file is of: what files are called means nothing */
    bool aside;        /* beside files of other formats in a folder, such a file is something else: it is left out */
    bool parts_inside; /* a file may hold several parts: where no file is of a part, those of the train part are looked into for it */
    bool by_head;      /* the first TRI_FILE_HEAD bytes are enough to know such a file */
};

/* The part that a file belongs to by a word of its name: "t10k-images", "a9a.t", "validation-00000-of-00008". */
tri_part tri__file_part(const char *name);

/* A folder is a part where its whole name says so ("test", "val2"): a class may be called "test tubes". */
tri_part tri__folder_part(const char *name);

#endif
