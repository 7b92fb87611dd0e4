/* hello.c: writes the description of a source as JSON, and reads it. The strings belong to the hello. */
#include "train/ps/task/hello.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/sha256.h"
#include "base/memory/memory.h"
#include "base/text/text.h"
#include "store/ps/protocol/message.h"

enum {
    OF_THE_CONNECTION = 1 << 12, /* bytes that the connection adds to a hello, about its sender and how far it is */
    WEIGHTS_SHOWN = 80,          /* the most letters of --class-weights that are shown whole */
};

#define MOST_EXAMPLES (INT64_C(1) << 48) /* a generous bound: sums and products with it do not overflow */

json_t *tri__hello_json(const tri_source_info *source, int64_t examples, int64_t batch, const char *digest, const char *data,
                        const char *terms)
{
    json_t *names = source->class_names ? json_array() : json_null();
    for (int64_t i = 0; source->class_names && i < source->classes; i++)
        json_array_append_new(names, json_string(source->class_names[i]));
    const tri_numbering *numbering = &source->numbering;
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:o, s:I, s:I, s:o, s:I, s:[I, I, I], s:s?, s:s?}", "digest", digest, "data", data,
                     "terms", terms, "examples", (json_int_t)examples, "batch", (json_int_t)batch, "type", tri_type_name(source->type),
                     "shape", tri__json_shape(source->shape), "classes", (json_int_t)source->classes, "outputs",
                     (json_int_t)source->outputs, "class_names", names, "width", (json_int_t)source->width, "numbering",
                     (json_int_t)numbering->first_index, (json_int_t)numbering->first_label, (json_int_t)numbering->label_step,
                     "features_by", source->features_by, "columns", source->columns);
}

tri_status tri__hello_check(const json_t *hello, const char *spec)
{
    const size_t size = json_dumpb(hello, NULL, 0, JSON_COMPACT);
    if (size + OF_THE_CONNECTION <= TRI_JSON_MOST)
        return NULL;
    return tri_fail(
        TRI_BAD_CALL,
        "%s: its columns, categories and classes take %zu bytes to describe, and a worker can tell servers %d (give it fewer, or "
        "train with --strategy mirrored or allreduce)",
        spec, size, TRI_JSON_MOST - OF_THE_CONNECTION);
}

/* Only ps:0 needs to know how long the run and its epochs are, unless the rate depends on it. */
static void describe_end(const tri__train_settings *settings, char *text, size_t size)
{
    const tri__schedule *schedule = &settings->schedule;
    const bool ends = schedule->kind == TRI_SCHEDULE_COSINE || schedule->kind == TRI_SCHEDULE_SWEEP;
    tri__text words;
    tri__text_init(&words, text, size);
    if (ends && settings->epochs)
        tri__text_add(&words, " --epochs %" PRId64, settings->epochs);
    else if (ends)
        tri__text_add(&words, " --steps %" PRId64, settings->steps ? settings->steps : settings->max_steps);
    if (settings->steps_per_epoch && (schedule->in_epochs || (ends && settings->epochs)))
        tri__text_add(&words, " --steps-per-epoch %" PRId64, settings->steps_per_epoch);
}

/* Options that most runs do without. A list of weights may be long: its digest stands for it. */
static void describe_more(const tri__train_settings *settings, char *text, size_t size)
{
    const char *weights = settings->class_weights;
    char digest[65];
    tri__text words;
    tri__text_init(&words, text, size);
    if (settings->accumulate > 1)
        tri__text_add(&words, " --accumulate %" PRId64, settings->accumulate);
    if (weights && strlen(weights) > WEIGHTS_SHOWN) {
        tri__sha256 hash;
        tri__sha256_init(&hash);
        tri__sha256_update(&hash, weights, strlen(weights));
        tri__sha256_final(&hash, digest);
        tri__text_add(&words, " --class-weights %.12s… (digest %.12s)", weights, digest);
    } else if (weights)
        tri__text_add(&words, " --class-weights %s", weights);
}

void tri__hello_terms(const tri__train_options *options, const tri__train_settings *settings, char *text, size_t size)
{
    char shuffle[24] = "all", end[80], more[160], rule[160], augment[TRI_AUGMENT_TEXT];
    if (settings->shuffle != TRI_SHUFFLE_ALL)
        snprintf(shuffle, sizeof shuffle, "%" PRId64, settings->shuffle);
    describe_end(settings, end, sizeof end);
    describe_more(settings, more, sizeof more);
    snprintf(text, size, "--rate %g --schedule %s%s --warmup %" PRId64 " %s --clip %g --seed %" PRIu64 " --shuffle %s --augment %s%s",
             settings->schedule.rate, options->schedule ? options->schedule : "constant", end, settings->schedule.warmup,
             tri__rule_text(&settings->rule, rule, sizeof rule), (double)settings->rule.clip, settings->seed, shuffle,
             tri__augment_text(&settings->augment, augment), more);
}

static tri_status read_shape(const json_t *list, tri_shape *out)
{
    size_t index;
    const json_t *item;
    *out = (tri_shape){0};
    if (!json_is_array(list) || json_array_size(list) > TRI_MAX_RANK)
        return tri_fail(TRI_BAD_DATA, "a hello without the shape of its examples");
    json_array_foreach(list, index, item)
    {
        if (!json_is_integer(item) || json_integer_value(item) < 1)
            return tri_fail(TRI_BAD_DATA, "a hello with an invalid shape");
        out->dim[out->rank++] = json_integer_value(item);
    }
    return NULL;
}

/* For sparse examples. Values that go into a checkpoint are checked when the checkpoint is read. */
static void read_numbering(const json_t *hello, tri_source_info *out)
{
    const json_t *numbering = json_object_get(hello, "numbering");
    out->width = json_integer_value(json_object_get(hello, "width"));
    out->features_by = json_string_value(json_object_get(hello, "features_by"));
    out->columns = json_string_value(json_object_get(hello, "columns"));
    out->numbering = (tri_numbering){
        .first_index = json_integer_value(json_array_get(numbering, 0)),
        .first_label = json_integer_value(json_array_get(numbering, 1)),
        .label_step = json_integer_value(json_array_get(numbering, 2)),
    };
}

static tri_status read_names(const json_t *list, int64_t classes, const char ***names)
{
    *names = NULL;
    if (!json_is_array(list))
        return NULL;
    if ((int64_t)json_array_size(list) != classes)
        return tri_fail(TRI_BAD_DATA, "a hello with %zu names of %lld classes", json_array_size(list), (long long)classes);
    TRI_TRY(tri__allocate((size_t)classes + 1, sizeof **names, "the names of classes", names));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        (*names)[i] = name ? name : "";
    }
    return NULL;
}

tri_status tri__hello_read(const json_t *hello, tri_source_info *out, const char ***names)
{
    const char *type = json_string_value(json_object_get(hello, "type"));
    *out = (tri_source_info){
        .spec = "the workers' data",
        .format = "remote",
        .type = type && !strcmp(type, tri_type_name(TRI_U8)) ? TRI_U8 : TRI_F32,
        .examples = json_integer_value(json_object_get(hello, "examples")),
        .classes = json_integer_value(json_object_get(hello, "classes")),
        .outputs = json_integer_value(json_object_get(hello, "outputs")),
    };
    if (out->outputs < 0 || out->outputs > MOST_EXAMPLES)
        return tri_fail(TRI_BAD_DATA, "a hello of a worker with %" PRId64 " numbers an example, which cannot be", out->outputs);
    if (out->examples < 1 || out->examples > MOST_EXAMPLES || out->classes < 0 || out->classes > MOST_EXAMPLES)
        return tri_fail(TRI_BAD_DATA, "a hello of a worker with %" PRId64 " examples of %" PRId64 " classes, which cannot be",
                        out->examples, out->classes);
    TRI_TRY(read_shape(json_object_get(hello, "shape"), &out->shape));
    read_numbering(hello, out);
    TRI_TRY(read_names(json_object_get(hello, "class_names"), out->classes, names));
    out->class_names = *names;
    return NULL;
}
