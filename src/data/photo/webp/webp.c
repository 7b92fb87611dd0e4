/* webp.c: decodes WebP pictures with libwebp. */
#include "data/photo/webp/webp.h"

#include <string.h>
#include <webp/decode.h>

bool tri__webp_is(const uint8_t *data, size_t size)
{
    return size >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0;
}

static tri_status refuse(VP8StatusCode code)
{
    if (code == VP8_STATUS_OUT_OF_MEMORY)
        return tri_fail(TRI_NO_MEMORY, "no memory for a WebP picture");
    if (code == VP8_STATUS_NOT_ENOUGH_DATA)
        return tri_fail(TRI_BAD_DATA, "the WebP picture ends early");
    return tri_fail(TRI_BAD_DATA, "the WebP picture is damaged");
}

tri_status tri__webp_size(const uint8_t *data, size_t size, int64_t *height, int64_t *width)
{
    WebPBitstreamFeatures features;
    VP8StatusCode code = WebPGetFeatures(data, size, &features);
    if (code != VP8_STATUS_OK)
        return refuse(code);
    if (features.has_animation)
        return tri_fail(TRI_BAD_DATA, "an animated WebP picture (its first frame, saved alone, can be read)");
    *height = features.height;
    *width = features.width;
    return NULL;
}

tri_status tri__webp_decode(const uint8_t *data, size_t size, int64_t height, int64_t width, uint8_t *rgb)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        return tri_fail(TRI_UNSUPPORTED, "libwebp is of another version than this program was built with: build it again");
    config.output.colorspace = MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = (WebPRGBABuffer){.rgba = rgb, .stride = (int)(width * 3), .size = (size_t)(height * width * 3)};
    VP8StatusCode code = WebPDecode(data, size, &config);
    return code == VP8_STATUS_OK ? NULL : refuse(code);
}
