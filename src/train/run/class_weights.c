/* class_weights.c: --class-weights: reads the weights, or counts them.
 *
 * A class's weight multiplies its examples in the loss and in the gradient. Every worker finds the same weights by itself, because they
 * depend only on the options and the training examples. */
#include "train/run/class_weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/text/text.h"
#include "data/batch/class_counts.h"

enum { SHOWN = 8 }; /* classes */

static bool are_balanced(const tri__train_settings *settings)
{
    return !strcmp(settings->class_weights, "balanced");
}

/* Check that text has one number above 0 for each class, with commas between them. The numbers go to out unless it is NULL. */
static tri_status read_list(const char *text, const tri_source_info *info, float *out)
{
    int64_t found = 0;
    const char *at = text;
    for (bool more = true; more; found++) {
        char *end;
        const float weight = strtof(at, &end);
        if (end == at || (*end && *end != ',') || !(weight > 0) || !isfinite(weight))
            return tri_fail(TRI_BAD_CALL,
                            "--class-weights %s: '%.*s' is no weight (give 'balanced', or for each class a number above 0, as in 1,2.5)",
                            text, (int)strcspn(at, ","), at);
        if (out && found < info->classes)
            out[found] = weight;
        more = *end == ',';
        at = end + 1;
    }
    if (found != info->classes)
        return tri_fail(TRI_BAD_CALL,
                        "--class-weights %s: %" PRId64 " weight%s, and %s has %" PRId64
                        " classes ('trireme data info' names them in their order)",
                        text, found, found == 1 ? "" : "s", info->spec, info->classes);
    return NULL;
}

tri_status tri__class_weights_check(const tri__train_settings *settings, tri_label_kind model, const tri_source_info *info)
{
    const char *text = settings->class_weights;
    if (!text)
        return NULL;
    const tri_label_kind labels = model != TRI_LABEL_CLASS ? model : info->labels;
    if (labels != TRI_LABEL_CLASS)
        return tri_fail(TRI_BAD_CALL, "--class-weights: the model learns %s, and only losses over classes can weigh them",
                        labels == TRI_LABEL_SET ? "sets of labels" : "numbers");
    if (info->classes < 1)
        return tri_fail(TRI_BAD_CALL, "--class-weights: nobody knows which classes %s has", info->spec);
    if (!are_balanced(settings))
        return read_list(text, info, NULL);
    if (settings->own_files)
        return tri_fail(TRI_BAD_CALL, "--class-weights balanced: with --shard files each worker would count its own files only (give the "
                                      "weights themselves, as in 1,2.5)");
    return NULL;
}

/* n / (classes × count), over the classes that have examples; the other classes weigh 1. */
static void balance(const int64_t *counts, int64_t classes, float *out)
{
    int64_t examples = 0, present = 0;
    for (int64_t i = 0; i < classes; i++) {
        examples += counts[i];
        present += counts[i] > 0;
    }
    for (int64_t i = 0; i < classes; i++)
        out[i] = counts[i] > 0 ? (float)((double)examples / ((double)present * (double)counts[i])) : 1.0F;
}

static tri_status find_balanced(tri_source *source, const tri_dataset_options *options, float *out)
{
    const int64_t classes = tri_source_describe(source)->classes;
    int64_t *counts;
    TRI_TRY(tri__allocate((size_t)classes, sizeof *counts, "the number of examples by class", &counts));
    tri_status status = tri__class_counts(source, options, counts);
    if (!status)
        balance(counts, classes, out);
    free(counts);
    return tri_wrap(status, "--class-weights balanced");
}

tri_status tri__class_weights_find(const tri__train_settings *settings, tri_label_kind model, tri_source *source,
                                   const tri_dataset_options *options, float **out)
{
    const tri_source_info *info = tri_source_describe(source);
    TRI_TRY(tri__class_weights_check(settings, model, info));
    TRI_TRY(tri__allocate((size_t)info->classes, sizeof **out, "weights of classes", out));
    tri_status status = are_balanced(settings) ? find_balanced(source, options, *out) : read_list(settings->class_weights, info, *out);
    if (status) {
        free(*out);
        *out = NULL;
    }
    return status;
}

void tri__class_weights_text(const tri_source_info *info, const float *weights, char *text, size_t size)
{
    tri__text list;
    tri__text_init(&list, text, size);
    for (int64_t i = 0; i < info->classes && i < SHOWN; i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, i);
        tri__text_add(&list, "%s%s %.4g", i ? ", " : "", info->class_names ? info->class_names[i] : number, (double)weights[i]);
    }
    if (info->classes > SHOWN)
        tri__text_add(&list, ", …");
}
