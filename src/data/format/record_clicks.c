/* record_clicks.c: click records: the indices of the features that are not zero, their values, and a label. */
#include "data/format/record_clicks.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes/vector.h"
#include "data/source/key_hash.h"

static tri__labels labels_of(const int64_t *facts)
{
    if (!facts[TRI_RECORD_FACT_LOW])
        return (tri__labels){INT64_MAX, -2, 0};
    int64_t low = TRI_MOST_LABELS - facts[TRI_RECORD_FACT_LOW], high = facts[TRI_RECORD_FACT_CLASSES] - 1;
    return (tri__labels){low, high > low ? high : low, facts[TRI_RECORD_FACT_LABELS]};
}

tri_status tri__record_clicks_describe(tri__records *self, const char *spec, const int64_t *facts, const tri_source_options *options)
{
    tri_source_info *info = &self->base.source.info;
    int64_t shown = facts[TRI_RECORD_FACT_KEYS] > 0 ? facts[TRI_RECORD_FACT_KEYS] : 1;
    int64_t width = facts[TRI_RECORD_FACT_WIDEST] > 0 ? facts[TRI_RECORD_FACT_WIDEST] : 1;
    info->numbering = options->numbering;
    if (!info->numbering.label_step) {
        const tri__labels labels = labels_of(facts);
        TRI_TRY(tri__labels_number(spec, &labels, options->classes, &info->numbering));
        info->numbering.first_index = -1;
    }
    if (options->classes && info->numbering.label_step == 1)
        info->numbering.classes = options->classes;
    tri__source_set_sparse(&self->base.source, "tfrecord-clicks", shown, width, info->numbering.classes, options);
    const bool no_classes = 2 * facts[TRI_RECORD_FACT_NO_CLASSES] > info->examples;
    if (options->labels != TRI_LABEL_CLASS || no_classes)
        tri__source_set_targets(&self->base.source, options->labels == TRI_LABEL_SET ? TRI_LABEL_SET : TRI_LABEL_NUMBERS,
                                options->outputs                     ? options->outputs
                                : facts[TRI_RECORD_FACT_OUTPUTS] > 0 ? facts[TRI_RECORD_FACT_OUTPUTS]
                                                                     : 1);
    return NULL;
}

/* The message names the first index that is out of bounds, and the bounds. */
static tri_status bad_index(const tri__record_reader *self, int64_t count, int64_t features)
{
    int64_t i = 0;
    while (i < count - 1 && self->keys[i] >= 0 && self->keys[i] < features)
        i++;
    char what[160];
    snprintf(what, sizeof what, "index %" PRId64 " where features are 0 to %" PRId64 "; --features gives another bound", self->keys[i],
             features - 1);
    return tri__record_damaged(self, what);
}

/* Store indices as keys. Returns whether all are from 0 to features − 1, where features is at most 2^31. */
TRI_FOR_EVERY_CPU static bool store_keys(const int64_t *indices, int64_t count, int64_t features, int32_t *keys)
{
    uint64_t bits = 0;
    int32_t most = 0;
    for (int64_t i = 0; i < count; i++) {
        bits |= (uint64_t)indices[i];
        keys[i] = (int32_t)indices[i];
        most = keys[i] > most ? keys[i] : most;
    }
    return bits <= INT32_MAX && most < features;
}

/* Read indices as nearly all records have them: packed, small, within bounds, and no more than the model takes. Then they become keys
 * without a copy between. False if there is anything else: read_any_keys sees to it. */
static bool read_usual_keys(const tri__record_reader *self, const tri__example_target *to, int64_t *count)
{
    const tri_source *source = self->reader.source;
    const int64_t fields = source->fields;
    tri__wire_reader run;
    int32_t most;
    if (source->hash_keys || !tri__feature_packed(&self->found[TRI_RECORD_INDEX], TRI_FEATURE_INTEGERS, &run))
        return false;
    *count = tri__wire_short_varints(run, self->record.data + self->record.size, to->keys, source->info.width, &most);
    return *count >= 0 && (fields == 0 || *count <= fields) && most < source->info.shape.dim[0];
}

/* Read the indices, check them, and store them as keys. *count: how many there are. */
static tri_status read_any_keys(tri__record_reader *self, const tri__example_target *to, int64_t *count)
{
    const tri_source_info *info = &self->reader.source->info;
    const int64_t features = info->shape.dim[0];
    *count = tri__feature_integers(&self->found[TRI_RECORD_INDEX], self->keys, info->width);
    if (*count < 0)
        return tri__record_damaged(self, "has no readable feature 'index' of integers");
    if (*count > info->width)
        return tri__record_damaged(self, "has more features than any when the file was opened: is it being written?");
    const int64_t fields = self->reader.source->fields;
    if (fields > 0 && *count > fields) {
        char what[96];
        snprintf(what, sizeof what, "has %" PRId64 " features where the model puts %" PRId64 " side by side at most", *count, fields);
        return tri__record_damaged(self, what);
    }
    if (self->reader.source->hash_keys) {
        for (int64_t i = 0; i < *count; i++)
            to->keys[i] = tri__key_hash((uint64_t)self->keys[i], features);
        return NULL;
    }
    return store_keys(self->keys, *count, features, to->keys) ? NULL : bad_index(self, *count, features);
}

/* Without the sign, the bits of infinities and NaNs are larger than those of all finite numbers. */
TRI_FOR_EVERY_CPU static bool all_finite(const float *values, int64_t count)
{
    int32_t most = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits &= INT32_MAX;
        most = bits > most ? bits : most;
    }
    return most < 0x7f800000;
}

/* Read values as nearly all records have them: packed, one for each index, and finite. False if there is anything else. */
TRI_FOR_EVERY_CPU static bool read_usual_values(const tri__feature *feature, float *values, int64_t count)
{
    tri__wire_reader run;
    if (!tri__feature_packed(feature, TRI_FEATURE_FLOATS, &run) || run.end - run.at != 4 * count)
        return false;
    uint32_t most = 0;
    for (int64_t i = 0; i < count; i++) { /* as in all_finite; on little-endian CPUs a copy */
        uint32_t bits;
        memcpy(&bits, run.at + 4 * i, sizeof bits);
        bits = le32toh(bits);
        memcpy(&values[i], &bits, sizeof bits);
        bits &= INT32_MAX;
        most = bits > most ? bits : most;
    }
    return most < 0x7f800000;
}

static tri_status read_values(tri__record_reader *self, const tri__example_target *to, int64_t count)
{
    const tri__feature *feature = &self->found[TRI_RECORD_VALUE];
    if (read_usual_values(feature, to->values, count))
        return NULL;
    for (int64_t i = 0; i < count && !feature->kind; i++)
        to->values[i] = 1;
    int64_t values = feature->kind ? tri__feature_floats(feature, to->values, self->reader.source->info.width) : count;
    char what[96];
    if (values == count && !all_finite(to->values, count))
        return tri__record_damaged(self, "has a value that is no number");
    if (values == count)
        return NULL;
    snprintf(what, sizeof what, "has %" PRId64 " indices but %" PRId64 " values", count, values < 0 ? 0 : values);
    return tri__record_damaged(self, what);
}

/* The message shows the label that is not a class, or says that there is none. */
static tri_status bad_label(const tri__record_reader *self)
{
    const tri__feature *feature = &self->found[TRI_RECORD_LABEL];
    int64_t whole;
    float number;
    char what[TRI_LABELS_TOLD + 32], labels[TRI_LABELS_TOLD];
    if (tri__feature_integers(feature, &whole, 1) == 1)
        number = (float)whole;
    else if (tri__feature_floats(feature, &number, 1) != 1)
        return tri__record_damaged(self, "has no feature 'label' that is one number");
    tri__labels_tell(&self->reader.source->info.numbering, (double)number, labels);
    snprintf(what, sizeof what, "has label %g where %s", (double)number, labels);
    return tri__record_damaged(self, what);
}

static tri_status read_targets(const tri__record_reader *self, const tri__example_target *to)
{
    const tri_source_info *info = &self->reader.source->info;
    const int64_t count = tri__record_click_numbers(&self->found[TRI_RECORD_LABEL], to->targets, info->outputs);
    char what[128];
    if (count != info->outputs) {
        snprintf(what, sizeof what, "has a feature 'label' of %" PRId64 " numbers where examples have %" PRId64, count, info->outputs);
        return tri__record_damaged(self, what);
    }
    bool sound = all_finite(to->targets, count);
    for (int64_t i = 0; i < count && info->labels == TRI_LABEL_SET; i++)
        sound &= to->targets[i] == 0 || to->targets[i] == 1;
    return sound ? NULL
                 : tri__record_damaged(self, info->labels == TRI_LABEL_SET ? "has a label that is neither 0 nor 1"
                                                                           : "has a label that is no finite number");
}

tri_status tri__record_clicks_decode(tri__record_reader *self, const tri__example_target *to)
{
    int64_t count;
    if (!read_usual_keys(self, to, &count))
        TRI_TRY(read_any_keys(self, to, &count));
    TRI_TRY(read_values(self, to, count));
    *to->count = count;
    if (self->reader.source->info.outputs)
        return read_targets(self, to);
    int64_t class = tri__label_class(&self->reader.source->info.numbering, tri__record_click_label(&self->found[TRI_RECORD_LABEL]));
    if (class < 0)
        return bad_label(self);
    *to->label = (int32_t) class;
    return NULL;
}

tri_status tri__record_clicks_read(tri__reader *reader, int64_t number, const tri__example_target *to)
{
    tri__record_reader *self = (tri__record_reader *)reader;
    TRI_TRY(tri__record_find(self, number));
    return tri__record_clicks_decode(self, to);
}
