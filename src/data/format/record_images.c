/* record_images.c: picture records: an encoded picture (JPEG, PNG, WebP) or bare pixels, and a class. */
#include "data/format/record_images.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

/* The bare pixels of the record. Their shape must match the number of bytes. */
static tri_status find_pixels(const tri__record_reader *self, tri__pixels *out)
{
    const tri__feature *found = self->found;
    size_t size, row, all;
    *out = (tri__pixels){0};
    if (!tri__feature_bytes(&found[TRI_RECORD_RAW], &out->data, &size))
        return tri__record_damaged(self, "has neither image/encoded nor image/raw");
    if (tri__feature_integers(&found[TRI_RECORD_HEIGHT], &out->height, 1) != 1 ||
        tri__feature_integers(&found[TRI_RECORD_WIDTH], &out->width, 1) != 1 ||
        tri__feature_integers(&found[TRI_RECORD_CHANNELS], &out->channels, 1) != 1)
        return tri__record_damaged(self, "has image/raw, but not one image/height, image/width and image/channels with it");
    if (out->height < 1 || out->width < 1 || out->channels < 1 || !tri__size_multiply((size_t)out->width, (size_t)out->channels, &row) ||
        !tri__size_multiply((size_t)out->height, row, &all) || all != size) {
        char what[160];
        snprintf(what, sizeof what, "image/raw has %zu bytes, which is not %" PRId64 "x%" PRId64 "x%" PRId64, size, out->height, out->width,
                 out->channels);
        return tri__record_damaged(self, what);
    }
    out->stride = row;
    return NULL;
}

static int64_t encoded_channels(const tri__record_reader *self)
{
    return ((const tri__records *)self->reader.source)->grey ? 1 : 3;
}

static tri_status wrong_shape(const tri__record_reader *self, tri_shape seen)
{
    char text[64], wanted[64], what[256];
    snprintf(what, sizeof what, "a picture of %s where the first is %s (`trireme data convert --resize WxH` brings all to one size)",
             tri_shape_text(seen, text, sizeof text), tri_shape_text(self->reader.source->info.shape, wanted, sizeof wanted));
    return tri__record_damaged(self, what);
}

/* Add to the message about a damaged photo which record it is. */
static tri_status of_record(const tri__record_reader *self, tri_status status)
{
    return tri_wrap(status, "%s: record %" PRId64 " at byte %zu", self->file.name, self->record.number, self->record.offset);
}

static tri_status read_encoded(tri__record_reader *self, const uint8_t *photo, size_t size, uint8_t *x)
{
    const tri__records *records = (const tri__records *)self->reader.source;
    const int64_t *dim = records->base.source.info.shape.dim, channels = encoded_channels(self);
    if (dim[2] != channels)
        return wrong_shape(self, TRI_SHAPE(dim[0], dim[1], channels));
    if (!records->resized) {
        int64_t height, width;
        TRI_TRY(of_record(self, tri__photo_size(self->decoder, photo, size, &height, &width)));
        if (height != dim[0] || width != dim[1])
            return wrong_shape(self, TRI_SHAPE(height, width, channels));
    }
    return of_record(self, tri__photo_decode(self->decoder, photo, size, dim[0], dim[1], channels, x));
}

static tri_status read_raw(tri__record_reader *self, uint8_t *x)
{
    const tri__records *records = (const tri__records *)self->reader.source;
    tri_shape shape = records->base.source.info.shape;
    tri__pixels pixels;
    TRI_TRY(find_pixels(self, &pixels));
    tri_shape seen = TRI_SHAPE(pixels.height, pixels.width, pixels.channels);
    if (tri_shape_equal(seen, shape)) {
        memcpy(x, pixels.data, records->base.source.example_bytes);
        return NULL;
    }
    if (!records->resized || pixels.channels != shape.dim[2])
        return wrong_shape(self, seen);
    return tri__resize(&self->resizer, &pixels, shape.dim[0], shape.dim[1], x);
}

tri_status tri__record_images_read(tri__reader *reader, int64_t number, const tri__example_target *to)
{
    tri__record_reader *self = (tri__record_reader *)reader;
    const uint8_t *photo;
    size_t size;
    TRI_TRY(tri__record_find(self, number));
    int64_t label = tri__record_label(&self->found[TRI_RECORD_CLASS]);
    if (label < 0 || label >= reader->source->info.classes)
        return tri__record_damaged(self, "has no feature image/class/label that is a class");
    *to->label = (int32_t)label;
    if (tri__feature_bytes(&self->found[TRI_RECORD_ENCODED], &photo, &size))
        return read_encoded(self, photo, size, to->x);
    return read_raw(self, to->x);
}

/* The shape of the record that was found last. */
static tri_status shape_of(tri__record_reader *self, tri_shape *out)
{
    const uint8_t *photo;
    size_t size;
    if (tri__feature_bytes(&self->found[TRI_RECORD_ENCODED], &photo, &size)) {
        int64_t height, width;
        TRI_TRY(of_record(self, tri__photo_size(self->decoder, photo, size, &height, &width)));
        *out = TRI_SHAPE(height, width, encoded_channels(self));
        return NULL;
    }
    tri__pixels pixels;
    TRI_TRY(find_pixels(self, &pixels));
    *out = TRI_SHAPE(pixels.height, pixels.width, pixels.channels);
    return NULL;
}

/* The shape of the first sound record. If there is none, returns the damage of the last record. *several, unless NULL: whether other
 * records have other shapes. */
static tri_status find_shape(tri__record_reader *reader, int64_t records, tri_shape *out, bool *several)
{
    tri_status damage = NULL;
    *out = (tri_shape){0};
    for (int64_t i = 0; i < records && (out->rank == 0 || (several && !*several)); i++) {
        tri_shape seen;
        tri_status_free(damage);
        damage = tri__record_find(reader, i);
        if (!damage)
            damage = shape_of(reader, &seen);
        if (damage)
            continue;
        if (out->rank == 0)
            *out = seen;
        else
            *several = !tri_shape_equal(*out, seen);
    }
    if (out->rank > 0) {
        tri_status_free(damage);
        return NULL;
    }
    return damage;
}

/* Take the name of the record's class, if it has one that is not known yet. False if memory is short. */
static bool take_name(tri__records *self, const tri__record_reader *reader, int64_t *missing)
{
    const uint8_t *text;
    size_t size;
    int64_t label = tri__record_label(&reader->found[TRI_RECORD_CLASS]);
    if (label < 0 || label >= self->base.source.info.classes || self->class_names[label] ||
        !tri__feature_bytes(&reader->found[TRI_RECORD_TEXT], &text, &size))
        return true;
    --*missing;
    return (self->class_names[label] = strndup((const char *)text, size)) != NULL;
}

/* Take names from the first records only, as the classes are usually mixed. If the first sound record has no name, neither have the
 * others. */
static tri_status collect_names(tri__records *self, tri__record_reader *reader, int64_t *missing)
{
    int64_t classes = self->base.source.info.classes, looked = 1000 + 20 * classes;
    *missing = classes;
    for (int64_t i = 0; i < self->base.source.info.examples && i<looked && * missing> 0; i++) {
        tri_status damage = tri__record_find(reader, i);
        bool sound = !damage;
        tri_status_free(damage);
        if (sound && !take_name(self, reader, missing))
            return tri_fail(TRI_NO_MEMORY, "out of memory for names of classes");
        if (sound && *missing == classes)
            break;
    }
    return NULL;
}

/* Find the names of classes in the records. A class whose name was not found is named by its number. */
static tri_status find_names(tri__records *self, tri__record_reader *reader)
{
    int64_t classes = self->base.source.info.classes, missing;
    TRI_TRY(tri__allocate((size_t)classes, sizeof *self->class_names, "names of classes", &self->class_names));
    TRI_TRY(collect_names(self, reader, &missing));
    if (missing == classes)
        return NULL;
    for (int64_t i = 0; i < classes; i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, i);
        if (!self->class_names[i] && !(self->class_names[i] = strdup(number)))
            return tri_fail(TRI_NO_MEMORY, "out of memory for names of classes");
    }
    self->base.source.info.class_names = (const char *const *)self->class_names;
    return NULL;
}

tri_status tri__record_images_describe(tri__records *self, tri__record_reader *reader, const tri_source_options *options)
{
    tri_shape shape;
    bool sized = options->height > 0 && options->width > 0;
    self->grey = options->grey;
    TRI_TRY(find_shape(reader, self->base.source.info.examples, &shape, options->any_size ? &self->base.source.info.several_sizes : NULL));
    self->resized = sized || options->any_size;
    if (sized)
        shape = TRI_SHAPE(options->height, options->width, shape.dim[2]);
    TRI_TRY(tri__source_set_shape(&self->base.source, shape));
    if (self->base.source.info.classes == 0)
        return tri_fail(TRI_BAD_DATA, "%s: no record has a feature image/class/label (pictures need a class)",
                        self->base.files.files[0].path);
    return find_names(self, reader);
}
