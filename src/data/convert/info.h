/* info.h: what is in a source, found by reading all of it. */
#ifndef TRI_DATA_CONVERT_INFO_H
#define TRI_DATA_CONVERT_INFO_H

#include "data/source/source.h"

typedef struct {
    bool present; /* the source has this part */
    int64_t records;
    int64_t bytes; /* on disk; 0 for synthetic sources */
    int64_t files;
    int64_t damaged;             /* records that could not be read, or whose class is out of range */
    int64_t features;            /* sparse: the sum over all records that could be read */
    double lowest, highest, sum; /* of labels that are numbers, over all records that could be read */
    int64_t *class_counts;       /* [classes] records of each class; NULL where classes are unknown */
} tri__part_info;

typedef struct {
    char *spec;         /* as the user typed it */
    const char *format; /* "idx", "tfrecord-clicks", … */
    tri_type type;
    tri_shape shape;    /* of one example */
    bool several_sizes; /* photos: shape is that of the first one; others differ */
    int64_t width;      /* of a sparse source: the most features that one example has; 0 where examples are dense */
    tri_label_kind labels;
    int64_t outputs; /* numbers in a label that is not a class */
    int64_t classes;
    char **class_names;             /* [classes], or NULL */
    tri_numbering numbering;        /* which class each label in the files is, where labels are numbers */
    char *note;                     /* what the source left out, in a sentence; or NULL */
    tri__part_info part[TRI_PARTS]; /* by tri_part */
} tri__info;

/* Functions that are called while a source is read; either may be NULL. */
typedef struct {
    void (*progress)(void *context, int64_t done, int64_t all); /* called now and then; records of the part that is being read */
    void (*damage)(void *context, const char *message);         /* called for each record that cannot be read */
    void *context;
} tri__info_watch;

/* Read all parts of a source. It is an error if it has neither a train nor a test part. watch may be NULL. */
TRI_MUST_CHECK tri_status tri__data_info(const char *spec, const tri_source_options *options, const tri__info_watch *watch, tri__info *out);
void tri__info_fini(tri__info *info);

#endif
