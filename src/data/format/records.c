/* records.c: opens TFRecord files, and scans each of them once.
 *
 * The first time a file is opened, the scan looks at the features of each record, for the number of classes and the like; the index keeps
 * these facts. The scan verifies a checksum only if the record would change the facts. So a damaged record cannot change them, and the
 * bytes of photos are not read. */
#include "data/format/records.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/format/record_clicks.h"
#include "data/format/record_images.h"

typedef enum { UNKNOWN_RECORDS, CLICKS, PICTURES } record_kind;

static record_kind kind_of(const tri__feature *found)
{
    if (found[TRI_RECORD_ENCODED].kind || found[TRI_RECORD_RAW].kind)
        return PICTURES;
    return found[TRI_RECORD_INDEX].kind ? CLICKS : UNKNOWN_RECORDS;
}

/* What a scan needs: memory for the integers of one record. */
typedef struct {
    tri__tf_example_query query;
    int64_t *values;
    int64_t room;
} scanner;

/* How many integers a list has, and the largest + 1; false if the list is damaged, or memory is short. */
static bool measure_integers(scanner *self, const tri__feature *feature, int64_t *count, int64_t *bound)
{
    *count = tri__feature_integers(feature, self->values, self->room);
    if (*count > self->room) {
        tri_status status = tri__reserve(&self->values, &self->room, *count, sizeof *self->values, "the integers of a record");
        if (status) {
            tri_status_free(status);
            return false;
        }
        *count = tri__feature_integers(feature, self->values, self->room);
    }
    *bound = 0;
    for (int64_t i = 0; i < *count; i++)
        *bound = self->values[i] >= *bound && self->values[i] < INT32_MAX ? self->values[i] + 1 : *bound;
    return *count >= 0;
}

/* The facts of one record; false if it is not a record of a known kind. */
static bool look_at(scanner *self, const tri__record *record, int64_t *facts)
{
    tri__feature found[TRI_RECORD_FEATURES];
    memset(facts, 0, TRI_RECORD_FACTS * sizeof *facts);
    if (!tri__tf_example_find(&self->query, record->data, record->size, found))
        return false;
    record_kind kind = kind_of(found);
    facts[TRI_RECORD_FACT_KIND] = kind;
    facts[TRI_RECORD_FACT_CLASSES] = tri__record_label(&found[kind == PICTURES ? TRI_RECORD_CLASS : TRI_RECORD_LABEL]) + 1;
    facts[TRI_RECORD_FACT_OUTPUTS] = kind == CLICKS ? tri__record_click_numbers(&found[TRI_RECORD_LABEL], NULL, 0) : 0;
    double label = kind == CLICKS ? tri__record_click_label(&found[TRI_RECORD_LABEL]) : NAN;
    if (tri__label_is(label)) {
        facts[TRI_RECORD_FACT_LOW] = TRI_MOST_LABELS - (int64_t)label;
        facts[TRI_RECORD_FACT_LABELS] = tri__label_bit((int64_t)label);
    }
    facts[TRI_RECORD_FACT_NO_CLASSES] = !tri__label_is(label) && facts[TRI_RECORD_FACT_OUTPUTS] > 0;
    if (kind == CLICKS)
        return measure_integers(self, &found[TRI_RECORD_INDEX], &facts[TRI_RECORD_FACT_WIDEST], &facts[TRI_RECORD_FACT_KEYS]);
    return kind == PICTURES;
}

static void merge_facts(int64_t *facts, const int64_t *more)
{
    if (!facts[TRI_RECORD_FACT_KIND])
        facts[TRI_RECORD_FACT_KIND] = more[TRI_RECORD_FACT_KIND];
    for (int i = TRI_RECORD_FACT_CLASSES; i < TRI_RECORD_FACT_MOST; i++)
        facts[i] = more[i] > facts[i] ? more[i] : facts[i];
    facts[TRI_RECORD_FACT_LABELS] |= more[TRI_RECORD_FACT_LABELS];
    facts[TRI_RECORD_FACT_NO_CLASSES] += more[TRI_RECORD_FACT_NO_CLASSES];
}

static void learn(scanner *self, const tri__tfrecord_file *file, const tri__record *record, int64_t *facts)
{
    int64_t seen[TRI_RECORD_FACTS], after[TRI_RECORD_FACTS];
    if (!look_at(self, record, seen))
        return;
    memcpy(after, facts, sizeof after);
    merge_facts(after, seen);
    if (memcmp(after, facts, sizeof after) == 0)
        return;
    tri_status damage = tri__tfrecord_check(file, record);
    if (!damage)
        memcpy(facts, after, sizeof after);
    tri_status_free(damage);
}

static tri_status scan(const char *path, const tri__content *content, tri__index *index)
{
    scanner self = {0};
    tri__tf_example_query_init(&self.query, tri__record_features);
    const tri__tfrecord_file file = {path, content->data, content->size};
    tri__record record;
    tri_status status = NULL, damage = NULL;
    for (size_t offset = 0; offset < file.size && !status && !damage; offset = tri__record_end(&record)) {
        status = tri__index_add(index, (int64_t)offset); /* also if it cannot be read: then reading it reports the damage */
        damage = tri__tfrecord_at(&file, offset, index->records, &record);
        if (!status && !damage)
            learn(&self, &file, &record, index->facts);
    }
    tri_status_free(damage);
    free(self.values);
    return status;
}

static void destroy(tri_source *source)
{
    tri__records *self = (tri__records *)source;
    tri__class_names_free(self->class_names, source->info.classes);
    tri__file_source_destroy(source);
}

static const tri__source_kind clicks_kind = {
    .read = tri__record_clicks_read,
    .reader_create = tri__record_reader_create,
    .reader_destroy = tri__record_reader_destroy,
    .file_of = tri__file_source_path,
    .destroy = destroy,
};
static const tri__source_kind images_kind = {
    .read = tri__record_images_read,
    .reader_create = tri__record_reader_create,
    .reader_destroy = tri__record_reader_destroy,
    .file_of = tri__file_source_path,
    .destroy = destroy,
};

/* All files must hold one kind of records. */
static tri_status merge(int64_t *facts, const tri__record_file *file)
{
    int64_t kind = file->index.facts[TRI_RECORD_FACT_KIND];
    if (kind && facts[TRI_RECORD_FACT_KIND] && kind != facts[TRI_RECORD_FACT_KIND])
        return tri_fail(TRI_BAD_DATA, "%s: holds %s, other files of the set hold %s (name those that are meant, with a glob)", file->path,
                        kind == CLICKS ? "clicks" : "pictures", kind == CLICKS ? "pictures" : "clicks");
    merge_facts(facts, file->index.facts);
    return NULL;
}

/* Say why no kind of record was recognised: the first record is damaged, or of an unknown kind. */
static tri_status unknown(tri__records *self)
{
    tri__record_reader reader = {.reader.source = &self->base.source};
    tri__tf_example_query_init(&reader.query, tri__record_features);
    TRI_TRY(tri__record_find(&reader, 0));
    return tri__record_damaged(&reader, "is neither a picture (features image/encoded or image/raw, image/class/label) nor a click "
                                        "(features index, value, label); such records are not read");
}

static tri_status describe_images(tri__records *self, const tri_source_options *options)
{
    self->base.source.info.format = "tfrecord-images";
    tri__reader *reader;
    TRI_TRY(tri__record_reader_create(&self->base.source, &reader));
    tri_status status = tri__record_images_describe(self, (tri__record_reader *)reader, options);
    tri__record_reader_destroy(reader);
    return status;
}

static tri_status describe(tri__file_source *base, const tri__file_set *set, const int64_t *facts, const tri_source_options *options)
{
    tri__records *self = (tri__records *)base;
    tri_source_info *info = &base->source.info;
    info->classes = set->classes ? set->classes : facts[TRI_RECORD_FACT_CLASSES];
    if (facts[TRI_RECORD_FACT_KIND] == UNKNOWN_RECORDS)
        return unknown(self);
    if (facts[TRI_RECORD_FACT_KIND] == PICTURES)
        return describe_images(self, options);
    base->source.kind = &clicks_kind;
    return tri__record_clicks_describe(self, set->spec, facts, options);
}

static const tri__file_source_format source_format = {
    .size = sizeof(tri__records),
    .index = {.name = "tfrecord-3", .scan = scan},
    .kind = &images_kind,
    .merge = merge,
    .describe = describe,
};

const tri__file_format tri__tfrecord_format = {
    .name = "TFRecord",
    .description = "TFRecord",
    .marks = {"tfrecord", ".tfrec"},
    .is = tri__tfrecord_is,
    .records = &source_format,
    .by_head = true,
};
