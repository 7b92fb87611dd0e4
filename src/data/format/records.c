/* records.c: TFRecord files opened, gone through once, and their records found by number.
 *
 * The first time a file is opened, each record's features are looked at, for the number of classes and the like; the index keeps what
 * was learnt. Checksums are not verified then, except where a record would change what is known: so damage teaches nothing, and the
 * bytes of photos are not touched. */
#include "data/format/records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_CLASSES = 1000000 }; /* labels above are no classes but damage, or something else */

const char *const tri__record_features[] = {"index",
                                            "value",
                                            "label",
                                            "image/encoded",
                                            "image/raw",
                                            "image/height",
                                            "image/width",
                                            "image/channels",
                                            "image/class/label",
                                            "image/class/text",
                                            NULL};

int64_t tri__record_label(const tri__feature *feature)
{
    int64_t label;
    float value;
    if (tri__feature_integers(feature, &label, 1) == 1)
        return label >= 0 && label < MOST_CLASSES ? label : -1;
    if (tri__feature_floats(feature, &value, 1) == 1 && value >= 0 && value < MOST_CLASSES && value == (float)(int64_t)value)
        return (int64_t)value;
    return -1;
}

static tri__record_kind kind_of(const tri__feature *found)
{
    if (found[TRI_RECORD_ENCODED].kind || found[TRI_RECORD_RAW].kind)
        return TRI_RECORD_IMAGES;
    return found[TRI_RECORD_INDEX].kind ? TRI_RECORD_CLICKS : TRI_RECORD_UNKNOWN;
}

/* Going through a file: memory for the integers of one record. */
typedef struct {
    tri__example_wish wish;
    int64_t *values;
    int64_t room;
} scanner;

/* How many integers a list has, and the largest + 1; false where it is damaged or there is no memory for it. */
static bool measure_integers(scanner *self, const tri__feature *feature, int64_t *count, int64_t *bound)
{
    *count = tri__feature_integers(feature, self->values, self->room);
    if (*count > self->room) {
        int64_t *larger = realloc(self->values, (size_t)*count * sizeof *larger);
        if (!larger)
            return false;
        self->values = larger;
        self->room = *count;
        *count = tri__feature_integers(feature, self->values, self->room);
    }
    *bound = 0;
    for (int64_t i = 0; i < *count; i++)
        *bound = self->values[i] >= *bound && self->values[i] < INT32_MAX ? self->values[i] + 1 : *bound;
    return *count >= 0;
}

/* What one record shows; false where it is no record of the kinds that are known. */
static bool look_at(scanner *self, const tri__record *record, int64_t *facts)
{
    tri__feature found[TRI_RECORD_FEATURES];
    if (!tri__example_find(&self->wish, record->data, record->size, found))
        return false;
    tri__record_kind kind = kind_of(found);
    facts[TRI_RECORD_FACT_KIND] = kind;
    facts[TRI_RECORD_FACT_CLASSES] = tri__record_label(&found[kind == TRI_RECORD_IMAGES ? TRI_RECORD_CLASS : TRI_RECORD_LABEL]) + 1;
    facts[TRI_RECORD_FACT_WIDEST] = facts[TRI_RECORD_FACT_KEYS] = 0;
    if (kind == TRI_RECORD_CLICKS)
        return measure_integers(self, &found[TRI_RECORD_INDEX], &facts[TRI_RECORD_FACT_WIDEST], &facts[TRI_RECORD_FACT_KEYS]);
    return kind == TRI_RECORD_IMAGES;
}

static void join(int64_t *facts, const int64_t *more)
{
    if (!facts[TRI_RECORD_FACT_KIND])
        facts[TRI_RECORD_FACT_KIND] = more[TRI_RECORD_FACT_KIND];
    for (int i = TRI_RECORD_FACT_CLASSES; i < TRI_RECORD_FACTS; i++)
        facts[i] = more[i] > facts[i] ? more[i] : facts[i];
}

static void learn(scanner *self, const tri__tfrecord_file *file, const tri__record *record, int64_t *facts)
{
    int64_t seen[TRI_RECORD_FACTS], after[TRI_RECORD_FACTS];
    if (!look_at(self, record, seen))
        return;
    memcpy(after, facts, sizeof after);
    join(after, seen);
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
    tri__example_wish_init(&self.wish, tri__record_features);
    const tri__tfrecord_file file = {path, content->data, content->size};
    tri__record record;
    tri_status status = NULL, damage = NULL;
    for (size_t offset = 0; offset < file.size && !status && !damage; offset = tri__record_end(&record)) {
        status = tri__index_add(index, (int64_t)offset); /* where it cannot be read, whoever reads it is told so */
        damage = tri__tfrecord_at(&file, offset, index->records, &record);
        if (!status && !damage)
            learn(&self, &file, &record, index->facts);
    }
    tri_status_free(damage);
    free(self.values);
    return status;
}

static const tri__index_format index_format = {.name = "tfrecord-1", .scan = scan};

tri_status tri__record_find(tri__record_reader *reader, int64_t number)
{
    const tri__records *self = (const tri__records *)reader->reader.source;
    tri__line place = tri__lines_find(&self->files, number);
    const tri__content *content = &place.file->content;
    reader->file = (tri__tfrecord_file){place.file->path, content->data, content->size};
    TRI_TRY(tri__tfrecord_at(&reader->file, (size_t)(place.at - (const char *)content->data), place.record, &reader->record));
    TRI_TRY(tri__tfrecord_check(&reader->file, &reader->record));
    if (!tri__example_find(&reader->wish, reader->record.data, reader->record.size, reader->found))
        return tri__record_damaged(reader, "is no tf.Example");
    return NULL;
}

tri_status tri__record_damaged(const tri__record_reader *reader, const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s: record %" PRId64 " at byte %zu: %s (--skip-bad skips it)", reader->file.name, reader->record.number,
                    reader->record.offset, what);
}

static void reader_destroy(tri__reader *reader)
{
    tri__record_reader *self = (tri__record_reader *)reader;
    tri__jpeg_destroy(self->jpeg);
    tri__resizer_fini(&self->resizer);
    free(self->keys);
    free(self);
}

static tri_status reader_create(tri_source *source, tri__reader **out)
{
    tri__record_reader *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a reader", &self));
    self->reader.source = source;
    tri__example_wish_init(&self->wish, tri__record_features);
    tri_status status = source->info.width > 0 ? tri__allocate((size_t)source->info.width, sizeof *self->keys, "a record", &self->keys)
                                               : tri__jpeg_create(&self->jpeg);
    if (status) {
        reader_destroy(&self->reader);
        return status;
    }
    *out = &self->reader;
    return NULL;
}

static void destroy(tri_source *source)
{
    tri__records *self = (tri__records *)source;
    for (int64_t i = 0; self->class_names && i < source->info.classes; i++)
        free(self->class_names[i]);
    free(self->class_names);
    tri__lines_fini(&self->files);
    free(self);
}

static const char *file_of(const tri_source *source, int64_t record)
{
    return tri__lines_path(&((const tri__records *)source)->files, record);
}

static const tri__source_kind clicks_kind = {
    .read = tri__record_clicks_read,
    .reader_create = reader_create,
    .reader_destroy = reader_destroy,
    .file_of = file_of,
    .destroy = destroy,
};
static const tri__source_kind images_kind = {
    .read = tri__record_images_read,
    .reader_create = reader_create,
    .reader_destroy = reader_destroy,
    .file_of = file_of,
    .destroy = destroy,
};

/* What all files show together; they must hold one kind of records. */
static tri_status join_files(const tri__lines *files, int64_t *facts)
{
    for (size_t i = 0; i < files->count; i++) {
        const int64_t *more = files->files[i].index.facts;
        int64_t kind = more[TRI_RECORD_FACT_KIND];
        if (kind && facts[TRI_RECORD_FACT_KIND] && kind != facts[TRI_RECORD_FACT_KIND])
            return tri_fail(TRI_BAD_DATA, "%s: holds %s, other files of the set hold %s (name those that are meant, with a glob)",
                            files->files[i].path, kind == TRI_RECORD_CLICKS ? "clicks" : "pictures",
                            kind == TRI_RECORD_CLICKS ? "pictures" : "clicks");
        join(facts, more);
    }
    return NULL;
}

/* The facts of both parts: they must agree on the number of classes and features. */
static tri_status gather_facts(const tri__records *self, const tri__file_list *other, const char *cache_folder, int64_t *facts)
{
    TRI_TRY(join_files(&self->files, facts));
    if (other->count == 0)
        return NULL;
    tri__lines files;
    TRI_TRY(tri__lines_open(other->paths, other->count, &index_format, cache_folder, &files));
    tri_status status = join_files(&files, facts);
    tri__lines_fini(&files);
    return status;
}

/* Why nothing is known of the records: the first one's damage, or that it is of another sort. */
static tri_status unknown(tri__records *self, const char *spec)
{
    if (self->files.records == 0)
        return tri_fail(TRI_BAD_DATA, "%s: has no records (an unfinished write? make it again)", spec);
    tri__record_reader reader = {.reader.source = &self->source};
    tri__example_wish_init(&reader.wish, tri__record_features);
    TRI_TRY(tri__record_find(&reader, 0));
    return tri__record_damaged(&reader, "is neither a picture (features image/encoded or image/raw, image/class/label) nor a click "
                                        "(features index, value, label); such records are not read");
}

static tri_status settle_images(tri__records *self, const tri_source_options *options)
{
    self->source.kind = &images_kind;
    self->source.info.format = "tfrecord-images";
    tri__reader *reader;
    TRI_TRY(reader_create(&self->source, &reader));
    tri_status status = tri__record_images_settle(self, (tri__record_reader *)reader, options);
    reader_destroy(reader);
    return status;
}

static tri_status open_files(tri__records *self, const tri__file_set *set, tri_part part, const tri_source_options *options)
{
    int64_t facts[TRI_RECORD_FACTS] = {0};
    tri_source_info *info = &self->source.info;
    TRI_TRY(tri__lines_open(set->part[part].paths, set->part[part].count, &index_format, options->cache_folder, &self->files));
    TRI_TRY(gather_facts(self, &set->part[1 - part], options->cache_folder, facts));
    info->examples = self->files.records;
    info->bytes = self->files.bytes;
    info->files = (int64_t)self->files.count;
    info->classes = set->classes ? set->classes : facts[TRI_RECORD_FACT_CLASSES];
    if (facts[TRI_RECORD_FACT_KIND] == TRI_RECORD_UNKNOWN || info->examples == 0)
        return unknown(self, set->spec);
    if (facts[TRI_RECORD_FACT_KIND] == TRI_RECORD_IMAGES)
        return settle_images(self, options);
    self->source.kind = &clicks_kind;
    info->format = "tfrecord-clicks";
    return tri__record_clicks_settle(self, facts, options);
}

tri_status tri__records_open(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out)
{
    tri__records *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    tri_status status = open_files(self, set, part, options);
    if (status) {
        destroy(&self->source);
        return status;
    }
    *out = &self->source;
    return NULL;
}
