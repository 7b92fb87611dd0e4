/* record_reader.h: finds a record of TFRecord files by its number, and the features in it; sources of clicks and of pictures share this. */
#ifndef TRI_DATA_FORMAT_RECORD_READER_H
#define TRI_DATA_FORMAT_RECORD_READER_H

#include "data/format/tf_example.h"
#include "data/format/tfrecord.h"
#include "data/photo/decode.h"
#include "data/photo/resize.h"
#include "data/source/file_source.h"
#include "data/source/labels.h"

/* The features that a reader looks for, in the order of tri__record_features. */
enum {
    TRI_RECORD_INDEX,
    TRI_RECORD_VALUE,
    TRI_RECORD_LABEL,
    TRI_RECORD_ENCODED,
    TRI_RECORD_RAW,
    TRI_RECORD_HEIGHT,
    TRI_RECORD_WIDTH,
    TRI_RECORD_CHANNELS,
    TRI_RECORD_CLASS,
    TRI_RECORD_TEXT,
    TRI_RECORD_FEATURES /* how many there are */
};
extern const char *const tri__record_features[];

/* The facts that an index keeps about the sound records of a file; 0 where there are none. */
enum {
    TRI_RECORD_FACT_KIND,
    TRI_RECORD_FACT_CLASSES,                       /* the largest label + 1 */
    TRI_RECORD_FACT_WIDEST,                        /* clicks: the most features of a record */
    TRI_RECORD_FACT_KEYS,                          /* clicks: the largest index + 1 */
    TRI_RECORD_FACT_OUTPUTS,                       /* clicks: the most numbers of a label */
    TRI_RECORD_FACT_LOW,                           /* clicks: TRI_MOST_LABELS − the lowest label; 0 if no record has a label */
    TRI_RECORD_FACT_MOST,                          /* each fact above is the largest value of all records */
    TRI_RECORD_FACT_LABELS = TRI_RECORD_FACT_MOST, /* clicks: which labels occur (bits of tri__labels) */
    TRI_RECORD_FACT_NO_CLASSES,                    /* clicks: how many records have a label that cannot be a class */
    TRI_RECORD_FACTS
};

typedef struct {
    tri__file_source base;
    bool grey;          /* encoded pictures have one channel */
    bool resized;       /* pictures of any size are resized to the shape */
    char **class_names; /* pictures: [classes], or NULL */
} tri__records;

typedef struct {
    tri__reader reader;
    tri__tf_example_query query;
    tri__feature found[TRI_RECORD_FEATURES];
    tri__tfrecord_file file;     /* of the record that was found last */
    tri__record record;          /* that was found last */
    int64_t *keys;               /* clicks: [width] */
    tri__photo_decoder *decoder; /* pictures */
    tri__resizer resizer;
} tri__record_reader;

/* Create a reader for a source whose info is complete: of clicks if it has a width, otherwise of pictures. */
TRI_MUST_CHECK tri_status tri__record_reader_create(tri_source *source, tri__reader **out);
void tri__record_reader_destroy(tri__reader *reader);

/* Find a record, verify its checksum, and find its features. */
TRI_MUST_CHECK tri_status tri__record_find(tri__record_reader *reader, int64_t number);

/* TRI_BAD_DATA about the record that was found last: "file: record 17 at byte 5132: what (advice)". */
TRI_MUST_CHECK tri_status tri__record_damaged(const tri__record_reader *reader, const char *what);

/* A picture's label, an integer or a whole float; −1 if there is none, or it cannot be a class. */
int64_t tri__record_label(const tri__feature *feature);

/* Write the first numbers of a click's label, up to room. Returns how many there are. */
int64_t tri__record_click_numbers(const tri__feature *feature, float *numbers, int64_t room);

/* The label of a click, any number; NaN if there is none. */
double tri__record_click_label(const tri__feature *feature);

#endif
