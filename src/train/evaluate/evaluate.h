/* evaluate.h: measures how good the parameters of a store are on a set of examples. */
#ifndef TRI_TRAIN_EVALUATE_EVALUATE_H
#define TRI_TRAIN_EVALUATE_EVALUATE_H

#include "train/evaluate/confusion.h"
#include "train/evaluate/label_sets.h"
#include "train/evaluate/mistakes.h"
#include "train/options/measure.h"
#include "trireme/dataset.h"
#include "trireme/graph.h"
#include "trireme/store.h"

typedef struct tri__evaluator tri__evaluator;

typedef struct {
    int64_t batch; /* 0: the evaluator chooses */
    int64_t limit; /* evaluate only this many examples, a sample that the seed draws; 0: all */
    uint64_t seed;
    int threads;      /* 0: every CPU */
    int64_t skip_bad; /* this and the next three: as in tri_dataset_options */
    bool cache;
    int64_t cache_bytes;
    const char *cache_folder;
    tri__label_sets *label_sets; /* a model of sets counts its labels here; borrowed; NULL: the evaluator counts for itself */
    tri__confusion *confusion;   /* a model of classes counts its guesses here; borrowed; NULL: not wanted */
    tri__mistakes *mistakes;     /* a model of classes adds its mistakes here; borrowed; NULL: not wanted */
} tri__evaluator_options;

/* graph is copied for the batch; source and store are borrowed. TRI_BAD_CALL where the source's examples do not fit the graph. */
TRI_MUST_CHECK tri_status tri__evaluator_create(const tri_graph *graph, tri_source *source, tri_store *store,
                                                const tri__evaluator_options *options, tri__evaluator **out);
void tri__evaluator_destroy(tri__evaluator *evaluator); /* accepts NULL */

/* Evaluate all examples with the store's present parameters. The caller flushes the store first. */
TRI_MUST_CHECK tri_status tri__evaluator_run(tri__evaluator *evaluator, tri__evaluation *out);

/* The keys that the examples of a sparse model name, each once, rising; free() them. Reads all examples. */
TRI_MUST_CHECK tri_status tri__evaluator_keys(tri__evaluator *evaluator, int32_t **keys, int64_t *count);

/* The dataset that the evaluator reads. It knows which records were left out, and why. */
tri_dataset *tri__evaluator_dataset(const tri__evaluator *evaluator);

/* TRI_BAD_CALL where the source's examples are not what the graph's input takes. */
TRI_MUST_CHECK tri_status tri__source_fits(const tri_source_info *source, const tri_graph *graph);

/* How many numbers, labels or classes the graph predicts. A model of two classes has an AUC. */
int64_t tri__class_count(const tri_graph *graph);
bool tri__has_two_classes(const tri_graph *graph);
unsigned tri__measured_as(const tri_graph *graph); /* tri__measured_models: which kinds of models the graph's model is */

/* Folders of photos give the classes their numbers. TRI_BAD_CALL where the names of the folders are not those of the model's classes:
 * names, [classes]; NULL: not known. */
TRI_MUST_CHECK tri_status tri__photos_fit(const tri_source_info *source, const char *const *names, int64_t classes);

/* How many examples to compute at once. Large batches are quicker, and need little memory while examples are small, as sparse ones are. */
int64_t tri__roomy_batch(tri_shape example, bool sparse);

#endif
