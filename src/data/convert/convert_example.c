/* convert_example.c: one example of a source as a tf.Example, with the features that records.h names for pictures and clicks. */
#include "data/convert/convert_example.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/photo/jpeg/encode.h"
#include "data/source/labels.h"

#define QUALITY 95 /* of photos: nobody sees a difference to raw pixels */

static bool is_sparse(const tri_source *source)
{
    return source->info.width > 0;
}

tri_status tri__translator_check(const tri_source *source, tri__encoding encoding)
{
    const tri_source_info *info = &source->info;
    if (is_sparse(source))
        return NULL;
    char shape[64];
    tri_shape_text(info->shape, shape, sizeof shape);
    if (info->type != TRI_U8 || info->shape.rank != 3)
        return tri_fail(
            TRI_BAD_CALL,
            "%s: examples of %s (%s) are neither pictures nor clicks. data convert takes photos, IDX and other pictures, and sparse "
            "text (LIBSVM, Criteo); train reads any other source as it is, and --cache keeps what it has decoded",
            info->spec, shape, tri_type_name(info->type));
    int64_t channels = info->shape.dim[2];
    if (encoding == TRI_ENCODE_JPEG && channels != 1 && channels != 3)
        return tri_fail(TRI_BAD_CALL, "%s: pictures of %lld channels cannot be JPEG photos: use --encode raw", info->spec,
                        (long long)channels);
    return NULL;
}

static tri_status allocate(tri__translator *translator)
{
    tri_source *source = translator->source;
    size_t width = (size_t)source->info.width;
    TRI_TRY(tri__reader_create(source, &translator->reader));
    TRI_TRY(tri__allocate((size_t)source->info.outputs + 1, sizeof *translator->targets, "an example's targets", &translator->targets));
    if (!is_sparse(source))
        return tri__buffer_allocate(source->example_bytes, "an example", &translator->x);
    TRI_TRY(tri__allocate(width, sizeof *translator->keys, "an example's keys", &translator->keys));
    TRI_TRY(tri__allocate(width, sizeof *translator->values, "an example's values", &translator->values));
    return tri__allocate(width, sizeof *translator->wide, "an example's keys", &translator->wide);
}

tri_status tri__translator_init(tri__translator *translator, tri_source *source, tri__encoding encoding)
{
    *translator = (tri__translator){.source = source, .encoding = encoding};
    tri_status status = allocate(translator);
    if (status)
        tri__translator_fini(translator);
    return status;
}

void tri__translator_fini(tri__translator *translator)
{
    tri__reader_destroy(translator->reader);
    tri__tf_example_fini(&translator->example);
    tri__buffer_free(translator->x);
    free(translator->keys);
    free(translator->values);
    free(translator->wide);
    free(translator->targets);
    *translator = (tri__translator){0};
}

static void add_integer(tri__tf_example_writer *example, const char *name, int64_t value)
{
    tri__tf_example_add_integers(example, name, &value, 1);
}

static void add_clicks(tri__translator *translator)
{
    const size_t count = (size_t)translator->count;
    for (size_t i = 0; i < count; i++)
        translator->wide[i] = translator->keys[i];
    tri__tf_example_add_integers(&translator->example, "index", translator->wide, count);
    tri__tf_example_add_floats(&translator->example, "value", translator->values, count);
    const tri_source_info *info = &translator->source->info;
    if (info->outputs)
        tri__tf_example_add_floats(&translator->example, "label", translator->targets, (size_t)info->outputs);
    else
        add_integer(&translator->example, "label", tri__class_label(&info->numbering, translator->label));
}

static tri_status add_pixels(tri__translator *translator, tri_shape shape)
{
    tri__tf_example_writer *example = &translator->example;
    if (translator->encoding == TRI_ENCODE_RAW) {
        tri__tf_example_add_bytes(example, "image/raw", translator->x, translator->source->example_bytes);
        return NULL;
    }
    uint8_t *photo;
    size_t size;
    TRI_TRY(tri__jpeg_encode(translator->x, shape.dim[0], shape.dim[1], shape.dim[2], QUALITY, &photo, &size));
    tri__tf_example_add_bytes(example, "image/encoded", photo, size);
    free(photo);
    return NULL;
}

static tri_status add_picture(tri__translator *translator)
{
    const tri_source_info *info = &translator->source->info;
    tri__tf_example_writer *example = &translator->example;
    TRI_TRY(add_pixels(translator, info->shape));
    add_integer(example, "image/height", info->shape.dim[0]);
    add_integer(example, "image/width", info->shape.dim[1]);
    add_integer(example, "image/channels", info->shape.dim[2]);
    add_integer(example, "image/class/label", translator->label);
    if (info->class_names && translator->label < info->classes)
        tri__tf_example_add_bytes(example, "image/class/text", info->class_names[translator->label],
                                  strlen(info->class_names[translator->label]));
    return NULL;
}

tri_status tri__translate(tri__translator *translator, int64_t record, const uint8_t **data, size_t *size)
{
    const tri__example_target target = {translator->x,      translator->keys,   translator->values,
                                        &translator->count, &translator->label, translator->targets};
    TRI_TRY(translator->source->kind->read(translator->reader, record, &target));
    tri__tf_example_begin(&translator->example);
    if (is_sparse(translator->source))
        add_clicks(translator);
    else
        TRI_TRY(add_picture(translator));
    return tri__tf_example_finish(&translator->example, data, size);
}
