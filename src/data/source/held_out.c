/* held_out.c: two views of one source. A list names the records that are held out, in rising order; entry i of the list is record i of one
 * view. Record j of the other view is record j + k of the source, where k is how many listed records come before it. */
#include "data/source/held_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/memory/memory.h"

typedef struct {
    atomic_int users; /* views that use this list */
    int64_t count;
    int64_t record[]; /* [count], rising */
} record_list;

typedef struct {
    tri_source source;
    tri_source *whole;
    record_list *list;
    bool listed; /* this view has the listed records; otherwise it has all others */
} view;

typedef struct {
    tri__reader reader;
    tri__reader *whole;
} view_reader;

/* How many listed records come before record j of the other view. Listed record i comes before it if its number − i is at most j. */
static int64_t listed_before(const record_list *list, int64_t j)
{
    int64_t low = 0, high = list->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (list->record[middle] - middle <= j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t record_of(const view *self, int64_t record)
{
    return self->listed ? self->list->record[record] : record + listed_before(self->list, record);
}

static tri_status view_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const view_reader *self = (const view_reader *)reader;
    const view *source = (const view *)reader->source;
    return source->whole->kind->read(self->whole, record_of(source, record), to);
}

static void view_reader_destroy(tri__reader *reader)
{
    tri__reader_destroy(((view_reader *)reader)->whole);
    free(reader);
}

static tri_status view_reader_create(tri_source *source, tri__reader **out)
{
    view_reader *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a reader", &self));
    self->reader.source = source;
    tri_status status = tri__reader_create(((view *)source)->whole, &self->whole);
    if (status)
        free(self);
    else
        *out = &self->reader;
    return status;
}

static const char *view_file_of(const tri_source *source, int64_t record)
{
    const view *self = (const view *)source;
    return tri__source_file(self->whole, record_of(self, record));
}

static int32_t view_class_of(const tri_source *source, int64_t record)
{
    const view *self = (const view *)source;
    return tri__source_class(self->whole, record_of(self, record));
}

static void view_destroy(tri_source *source)
{
    view *self = (view *)source;
    tri_source_destroy(self->whole);
    if (self->list && atomic_fetch_sub(&self->list->users, 1) == 1)
        free(self->list);
    free(self);
}

static const tri__source_kind view_kind = {
    .read = view_read,
    .reader_create = view_reader_create,
    .reader_destroy = view_reader_destroy,
    .class_of = view_class_of,
    .file_of = view_file_of,
    .destroy = view_destroy,
};

/* Take each record with probability (records still to take) / (records left), so that exactly count are taken. */
static tri_status draw(int64_t examples, int64_t count, uint64_t seed, record_list **out)
{
    const tri__key key = tri__key_split_name(tri__key_of(seed), "validation");
    TRI_TRY(tri__allocate(1, sizeof **out + (size_t)count * sizeof(int64_t), "the examples that are held out", out));
    for (int64_t record = 0; (*out)->count < count; record++)
        if (tri__random_below(key, (uint64_t)record, (uint64_t)(examples - record)) < (uint64_t)(count - (*out)->count))
            (*out)->record[(*out)->count++] = record;
    return NULL;
}

static tri_status create_view(tri_source *whole, record_list *list, bool listed, view **out)
{
    view *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &view_kind;
    self->source.info = whole->info;
    self->source.info.note = NULL; /* the whole source has reported its own */
    self->source.info.examples = listed ? list->count : whole->info.examples - list->count;
    self->source.example_bytes = whole->example_bytes;
    self->source.fields = whole->fields;
    self->source.hash_keys = whole->hash_keys;
    self->source.info.spec = strdup(whole->info.spec);
    if (!self->source.info.spec) {
        free(self);
        return tri_fail(TRI_NO_MEMORY, "out of memory while opening %s", whole->info.spec);
    }
    self->listed = listed;
    *out = self;
    return NULL;
}

/* From now on the view uses the whole source and the list, and releases them when it is destroyed. */
static void attach(view *self, tri_source *whole, record_list *list)
{
    self->whole = whole;
    self->list = list;
    atomic_fetch_add(&list->users, 1);
}

tri_status tri__source_hold_out(tri_source **source, double share, uint64_t seed, tri_source **held_out)
{
    tri_source *whole = *source;
    const int64_t examples = whole->info.examples, rounded = llround(share * (double)examples), count = rounded > 0 ? rounded : 1;
    if (count >= examples)
        return tri_fail(TRI_BAD_CALL, "%s has %" PRId64 " example%s: too few to hold some out and to train on the rest", whole->info.spec,
                        examples, examples == 1 ? "" : "s");
    record_list *list;
    view *rest = NULL, *part = NULL;
    TRI_TRY(draw(examples, count, seed, &list));
    tri_status status = create_view(whole, list, false, &rest);
    if (!status)
        status = create_view(whole, list, true, &part);
    if (status) {
        tri_source_destroy(rest ? &rest->source : NULL);
        free(list);
        return status;
    }
    tri__source_hold(whole);
    attach(rest, whole, list);
    attach(part, whole, list);
    *source = &rest->source;
    *held_out = &part->source;
    return NULL;
}
