/* info.h: what is in a source, found by reading all of it. */
#ifndef TRI_DATA_INFO_H
#define TRI_DATA_INFO_H

#include "trireme/dataset.h"

typedef struct {
    bool present; /* the source has this part */
    int64_t records;
    int64_t bytes; /* on disk; 0 for synthetic sources */
    int64_t files;
    int64_t damaged;       /* records that could not be read, or whose class is out of range */
    int64_t *class_counts; /* [classes] records of each class; NULL where classes are unknown */
} tri__part_info;

typedef struct {
    char *spec;         /* as the user typed it */
    const char *format; /* "idx", "cifar10", "digits", "fake" */
    tri_type type;
    tri_shape shape; /* of one example */
    int64_t classes;
    char **class_names;     /* [classes], or NULL */
    tri__part_info part[2]; /* by tri_part */
} tri__info;

/* Look through both parts of a source. A source without one of them is fine; one without both is an error. */
TRI_MUST_CHECK tri_status tri__data_info(const char *spec, const tri_source_options *options, tri__info *out);
void tri__info_fini(tri__info *info);

#endif
