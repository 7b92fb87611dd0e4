/* dataset.h: where examples come from, and how they become batches.
 *
 * A source knows examples by record number. A dataset drives a source by an order that depends on the seed and the epoch alone, and gives
 * batches of one size: a shorter last batch is padded with rows of weight 0. Its position is the number of examples consumed.
 *
 * A dataset goes through its examples in that order. Where a coordinator divides the work among workers that come and go, the caller
 * assigns each batch instead (options.assigned), by the position of its step and by this worker's slice of that step. */
#ifndef TRIREME_DATASET_H
#define TRIREME_DATASET_H

#include <signal.h>

#include "trireme/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tri_source tri_source;
typedef struct tri_dataset tri_dataset;

/* What the numbers of LIBSVM text mean, and the labels of click records. A whole file shows this, but a few lines may not. So a source can
 * be read with the numbering of another one (tri_source_options). */
typedef struct {
    int64_t first_index; /* the index of feature 0: 0 or 1; −1 where it is not known */
    int64_t first_label; /* the label of class 0 */
    int64_t label_step;  /* from one class's label to the next: 2 where labels are −1 and +1, or 2 and 4; 0: the numbering is not known */
    int64_t classes;
} tri_numbering;

/* How the features of text got their numbers. A model knows features by number: it can only use text that numbers them as its training
 * examples did. Click records and made-up clicks fit all of these. */
#define TRI_FEATURES_BY_INDEX  "index, as in LIBSVM text"
#define TRI_FEATURES_BY_HASH   "hashes of indices, by --hash-keys"
#define TRI_FEATURES_BY_COLUMN "hashes of columns and categories, as in Criteo text"
#define TRI_FEATURES_BY_NAME   "names of columns, as in a CSV table"

typedef struct {
    const char *spec;               /* as the user typed it */
    const char *format;             /* "idx", "cifar10", "digits", "fake", … */
    tri_type type;                  /* of one element: TRI_U8 or TRI_F32 */
    tri_shape shape;                /* of one example: height × width × channels, or features */
    bool unlabelled;                /* nothing is known about classes: all labels are 0 (labels_optional) */
    bool by_folder;                 /* photos whose classes are their folders, in the order of the folders' names */
    bool several_sizes;             /* photos of several sizes are resized to shape (any_size) */
    int64_t width;                  /* of a sparse source: the most features that one example has; 0 where examples are dense */
    bool stream;                    /* standard input: read once, in its order; the number of examples is not known */
    int64_t examples;               /* 0 for a stream */
    tri_label_kind labels;          /* what each example is labelled with */
    int64_t outputs;                /* where labels are numbers or a set: how many numbers a label has; 0 elsewhere */
    int64_t classes;                /* 0 where unknown, and where labels are not classes */
    const char *const *class_names; /* classes entries, or NULL */
    tri_numbering numbering;        /* of LIBSVM text and click records */
    const char *columns;            /* of a CSV table: what each column means to a model, as JSON text; NULL elsewhere */
    const char *features_by;        /* how features of text got their numbers (TRI_FEATURES_…); NULL: not known */
    int64_t bytes;                  /* on disk; 0 for synthetic sources */
    int64_t files;
    const char *note; /* a sentence about what was found beside the examples and is left out; NULL where there was nothing */
} tri_source_info;

/* A source may have a validation part and a test part. Where it has only one of the two, that is its test part. */
typedef enum { TRI_PART_TRAIN, TRI_PART_TEST, TRI_PART_VALIDATION } tri_part;

typedef struct {
    uint64_t seed;            /* of synthetic sources; their records depend on it and the record number alone */
    const char *cache_folder; /* where fetched data sets are, and inflated copies go; NULL has none and keeps none */
    const char *data_folder;  /* where packages of the system put data sets; NULL is TRI_DATA_FOLDER */
    int64_t height, width;    /* photos are resized to this; 0: they are not resized, and all must have one size, unless any_size is set */
    bool grey;                /* photos have one channel, their brightness, instead of red, green and blue */
    bool any_size;            /* photos may have several sizes, and are resized to the size of the first; for looking through them */
    /* To predict: photos may lie in no folder of a class; then the source is unlabelled. The rows of a table may have no label, or an
     * unknown one: then a class is -1, and a number is NaN. */
    bool labels_optional;
    int64_t features;        /* of sparse sources: how many features there are, or numbers to hash them into; 0: what the source shows */
    int64_t classes, fields; /* of sparse sources: an example of another class, or with more features, is damaged; 0 allows any */
    tri_label_kind labels;   /* what the model learns. A source that has only classes gives classes all the same; a source whose labels
                                 are not classes gives numbers */
    int64_t outputs;         /* where labels are a set: how many labels there are; 0: what the source shows */
    bool hash_keys;          /* of sparse sources: indices are any numbers, of 64 bits in records, and are hashed into `features` */
    tri_numbering numbering; /* of LIBSVM text: the numbering of the training examples, for examples that a trained model is to read */
    const char *label;       /* of a CSV table: the column of the label, or columns "a,b", by name or by number from 1; NULL: as found */
    const char *columns;     /* of a CSV table: info.columns of the training examples, so that categories have the same places */
    bool stream;             /* "-" may be opened: standard input, read once, in its order */
    const volatile sig_atomic_t *stop; /* a stream ends when *stop is no longer 0; NULL: only where the input ends */
} tri_source_options;

#define TRI_DATA_FOLDER "/usr/share/datasets"

/* Open spec: a known name, `-` where options->stream allows it, `digits[:N]`, `fake:HxWxC:CLASSES[:N]`, `clicks:FEATURES[:N]`, or files,
 * recognised by what they hold: a path, a folder or a glob. options may be NULL. TRI_NOT_FOUND where the source has no such part. */
TRI_MUST_CHECK tri_status tri_source_open(const char *spec, tri_part part, const tri_source_options *options, tri_source **out);

/* Examples in arrays of yours, which must outlive the source: nothing is copied. */
typedef struct {
    const char *name;               /* for messages; NULL is "arrays" */
    tri_type type;                  /* of x: TRI_U8 or TRI_F32 */
    tri_shape shape;                /* of one example: height × width × channels, or features */
    int64_t examples;               /* at least 1 */
    const void *x;                  /* [examples][…shape] */
    const int32_t *labels;          /* [examples] classes, from 0; NULL: targets, or the examples are unlabelled */
    int64_t classes;                /* 0: the largest label + 1 */
    const char *const *class_names; /* [classes], or NULL */
    const float *targets;           /* [examples][outputs] in place of labels: finite numbers; with `sets` each is 0 or 1 */
    int64_t outputs;                /* with targets: how many each example has, at least 1 */
    bool sets;                      /* targets say which of `outputs` labels hold (TRI_LABEL_SET) */
} tri_arrays;

TRI_MUST_CHECK tri_status tri_source_from_arrays(const tri_arrays *arrays, tri_source **out);

void tri_source_destroy(tri_source *source);                          /* accepts NULL */
const tri_source_info *tri_source_describe(const tri_source *source); /* lives as long as source */

/* Write count examples of a dense source, given by record number: x gets the examples, one after another, and labels their classes.
 * tri_source_read_targets is for a source whose labels are numbers or sets: targets gets them, [count][outputs]. Any thread may call. To go
 * through a whole source, a dataset is quicker. */
TRI_MUST_CHECK tri_status tri_source_read(tri_source *source, const int64_t *records, int64_t count, void *x, int32_t *labels);
TRI_MUST_CHECK tri_status tri_source_read_targets(tri_source *source, const int64_t *records, int64_t count, void *x, float *targets);

typedef struct {
    int64_t rows;           /* the batch size; every buffer has this many rows */
    int64_t count;          /* rows that hold an example: the first ones. The others have weight 0 */
    int64_t damaged;        /* how many of these `count` rows have a damaged record: they have weight 0, too */
    int64_t epoch;          /* of all its examples, from 0 */
    tri_type type;          /* of x */
    const void *x;          /* [rows][…shape]; NULL where the examples are scattered or sparse */
    const void *const *at;  /* [rows] where each example stands, […shape]; NULL where x or keys have the examples */
    const int64_t *offsets; /* sparse: [rows + 1] row i has the features offsets[i] … offsets[i + 1] − 1; NULL elsewhere */
    const int32_t *keys;    /* sparse: [offsets[rows]] the numbers of the features that are there */
    const float *values;    /* sparse: [offsets[rows]] the value of each of these features */
    const int32_t *labels;  /* [rows] classes, of mixed examples the one with the largest share; 0 where labels are numbers or sets */
    const float *targets;   /* [rows][outputs] where labels are numbers or sets, or examples of classes are mixed; NULL elsewhere */
    int64_t outputs;        /* of targets */
    const float *weights;   /* [rows] */
    const int64_t *ids;     /* [rows] record numbers; random numbers of an example are keyed by them */
} tri_batch;

typedef struct {
    int64_t batch;
    uint64_t seed;
    int64_t shuffle; /* window in examples; 0 keeps the source's order; TRI_SHUFFLE_ALL permutes the whole epoch */
    int64_t limit;   /* use the first examples only; 0 is all */
    bool sample;     /* with limit: use `limit` examples from all over the source, drawn by the seed; the same ones in every epoch */
    int64_t epochs;  /* after this many tri_dataset_next gives NULL; 0 repeats for ever */
    bool in_place;   /* where the source's examples stand in memory, batches point to them (`at`) instead of copying */

    int worker, workers; /* this worker's number, from 0, of `workers` (0 is 1) that share every step */
    bool assigned;       /* the caller assigns every batch by tri_dataset_assign, which names worker and workers each time */
    bool own_files;      /* the source has only this worker's own files, and the worker goes through all of them */
    int64_t skip_bad;    /* up to this many damaged records are left out, with weight 0; more are an error */
    bool prompt;         /* of a stream: a batch ends with what has arrived, instead of waiting until it is full */

    const float *class_weights; /* [the source's classes] above 0: what an example of each class weighs; NULL: 1. Not for streams */

    /* Change examples at random after the cache: some of these words with commas between them; NULL: leave them as they are. "flip",
     * "crop", "rotate" and "colour" change pictures. "mixup" or "mixup:ALPHA" mixes each example with another one of the source, and their
     * labels: numbers and sets are mixed as x is; of classes, targets has the share of each, [rows][mixed_classes]. Sparse sources refuse
     * mixup. */
    const char *augment;
    int64_t mixed_classes; /* with mixup, where labels are classes; 0 is the number of the source's classes */

    bool cache;               /* keep decoded examples, so that epochs after the first decode nothing */
    int64_t cache_bytes;      /* memory for the cache; 0 is half of what is available */
    const char *cache_folder; /* examples beyond cache_bytes go to a temporary file in this folder; NULL: they are not kept */

    int readers;    /* threads that read and decode; 0: as many as it takes */
    int64_t bytes;  /* memory for batches that are made ahead; 0 is 256 MB */
    double timeout; /* seconds after which a batch that does not come is an error; 0 is 300 */
} tri_dataset_options;

#define TRI_SHUFFLE_ALL   INT64_MAX
#define TRI_MOST_ASSIGNED 64

/* The source is borrowed and must outlive the dataset. One thread calls a dataset. */
TRI_MUST_CHECK tri_status tri_dataset_create(tri_source *source, const tri_dataset_options *options, tri_dataset **out);
void tri_dataset_destroy(tri_dataset *dataset); /* accepts NULL */

/* The next batch, or NULL at the end. It is borrowed until the next call. A batch may have no examples: where several workers share a short
 * step, and where a stream has been quiet for a second, so that the caller can do other things and call again. After a failure the next
 * call tries the same batch again. Where batches are assigned, it gives the first one that was not taken; TRI_BAD_CALL where there is
 * none. */
TRI_MUST_CHECK tri_status tri_dataset_next(tri_dataset *dataset, const tri_batch **out);

int64_t tri_dataset_examples(const tri_dataset *dataset); /* in one epoch; 0 of a stream */
int64_t tri_dataset_position(const tri_dataset *dataset); /* examples given out since the very start, to all workers together */
int64_t tri_dataset_damaged(const tri_dataset *dataset);  /* records found damaged and left out so far, each counted once */
TRI_MUST_CHECK tri_status tri_dataset_seek(tri_dataset *dataset, int64_t position); /* not where batches are assigned */

/* With options.assigned: assign one more batch, behind those assigned so far. The step at position is divided among `workers`, and the
 * batch is the slice of `worker`. Any position before the end, in any order. TRI_BAD_CALL where TRI_MOST_ASSIGNED batches are assigned and
 * not taken. tri_dataset_position gives the position of the batch that was taken last. */
TRI_MUST_CHECK tri_status tri_dataset_assign(tri_dataset *dataset, int64_t position, int worker, int workers);
void tri_dataset_revoke(tri_dataset *dataset); /* forget assigned batches that were not taken; the batch taken last stays valid */

/* How many batches, the next one included, should be assigned so that the dataset can make them ahead. The number may change later. */
int tri_dataset_ahead(const tri_dataset *dataset);

#ifdef __cplusplus
}
#endif
#endif
