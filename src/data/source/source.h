/* source.h: what every kind of source is made of.
 *
 * A source knows examples by record number. A kind embeds tri_source as its first member and fills in info. Examples are read through
 * readers: each belongs to one thread and holds what decoding needs there, so that many threads read one source at once. Where the examples
 * stand in memory one after another, the source says so in `resident_x` and `resident_labels`: then a dataset takes them from there itself,
 * without a thread; all other sources are read ahead. */
#ifndef TRI_DATA_SOURCE_SOURCE_H
#define TRI_DATA_SOURCE_SOURCE_H

#include <stdatomic.h>

#include "trireme/dataset.h"

#define TRI_SOURCE_WORDS "fashion mnist cifar10 digits" /* those that a name is enough for, to complete command lines with */

enum { TRI_PARTS = 3 }; /* of tri_part */

typedef struct {
    tri_source *source;
} tri__reader;

/* Where one example is written to. A dense source needs x, a sparse one keys and values. */
typedef struct {
    uint8_t *x;     /* dense: [example_bytes] */
    int32_t *keys;  /* sparse: room for info.width features … */
    float *values;  /* … and for their values */
    int64_t *count; /* sparse: how many features there are; what stands behind them means nothing */
    int32_t *label; /* its class; not written where labels are no classes */
    float *targets; /* where they are not: [info.outputs] */
} tri__example_target;

/* What became of waiting for an example of a stream. */
typedef enum { TRI_AWAITED_EXAMPLE, TRI_AWAITED_NOTHING, TRI_AWAITED_END } tri__awaited;

typedef struct {
    /* One example, by a record number that has been checked. TRI_BAD_DATA where it is damaged; other failures are of the source. */
    tri_status (*read)(tri__reader *reader, int64_t record, const tri__example_target *to);
    tri_status (*reader_create)(tri_source *source, tri__reader **out); /* NULL where readers hold nothing of their own */
    void (*reader_destroy)(tri__reader *reader);                        /* with reader_create */
    /* Of a stream: wait for the next example, which read gives then, whatever the record number. info.width is as much as it may need. */
    tri_status (*await)(tri_source *source, int64_t nanoseconds, tri__awaited *out);
    int32_t (*class_of)(const tri_source *source, int64_t record);    /* known without reading; −1: it is not. NULL: it never is */
    const char *(*file_of)(const tri_source *source, int64_t record); /* for messages: where it is; NULL where there are no files */
    void (*destroy)(tri_source *source);                              /* frees source itself, too */
} tri__source_kind;

struct tri_source {
    const tri__source_kind *kind;
    tri_source_info info;           /* its spec is filled in and owned by tri_source_open, which frees its note as well */
    size_t example_bytes;           /* of one example */
    int64_t fields;                 /* sparse: examples with more features are damaged; 0: any number */
    const uint8_t *resident_x;      /* [examples][example_bytes]; NULL where examples are made by read */
    const uint8_t *resident_labels; /* [examples], with resident_x */
    bool hash_keys;                 /* read hashes indices into the features of info.shape */
    atomic_int holders;             /* besides the one who opened it */
};

/* Let source live until it has been destroyed once more: by a thread that may still be reading when its owner has gone. */
void tri__source_hold(tri_source *source);

/* Set info's type and shape to bytes of this shape, and example_bytes with them; shapes from outside may be too large. */
TRI_MUST_CHECK tri_status tri__source_set_shape(tri_source *source, tri_shape shape);

/* Labels are so many numbers an example, real ones or a set, and no classes. */
void tri__source_set_targets(tri_source *source, tri_label_kind labels, int64_t outputs);

/* The info of a sparse source: features of floats, at most width of them in an example. The number of features is what options ask for, or
 * else shown. */
void tri__source_set_sparse(tri_source *source, const char *format, int64_t shown, int64_t width, int64_t classes,
                            const tri_source_options *options);

/* TRI_BAD_CALL where the features of the examples are not numbered as those that the model was trained on (info.features_by), which were
 * in trained_on. */
TRI_MUST_CHECK tri_status tri__features_fit(const tri_source_info *source, const char *features_by, const char *trained_on);

/* TRI_BAD_CALL where --grey was given for a source whose examples have not one channel all the same. */
TRI_MUST_CHECK tri_status tri__source_check_grey(const tri_source_info *source);

/* A reader for one thread; the source must outlive it. */
TRI_MUST_CHECK tri_status tri__reader_create(tri_source *source, tri__reader **out);
void tri__reader_destroy(tri__reader *reader); /* accepts NULL */

/* The file that a record stands in; NULL where there are no files. */
const char *tri__source_file(const tri_source *source, int64_t record);

/* The class of a record, where it is known without reading the example; −1 elsewhere. */
int32_t tri__source_class(const tri_source *source, int64_t record);

/* The read of a kind whose examples stand in memory. */
tri_status tri__source_read_resident(tri__reader *reader, int64_t record, const tri__example_target *to);

/* A copy of the source's class names, [classes]; NULL where it has none. End it with tri__class_names_free, also after a failure. */
TRI_MUST_CHECK tri_status tri__class_names_copy(const tri_source_info *info, char ***out);
void tri__class_names_free(char **names, int64_t classes); /* accepts NULL, and names that are NULL */

/* How many test examples a synthetic source has that has this many training examples. */
static inline int64_t tri__source_test_share(int64_t examples)
{
    return examples >= 6 ? examples / 6 : 1;
}

/* A whole number above 0 at *text, up to limit; moves *text behind it. False where there is none. */
bool tri__source_parse_count(const char **text, int64_t limit, int64_t *out);

#endif
