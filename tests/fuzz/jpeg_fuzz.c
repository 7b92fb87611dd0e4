/* jpeg_fuzz.c: the decoder of photos. Whatever the bytes, it fills the picture or says that they are damaged; and it is good for the next
 * photo. */
#include <stdint.h>
#include <stdlib.h>

#include "data/photo/jpeg/jpeg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sizes that are decoded whole, scaled, and blown up. */
static const int64_t sides[] = {4, 33, 96};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tri__jpeg *jpeg; /* kept from one photo to the next, as readers do */
    static uint8_t rgb[96 * 96 * 3];
    int64_t height, width;
    tri_status status = jpeg ? NULL : tri__jpeg_create(&jpeg);
    if (status)
        abort();
    status = tri__jpeg_size(jpeg, data, size, &height, &width);
    if (!status && height * width > 1 << 22) /* larger ones take memory and time, and are decoded the same way */
        return 0;
    for (size_t i = 0; !status && i < sizeof sides / sizeof *sides; i++)
        status = tri__jpeg_decode(jpeg, data, size, sides[i], sides[(i + 1) % 3], rgb);
    if (status && tri_status_code(status) != TRI_BAD_DATA && tri_status_code(status) != TRI_NO_MEMORY)
        abort();
    tri_status_free(status);
    return 0;
}
