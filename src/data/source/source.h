/* source.h: what every kind of source is made of.
 *
 * Record numbers identify the examples of a source. A kind embeds tri_source as its first member and fills in info. Examples are read
 * through readers. A reader belongs to one thread and holds what decoding needs, so many threads can read one source at once. If the
 * examples are in memory one after another, the source sets `resident_x` and `resident_labels`: then the caller's thread takes them from
 * there. The examples of all other sources are read ahead by threads. */
#ifndef TRI_DATA_SOURCE_SOURCE_H
#define TRI_DATA_SOURCE_SOURCE_H

#include <stdatomic.h>

#include "trireme/dataset.h"

#define TRI_SOURCE_WORDS "fashion mnist cifar10 digits" /* those that a name is enough for, to complete command lines with */

enum { TRI_PARTS = 3 }; /* how many values tri_part has */

typedef struct {
    tri_source *source;
} tri__reader;

/* Where one example is written. A dense source needs x; a sparse source needs keys, values and count. */
typedef struct {
    uint8_t *x;     /* dense: [example_bytes] */
    int32_t *keys;  /* sparse: [info.width] */
    float *values;  /* sparse: [info.width] */
    int64_t *count; /* sparse: how many features there are; keys and values after them mean nothing */
    int32_t *label; /* the class; not written if labels are not classes */
    float *targets; /* [info.outputs], if labels are not classes */
} tri__example_target;

/* The result of waiting for an example of a stream. */
typedef enum { TRI_AWAITED_EXAMPLE, TRI_AWAITED_NOTHING, TRI_AWAITED_END } tri__awaited;

typedef struct {
    /* Read one example. The caller has checked the record number. TRI_BAD_DATA if the record is damaged; any other failure means that the
     * source cannot be read. */
    tri_status (*read)(tri__reader *reader, int64_t record, const tri__example_target *to);
    tri_status (*reader_create)(tri_source *source, tri__reader **out); /* NULL if readers need no state of their own */
    void (*reader_destroy)(tri__reader *reader);                        /* with reader_create */
    /* For a stream: wait for the next example. The next read gives that example, whatever the record number. info.width is large enough for
     * it. */
    tri_status (*await)(tri_source *source, int64_t nanoseconds, tri__awaited *out);
    int32_t (*class_of)(const tri_source *source, int64_t record);    /* without reading; −1 if unknown. NULL: always unknown */
    const char *(*file_of)(const tri_source *source, int64_t record); /* the record's file, for messages; NULL if there are no files */
    void (*destroy)(tri_source *source);                              /* also frees source itself */
} tri__source_kind;

struct tri_source {
    const tri__source_kind *kind;
    tri_source_info info;           /* tri_source_open sets spec; tri_source_destroy frees spec and note */
    size_t example_bytes;           /* size of one example */
    int64_t fields;                 /* sparse: an example with more features is damaged; 0: any number is allowed */
    const uint8_t *resident_x;      /* [examples][example_bytes]; NULL if read makes the examples */
    const uint8_t *resident_labels; /* [examples], with resident_x */
    bool hash_keys;                 /* read hashes indices into the features of info.shape */
    atomic_int holders;             /* calls of tri__source_hold that tri_source_destroy has not undone yet */
};

/* Let source live until tri_source_destroy was called once more: for threads that may still read when its owner has destroyed it. */
void tri__source_hold(tri_source *source);

/* Set info's type to bytes, its shape, and example_bytes. Fails if the shape, which may come from outside, is too large. */
TRI_MUST_CHECK tri_status tri__source_set_shape(tri_source *source, tri_shape shape);

/* Labels are not classes: each example has `outputs` numbers, which are real numbers or a set. */
void tri__source_set_targets(tri_source *source, tri_label_kind labels, int64_t outputs);

/* Set the info of a sparse source: its features are floats, at most width of them in an example. The number of features is
 * options->features or, if that is 0, shown. */
void tri__source_set_sparse(tri_source *source, const char *format, int64_t shown, int64_t width, int64_t classes,
                            const tri_source_options *options);

/* TRI_BAD_CALL if the source numbers its features in another way than features_by, which is that of the model's training examples.
 * trained_on: the spec of these, for the message. */
TRI_MUST_CHECK tri_status tri__features_fit(const tri_source_info *source, const char *features_by, const char *trained_on);

/* For --grey: TRI_BAD_CALL if the source's examples do not have one channel. */
TRI_MUST_CHECK tri_status tri__source_check_grey(const tri_source_info *source);

/* Create a reader for one thread; the source must outlive it. */
TRI_MUST_CHECK tri_status tri__reader_create(tri_source *source, tri__reader **out);
void tri__reader_destroy(tri__reader *reader); /* accepts NULL */

/* The file that holds a record; NULL if there are no files. */
const char *tri__source_file(const tri_source *source, int64_t record);

/* The class of a record, if it is known without reading the example; otherwise −1. */
int32_t tri__source_class(const tri_source *source, int64_t record);

/* The `read` function of kinds whose examples are in memory. */
tri_status tri__source_read_resident(tri__reader *reader, int64_t record, const tri__example_target *to);

/* Copy the source's class names: [classes], or NULL if it has none. Free them with tri__class_names_free, also after a failure. */
TRI_MUST_CHECK tri_status tri__class_names_copy(const tri_source_info *info, char ***out);
void tri__class_names_free(char **names, int64_t classes); /* accepts NULL, and names that are NULL */

/* How many test examples a synthetic source has. examples: its training examples. */
static inline int64_t tri__source_test_share(int64_t examples)
{
    return examples >= 6 ? examples / 6 : 1;
}

/* Parse a whole number above 0, up to limit, at *text, and move *text past it. False if there is none. */
bool tri__source_parse_count(const char **text, int64_t limit, int64_t *out);

#endif
