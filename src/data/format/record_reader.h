/* record_reader.h: one record of TFRecord files found by its number, and its features; what sources of clicks and of pictures share. */
#ifndef TRI_DATA_FORMAT_RECORD_READER_H
#define TRI_DATA_FORMAT_RECORD_READER_H

#include "data/format/tf_example.h"
#include "data/format/tfrecord.h"
#include "data/photo/decode.h"
#include "data/photo/resize.h"
#include "data/source/file_source.h"
#include "data/source/labels.h"

/* The features that are looked for, in the order of tri__record_features. */
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

/* The facts that an index keeps of a file, as far as its records are sound: 0 where there are none. */
enum {
    TRI_RECORD_FACT_KIND,
    TRI_RECORD_FACT_CLASSES,                       /* the largest label + 1 */
    TRI_RECORD_FACT_WIDEST,                        /* clicks: the most features of a record */
    TRI_RECORD_FACT_KEYS,                          /* clicks: the largest index + 1 */
    TRI_RECORD_FACT_OUTPUTS,                       /* clicks: the most numbers of a label */
    TRI_RECORD_FACT_LOW,                           /* clicks: TRI_MOST_LABELS − the lowest label; 0 where none has one */
    TRI_RECORD_FACT_MOST,                          /* facts up to here are the largest of all records' */
    TRI_RECORD_FACT_LABELS = TRI_RECORD_FACT_MOST, /* clicks: which labels occur (tri__labels), a union of bits */
    TRI_RECORD_FACT_NO_CLASSES,                    /* clicks: how many have a label that is a number, and no class */
    TRI_RECORD_FACTS
};

typedef struct {
    tri__file_source base;
    bool grey;          /* encoded pictures have one channel */
    bool resized;       /* pictures: whatever size they have, they are brought to the shape */
    char **class_names; /* pictures: [classes], or NULL */
} tri__records;

typedef struct {
    tri__reader reader;
    tri__tf_example_query query;
    tri__feature found[TRI_RECORD_FEATURES];
    tri__tfrecord_file file;     /* of the record … */
    tri__record record;          /* … that was found last */
    int64_t *keys;               /* clicks: [width] */
    tri__photo_decoder *decoder; /* pictures */
    tri__resizer resizer;
} tri__record_reader;

/* Of a source whose info is whole: a reader of clicks where it has a width, else one of pictures. */
TRI_MUST_CHECK tri_status tri__record_reader_create(tri_source *source, tri__reader **out);
void tri__record_reader_destroy(tri__reader *reader);

/* Find a record, verify its checksum, and find its features. */
TRI_MUST_CHECK tri_status tri__record_find(tri__record_reader *reader, int64_t number);

/* The record that was found last is not as it should be: "file: record 17 at byte 5132: what (advice)". */
TRI_MUST_CHECK tri_status tri__record_damaged(const tri__record_reader *reader, const char *what);

/* A label, an integer or a float that is one; −1 where it is none or is no class. */
int64_t tri__record_label(const tri__feature *feature);

/* The numbers of a click's label: how many there are, of which the first room go to numbers. */
int64_t tri__record_click_numbers(const tri__feature *feature, float *numbers, int64_t room);

/* The label of a click, any number; NaN where there is none. */
double tri__record_click_label(const tri__feature *feature);

#endif
