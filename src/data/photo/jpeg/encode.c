/* encode.c: encodes pixels as JPEG photos, with colour at half the resolution, as cameras do. */
#include "data/photo/jpeg/encode.h"

#include <stdlib.h>

#include "data/photo/jpeg/error.h"

#include <jerror.h>

#define FIRST_SIZE ((size_t)1 << 15)

typedef struct {
    struct jpeg_destination_mgr base; /* first: the library knows this part */
    uint8_t *data;
    size_t size, capacity;
} target;

typedef struct {
    struct jpeg_compress_struct library;
    tri__jpeg_errors errors;
    target to;
    const uint8_t *pixels;
    int64_t height, width, channels;
    int quality;
} encoder;

/* Double the room, or raise the library's out-of-memory error. The library's own memory target would leak its buffer then. */
static boolean grow(j_compress_ptr library)
{
    target *to = (target *)library->dest;
    size_t used = to->capacity, capacity = used ? 2 * used : FIRST_SIZE;
    uint8_t *data = realloc(to->data, capacity);
    if (!data)
        ERREXIT1(library, JERR_OUT_OF_MEMORY, 0);
    to->data = data;
    to->capacity = capacity;
    to->base.next_output_byte = data + used;
    to->base.free_in_buffer = capacity - used;
    return TRUE;
}

static void begin(j_compress_ptr library)
{
    grow(library);
}

static void end(j_compress_ptr library)
{
    target *to = (target *)library->dest;
    to->size = to->capacity - to->base.free_in_buffer;
}

static tri_status encode(void *context)
{
    encoder *self = context;
    struct jpeg_compress_struct *library = &self->library;
    jpeg_create_compress(library);
    self->to.base = (struct jpeg_destination_mgr){.init_destination = begin, .empty_output_buffer = grow, .term_destination = end};
    library->dest = &self->to.base;
    library->image_height = (JDIMENSION)self->height;
    library->image_width = (JDIMENSION)self->width;
    library->input_components = (int)self->channels;
    library->in_color_space = self->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(library);
    jpeg_set_quality(library, self->quality, TRUE);
    jpeg_start_compress(library, TRUE);
    while (library->next_scanline < library->image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(self->pixels + library->next_scanline * self->width * self->channels);
        jpeg_write_scanlines(library, &row, 1);
    }
    jpeg_finish_compress(library);
    return NULL;
}

tri_status tri__jpeg_encode(const uint8_t *pixels, int64_t height, int64_t width, int64_t channels, int quality, uint8_t **out,
                            size_t *size)
{
    if (height < 1 || width < 1 || height > JPEG_MAX_DIMENSION || width > JPEG_MAX_DIMENSION)
        return tri_fail(TRI_BAD_CALL, "a photo of %lld×%lld: sides of JPEG photos are 1 to %ld", (long long)width, (long long)height,
                        (long)JPEG_MAX_DIMENSION);
    if (channels != 1 && channels != 3)
        return tri_fail(TRI_BAD_CALL, "a photo of %lld channels: JPEG photos have 1 or 3 here", (long long)channels);
    encoder self = {.pixels = pixels, .height = height, .width = width, .channels = channels, .quality = quality};
    self.library.err = tri__jpeg_errors_init(&self.errors);
    tri_status status = tri_wrap(tri__jpeg_guard(&self.errors, encode, &self), "making a JPEG photo");
    jpeg_destroy_compress(&self.library);
    if (status) {
        free(self.to.data);
        return status;
    }
    *out = self.to.data;
    *size = self.to.size;
    return NULL;
}
