/* hello.h: what a worker tells ps:0 about its examples, so that servers need no data of their own. */
#ifndef TRI_TRAIN_PS_TASK_HELLO_H
#define TRI_TRAIN_PS_TASK_HELLO_H

#include "base/file/json.h"
#include "train/options/options.h"
#include "trireme/dataset.h"

/* NULL when memory is short. examples: how many an epoch has, where not all are used; digest: the model's; data: the digest of the
 * examples. */
json_t *tri__hello_json(const tri_source_info *source, int64_t examples, int64_t batch, const char *digest, const char *data,
                        const char *terms);

/* TRI_BAD_CALL where the hello is larger than a message may be: a source may have very many columns, categories or names of classes. */
TRI_MUST_CHECK tri_status tri__hello_check(const json_t *hello, const char *spec);

/* The rest that all workers must agree on, as one line of text: rate, rule, seed and everything else that changes a gradient. */
void tri__hello_terms(const tri__train_options *options, const tri__train_settings *settings, char *text, size_t size);

/* The source as hello describes it. names receives the array of its class names: free() it after the last use of the source. */
TRI_MUST_CHECK tri_status tri__hello_read(const json_t *hello, tri_source_info *out, const char ***names);

#endif
