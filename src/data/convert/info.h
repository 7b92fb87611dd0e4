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
    int64_t features;            /* of a sparse source: of all records that could be read together */
    double lowest, highest, sum; /* of labels that are numbers: over all records that could be read */
    int64_t *class_counts;       /* [classes] records of each class; NULL where classes are unknown */
} tri__part_info;

typedef struct {
    char *spec;         /* as the user typed it */
    const char *format; /* "idx", "tfrecord-clicks", … */
    tri_type type;
    tri_shape shape;    /* of one example */
    bool several_sizes; /* photos: shape is that of the first, and others have others */
    int64_t width;      /* of a sparse source: the most features that one example has; 0 where examples are dense */
    tri_label_kind labels;
    int64_t outputs; /* of labels that are no classes */
    int64_t classes;
    char **class_names;             /* [classes], or NULL */
    tri_numbering numbering;        /* of classes by the labels in the files, where they are numbers */
    char *note;                     /* what is left out, or NULL */
    tri__part_info part[TRI_PARTS]; /* by tri_part */
} tri__info;

/* Calls while a source is looked through; either function may be NULL. */
typedef struct {
    void (*progress)(void *context, int64_t done, int64_t all); /* records of the part that is being read, now and then */
    void (*damage)(void *context, const char *message);         /* a record that cannot be read: file, record, byte offset, advice */
    void *context;
} tri__info_watch;

/* Look through both parts of a source. A source without one of them is fine; one without both is an error. watch may be NULL. */
TRI_MUST_CHECK tri_status tri__data_info(const char *spec, const tri_source_options *options, const tri__info_watch *watch, tri__info *out);
void tri__info_fini(tri__info *info);

#endif
