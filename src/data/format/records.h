/* records.h: sources over TFRecord files that hold tf.Examples: pictures, or clicks. Which they are is plain from their features:
 *
 *   pictures   image/encoded (a JPEG photo), or image/raw with image/height, image/width and image/channels; image/class/label, and
 *              image/class/text if there is one
 *   clicks     index (integers), value (as many floats; left out: all 1), label
 *
 * A place where the framing of a file is damaged is a record that cannot be read, and that file's last one. */
#ifndef TRI_DATA_FORMAT_RECORDS_H
#define TRI_DATA_FORMAT_RECORDS_H

#include "data/format/example.h"
#include "data/format/tfrecord.h"
#include "data/photo/jpeg/jpeg.h"
#include "data/photo/resize.h"
#include "data/source/file_format.h"
#include "data/text/lines.h"

/* Open one part of a set of TFRecord files. */
TRI_MUST_CHECK tri_status tri__records_open(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out);

/* What follows is shared by records.c, record_clicks.c and record_images.c. */

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
    TRI_RECORD_FACT_CLASSES, /* the largest label + 1 */
    TRI_RECORD_FACT_WIDEST,  /* clicks: the most features of a record */
    TRI_RECORD_FACT_KEYS,    /* clicks: the largest index + 1 */
    TRI_RECORD_FACTS
};

typedef enum { TRI_RECORD_UNKNOWN, TRI_RECORD_CLICKS, TRI_RECORD_IMAGES } tri__record_kind;

typedef struct {
    tri_source source;
    tri__lines files;
    bool resized;       /* pictures: whatever size they have, they are brought to the shape */
    char **class_names; /* pictures: [classes], or NULL */
} tri__records;

typedef struct {
    tri__reader reader;
    tri__example_wish wish;
    tri__feature found[TRI_RECORD_FEATURES];
    tri__tfrecord_file file; /* of the record … */
    tri__record record;      /* … that was found last */
    int64_t *keys;           /* clicks: [width] */
    tri__jpeg *jpeg;         /* pictures */
    tri__resizer resizer;
} tri__record_reader;

/* Find a record, verify its checksum, and find its features. */
TRI_MUST_CHECK tri_status tri__record_find(tri__record_reader *reader, int64_t number);

/* The record that was found last is not as it should be: "file: record 17 at byte 5132: what (advice)". */
TRI_MUST_CHECK tri_status tri__record_damaged(const tri__record_reader *reader, const char *what);

/* A label, an integer or a float that is one; −1 where it is none or is no class. */
int64_t tri__record_label(const tri__feature *feature);

/* What each of the two kinds does: settle shape and width, and read. */
TRI_MUST_CHECK tri_status tri__record_clicks_settle(tri__records *self, const int64_t *facts, const tri_source_options *options);
TRI_MUST_CHECK tri_status tri__record_clicks_read(tri__reader *reader, int64_t number, const tri__place *to);
TRI_MUST_CHECK tri_status tri__record_images_settle(tri__records *self, tri__record_reader *reader, const tri_source_options *options);
TRI_MUST_CHECK tri_status tri__record_images_read(tri__reader *reader, int64_t number, const tri__place *to);

#endif
