/* info.c: what is in a source, found by reading all of it. */
#include "data/convert/info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/source/source.h"

enum { BETWEEN_PROGRESS = 1024 }; /* records */

/* Reads the examples of one part, one at a time. */
typedef struct {
    tri_source *source;
    tri__reader *reader;
    tri__example_target target;
    int32_t label;
    int64_t count; /* features of the last example */
    const tri__info_watch *watch;
} looker;

static void looker_fini(looker *self)
{
    tri__reader_destroy(self->reader);
    tri__buffer_free(self->target.x);
    free(self->target.keys);
    free(self->target.values);
    free(self->target.targets);
}

static tri_status looker_allocate(looker *self)
{
    const tri_source_info *info = &self->source->info;
    TRI_TRY(tri__reader_create(self->source, &self->reader));
    TRI_TRY(tri__allocate((size_t)info->outputs + 1, sizeof *self->target.targets, "an example", &self->target.targets));
    if (info->width == 0)
        return tri__buffer_allocate(self->source->example_bytes, "an example", &self->target.x);
    TRI_TRY(tri__allocate((size_t)info->width, sizeof *self->target.keys, "an example", &self->target.keys));
    return tri__allocate((size_t)info->width, sizeof *self->target.values, "an example", &self->target.values);
}

/* Count a damaged record. Takes the status, and returns it if it is another failure. */
static tri_status count_damage(const looker *self, tri_status damage, tri__part_info *part)
{
    if (tri_status_code(damage) != TRI_BAD_DATA)
        return damage;
    part->damaged++;
    if (self->watch->damage)
        self->watch->damage(self->watch->context, tri_status_message(damage));
    tri_status_free(damage);
    return NULL;
}

static void count_sound(const looker *self, tri__part_info *part)
{
    if (part->class_counts)
        part->class_counts[self->label]++;
    for (int64_t i = 0; i < self->source->info.outputs; i++) {
        const double number = self->target.targets[i];
        part->lowest = number < part->lowest ? number : part->lowest;
        part->highest = number > part->highest ? number : part->highest;
        part->sum += number;
    }
    if (self->source->info.width > 0)
        part->features += self->count;
}

static tri_status count_all(looker *self, tri__part_info *part)
{
    for (int64_t record = 0; record < part->records; record++) {
        tri_status status = self->source->kind->read(self->reader, record, &self->target);
        if (status)
            TRI_TRY(count_damage(self, status, part));
        else
            count_sound(self, part);
        if (self->watch->progress && record % BETWEEN_PROGRESS == 0)
            self->watch->progress(self->watch->context, record, part->records);
    }
    return NULL;
}

static tri_status look_through(tri_source *source, const tri__info_watch *watch, tri__part_info *part)
{
    const tri_source_info *info = tri_source_describe(source);
    part->present = true;
    part->lowest = INFINITY;
    part->highest = -INFINITY;
    part->records = info->examples;
    part->bytes = info->bytes;
    part->files = info->files;
    if (info->classes > 0)
        TRI_TRY(tri__allocate((size_t)info->classes, sizeof *part->class_counts, "counts of classes", &part->class_counts));
    looker self = {.source = source, .watch = watch};
    self.target.label = &self.label;
    self.target.count = &self.count;
    tri_status status = looker_allocate(&self);
    if (!status)
        status = count_all(&self, part);
    looker_fini(&self);
    return status;
}

/* What all parts share. */
static tri_status describe(const tri_source_info *from, tri__info *out)
{
    out->format = from->format;
    out->type = from->type;
    out->shape = from->shape;
    out->several_sizes = from->several_sizes;
    out->width = from->width;
    out->labels = from->labels;
    out->outputs = from->outputs;
    out->classes = from->classes;
    out->numbering = from->numbering;
    if (from->note && !(out->note = strdup(from->note)))
        return tri_fail(TRI_NO_MEMORY, "no memory for a note");
    return tri__class_names_copy(from, &out->class_names);
}

static tri_status add_part(const char *spec, tri_part part, const tri_source_options *options, const tri__info_watch *watch, tri__info *out)
{
    tri_source *source;
    TRI_TRY(tri_source_open(spec, part, options, &source));
    tri_status status = out->format ? NULL : describe(tri_source_describe(source), out);
    if (!status)
        status = look_through(source, watch, &out->part[part]);
    tri_source_destroy(source);
    return status;
}

/* Either of two parts may be missing, but not both. Takes both statuses. */
static tri_status either(tri_status train, tri_status test)
{
    bool no_train = tri_status_code(train) == TRI_NOT_FOUND, no_test = tri_status_code(test) == TRI_NOT_FOUND;
    bool keep_test = no_train ? !no_test : !train && !no_test;
    tri_status_free(keep_test ? train : test);
    return keep_test ? test : train;
}

tri_status tri__data_info(const char *spec, const tri_source_options *options, const tri__info_watch *watch, tri__info *out)
{
    const tri__info_watch none = {0};
    watch = watch ? watch : &none;
    *out = (tri__info){.spec = strdup(spec)};
    tri_status status = out->spec ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for %s", spec);
    if (!status) {
        tri_status train = add_part(spec, TRI_PART_TRAIN, options, watch, out);
        status = either(train, add_part(spec, TRI_PART_TEST, options, watch, out));
    }
    if (!status)
        status = either(NULL, add_part(spec, TRI_PART_VALIDATION, options, watch, out));
    if (status)
        tri__info_fini(out);
    return status;
}

void tri__info_fini(tri__info *info)
{
    tri__class_names_free(info->class_names, info->classes);
    free(info->spec);
    free(info->note);
    for (int part = 0; part < TRI_PARTS; part++)
        free(info->part[part].class_counts);
    *info = (tri__info){0};
}
