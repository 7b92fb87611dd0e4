/* example_reader.c: reads an example, augments it and mixes it. The cache holds examples as the source gives them, so what is random comes
 * after it. */
#include "data/batch/example_reader.h"

#include "base/memory/memory.h"
#include "data/batch/mixup.h"

/* Get one example, from the cache or from the source. */
static tri_status fetch(tri__example_reader *self, int64_t record, const tri__example_target *to)
{
    const tri__example_pipeline *pipeline = self->pipeline;
    const int64_t place = tri__epoch_order_position(pipeline->order, record); /* the cache has room for a sample only */
    atomic_store_explicit(&self->record, record, memory_order_relaxed);
    if (pipeline->cache && tri__cache_get(pipeline->cache, place, to))
        return NULL;
    TRI_TRY(pipeline->source->kind->read(self->reader, record, to));
    if (pipeline->cache)
        tri__cache_put(pipeline->cache, place, to);
    return NULL;
}

/* Read one example; change its picture if that was asked for. */
static tri_status fetch_changed(tri__example_reader *self, int64_t epoch, int64_t record, const tri__example_target *to)
{
    const tri__example_pipeline *pipeline = self->pipeline;
    const tri_source_info *info = &pipeline->source->info;
    if (!self->scratch)
        return fetch(self, record, to);
    tri__example_target unchanged = *to;
    unchanged.x = self->scratch;
    TRI_TRY(fetch(self, record, &unchanged));
    tri__augment_apply(&pipeline->augment, info->type, info->shape, pipeline->seed, epoch, record, self->scratch, to->x);
    return NULL;
}

/* Read the example to mix with. If it is damaged, *share becomes 1: nothing is mixed. The damage is reported when the epoch comes to that
 * record itself. */
static tri_status fetch_other(tri__example_reader *self, int64_t epoch, int64_t record, double *share)
{
    tri_status status = fetch_changed(self, epoch, record, &self->other);
    if (tri_status_code(status) != TRI_BAD_DATA)
        return status;
    tri_status_free(status);
    *share = 1;
    return NULL;
}

/* Mix the example of row i, which is in `own`, with another one. */
static tri_status mix(tri__example_reader *self, tri__batch_buffer *buffer, int64_t i, const tri__example_target *own)
{
    const tri__example_pipeline *pipeline = self->pipeline;
    const tri_source_info *info = &pipeline->source->info;
    const int64_t epoch = buffer->batch.epoch, classes = pipeline->mixed_classes;
    tri__mixing mixing = tri__mixup_draw(pipeline->augment.mixup, pipeline->seed, epoch, buffer->ids[i], pipeline->order->records);
    TRI_TRY(fetch_other(self, epoch, tri__epoch_order_record(pipeline->order, mixing.partner), &mixing.share));
    if (mixing.share < 1) {
        tri__mixup_values(info->type, tri_shape_count(info->shape), mixing.share, own->x, self->other.x);
        tri__mixup_values(TRI_F32, info->outputs, mixing.share, own->targets, self->other.targets);
    }
    if (classes)
        tri__mixup_labels(classes, mixing.share, own->label, mixing.share < 1 ? self->other_label : *own->label,
                          buffer->targets + i * classes);
    return NULL;
}

tri_status tri__example_reader_fill(tri__example_reader *self, tri__batch_buffer *buffer, int64_t i, int piece)
{
    tri__example_target target;
    TRI_TRY(tri__batch_buffer_row(buffer, self->pipeline->source, i, piece, &target));
    TRI_TRY(fetch_changed(self, buffer->batch.epoch, buffer->ids[i], &target));
    if (self->other.x)
        TRI_TRY(mix(self, buffer, i, &target));
    tri__batch_buffer_keep(buffer, i, piece);
    return NULL;
}

static tri_status allocate_examples(tri__example_reader *self)
{
    const tri__augment *augment = &self->pipeline->augment;
    const tri_source *source = self->pipeline->source;
    if (tri__augment_changes_pictures(augment))
        TRI_TRY(tri__buffer_allocate(source->example_bytes, "an example", &self->scratch));
    if (augment->mixup == 0)
        return NULL;
    self->other.label = &self->other_label;
    TRI_TRY(tri__buffer_allocate(source->example_bytes, "an example", &self->other.x));
    return tri__buffer_allocate((size_t)source->info.outputs * sizeof(float), "an example's targets", &self->other.targets);
}

void tri__example_reader_init_cached(tri__example_reader *self, const tri__example_pipeline *pipeline)
{
    *self = (tri__example_reader){.pipeline = pipeline, .record = -1};
}

tri_status tri__example_reader_init(tri__example_reader *self, const tri__example_pipeline *pipeline)
{
    tri__example_reader_init_cached(self, pipeline);
    TRI_TRY(tri__reader_create(pipeline->source, &self->reader));
    tri_status status = allocate_examples(self);
    if (status)
        tri__example_reader_fini(self);
    return status;
}

void tri__example_reader_fini(tri__example_reader *self)
{
    tri__reader_destroy(self->reader);
    tri__buffer_free(self->scratch);
    tri__buffer_free(self->other.x);
    tri__buffer_free(self->other.targets);
}
