/* record_reader.c: finds a record by its number, verifies it, and finds its features. */
#include "data/format/record_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"

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
        return label >= 0 && label < TRI_MOST_LABELS ? label : -1;
    if (tri__feature_floats(feature, &value, 1) == 1 && value >= 0 && value < TRI_MOST_LABELS && value == (float)(int64_t)value)
        return (int64_t)value;
    return -1;
}

int64_t tri__record_click_numbers(const tri__feature *feature, float *numbers, int64_t room)
{
    int64_t whole, count = tri__feature_floats(feature, numbers, room);
    if (count > 0)
        return count;
    count = tri__feature_integers(feature, &whole, 1);
    if (count == 1 && room > 0)
        *numbers = (float)whole;
    return count == 1;
}

double tri__record_click_label(const tri__feature *feature)
{
    int64_t label;
    float value;
    tri__wire_reader run;
    if (tri__feature_packed(feature, TRI_FEATURE_INTEGERS, &run) && run.end - run.at == 1 && *run.at < 0x80)
        return *run.at; /* nearly all are 0 or 1 */
    if (tri__feature_integers(feature, &label, 1) == 1)
        return (double)label;
    return tri__feature_floats(feature, &value, 1) == 1 ? value : NAN;
}

tri_status tri__record_find(tri__record_reader *reader, int64_t number)
{
    const tri__file_source *source = (const tri__file_source *)reader->reader.source;
    const tri__record_file *file = tri__record_files_find(&source->files, number);
    number -= file->first;
    reader->file = (tri__tfrecord_file){file->path, file->content.data, file->content.size};
    TRI_TRY(tri__tfrecord_at(&reader->file, (size_t)file->index.offsets[number], number, &reader->record));
    TRI_TRY(tri__tfrecord_check(&reader->file, &reader->record));
    if (!tri__tf_example_find(&reader->query, reader->record.data, reader->record.size, reader->found))
        return tri__record_damaged(reader, "is no tf.Example");
    return NULL;
}

tri_status tri__record_damaged(const tri__record_reader *reader, const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s: record %" PRId64 " at byte %zu: %s (--skip-bad skips it)", reader->file.name, reader->record.number,
                    reader->record.offset, what);
}

void tri__record_reader_destroy(tri__reader *reader)
{
    tri__record_reader *self = (tri__record_reader *)reader;
    tri__photo_decoder_destroy(self->decoder);
    tri__resizer_fini(&self->resizer);
    free(self->keys);
    free(self);
}

tri_status tri__record_reader_create(tri_source *source, tri__reader **out)
{
    tri__record_reader *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a reader", &self));
    self->reader.source = source;
    tri__tf_example_query_init(&self->query, tri__record_features);
    tri_status status = source->info.width > 0 ? tri__allocate((size_t)source->info.width, sizeof *self->keys, "a record", &self->keys)
                                               : tri__photo_decoder_create(&self->decoder);
    if (status) {
        tri__record_reader_destroy(&self->reader);
        return status;
    }
    *out = &self->reader;
    return NULL;
}
