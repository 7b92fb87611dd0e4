/* png.c: PNG pictures decoded into memory, by libpng's simplified interface (which needs no longjmp). */
#include "data/photo/png/png.h"

#include <inttypes.h>
#include <png.h>
#include <stdlib.h>

#include "base/memory.h"

static tri_status decode(const char *name, png_image *image, int64_t width, int64_t height, tri__picture *out)
{
    if (image->width != width || image->height != height)
        return tri_fail(TRI_BAD_DATA, "%s: a picture of %u×%u where %" PRId64 "×%" PRId64 " is expected (another file?)", name,
                        image->width, image->height, width, height);
    image->format = PNG_FORMAT_RGB;
    uint8_t *pixels;
    TRI_TRY(tri__allocate(PNG_IMAGE_SIZE(*image), 1, name, &pixels));
    if (!png_image_finish_read(image, NULL, pixels, 0, NULL)) {
        free(pixels);
        return tri_fail(TRI_BAD_DATA, "%s: cannot decode the picture: %s (damaged? fetch it again)", name, image->message);
    }
    *out = (tri__picture){.width = width, .height = height, .pixels = pixels};
    return NULL;
}

tri_status tri__png_decode(const char *name, const uint8_t *data, size_t size, int64_t width, int64_t height, tri__picture *out)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    tri_status status = NULL;
    if (png_image_begin_read_from_memory(&image, data, size))
        status = decode(name, &image, width, height, out);
    else
        status = tri_fail(TRI_BAD_DATA, "%s: not a PNG picture: %s (damaged? fetch it again)", name, image.message);
    png_image_free(&image);
    return status;
}
