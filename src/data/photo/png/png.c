/* png.c: decodes and encodes PNG pictures with libpng's simplified interface, which needs no longjmp. */
#include "data/photo/png/png.h"

#include <inttypes.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

bool tri__png_is(const uint8_t *data, size_t size)
{
    return size >= 8 && png_sig_cmp(data, 0, 8) == 0;
}

static tri_status begin(png_image *image, const uint8_t *data, size_t size)
{
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_memory(image, data, size))
        return NULL;
    return tri_fail(TRI_BAD_DATA, "not a PNG picture that can be read: %s", image->message);
}

tri_status tri__png_size(const uint8_t *data, size_t size, int64_t *height, int64_t *width)
{
    png_image image;
    TRI_TRY(begin(&image, data, size));
    *height = image.height;
    *width = image.width;
    png_image_free(&image);
    return NULL;
}

/* Decode in the wanted format into pixels, which must be large enough. */
static tri_status finish(png_image *image, png_uint_32 format, uint8_t *pixels)
{
    image->format = format;
    if (png_image_finish_read(image, NULL, pixels, 0, NULL))
        return NULL;
    return tri_fail(TRI_BAD_DATA, "the PNG picture does not decode: %s", image->message);
}

tri_status tri__png_decode(const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgba)
{
    png_image image;
    TRI_TRY(begin(&image, data, size));
    tri_status status = image.width == width && image.height == height
                            ? finish(&image, PNG_FORMAT_RGBA, rgba)
                            : tri_fail(TRI_BAD_DATA, "the PNG picture's size changed while it was read");
    png_image_free(&image);
    return status;
}

/* Add to a message which picture it is, and what to do. Takes damage. */
static tri_status advise(const char *name, tri_status damage)
{
    if (!damage)
        return NULL;
    tri_status told = tri_fail(TRI_BAD_DATA, "%s: %s (damaged? fetch it again)", name, tri_status_message(damage));
    tri_status_free(damage);
    return told;
}

static tri_status load(const char *name, png_image *image, int64_t width, int64_t height, tri__picture *out)
{
    if (image->width != width || image->height != height)
        return tri_fail(TRI_BAD_DATA, "%s: a picture of %u×%u where %" PRId64 "×%" PRId64 " is expected (another file?)", name,
                        image->width, image->height, width, height);
    uint8_t *pixels;
    TRI_TRY(tri__allocate((size_t)(width * height), 3, name, &pixels));
    tri_status status = advise(name, finish(image, PNG_FORMAT_RGB, pixels));
    if (status) {
        free(pixels);
        return status;
    }
    *out = (tri__picture){.width = width, .height = height, .pixels = pixels};
    return NULL;
}

tri_status tri__png_load(const char *name, const uint8_t *data, size_t size, int64_t width, int64_t height, tri__picture *out)
{
    png_image image;
    TRI_TRY(advise(name, begin(&image, data, size)));
    tri_status status = load(name, &image, width, height, out);
    png_image_free(&image);
    return status;
}

tri_status tri__png_encode(const uint8_t *pixels, int64_t height, int64_t width, int64_t channels, uint8_t **out, size_t *size)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB};
    png_alloc_size_t bytes = 0;
    *out = NULL;
    if (!png_image_write_to_memory(&image, NULL, &bytes, 0, pixels, 0, NULL))
        return tri_fail(TRI_BAD_CALL, "a picture of %" PRId64 "×%" PRId64 " cannot be encoded: %s", width, height, image.message);
    TRI_TRY(tri__allocate(bytes, 1, "a PNG picture", out));
    if (png_image_write_to_memory(&image, *out, &bytes, 0, pixels, 0, NULL)) {
        *size = bytes;
        return NULL;
    }
    free(*out);
    *out = NULL;
    return tri_fail(TRI_NO_MEMORY, "a picture cannot be encoded: %s", image.message);
}
