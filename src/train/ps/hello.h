/* hello.h: what a worker tells ps:0 about its examples, so that servers need no data of their own. */
#ifndef TRI_TRAIN_PS_HELLO_H
#define TRI_TRAIN_PS_HELLO_H

#include "base/json.h"
#include "train/options/options.h"
#include "trireme/dataset.h"

/* NULL when memory is short. examples: of an epoch, where not all are used; digest: of the model; data: of the examples. */
json_t *tri__hello_json(const tri_source_info *source, int64_t examples, int64_t batch, const char *digest, const char *data,
                        const char *terms);

/* What all workers must agree on beyond that, in words: rate, rule, seed and what else decides a gradient. */
void tri__hello_terms(const tri__train_options *options, const tri__train_settings *settings, char *text, size_t size);

/* The source as hello describes it; its class names are in names, an array that ends with the source's life: free() it. */
TRI_MUST_CHECK tri_status tri__hello_read(const json_t *hello, tri_source_info *out, const char ***names);

#endif
