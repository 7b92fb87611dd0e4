/* tfrecord_fuzz.c: the framing of TFRecord files. The bytes are read as they are, and again as lengths and data whose checksums are put
 * right, as no fuzzer guesses a checksum. Whatever is accepted must be readable to the end. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/crc32c.h"
#include "data/format/tfrecord.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned seen; /* so that no read is optimised away */

static void read_all(const uint8_t *data, size_t size)
{
    const tri__tfrecord_file file = {"input", data, size};
    tri__record record;
    tri_status status = NULL;
    int64_t number = 0;
    for (size_t offset = 0; offset < size && !status; offset = tri__record_end(&record)) {
        status = tri__tfrecord_at(&file, offset, number++, &record);
        if (status)
            break;
        if (tri__record_end(&record) > size || tri__record_end(&record) <= offset)
            abort();
        tri_status damage = tri__tfrecord_check(&file, &record);
        for (size_t i = 0; i < record.size; i++)
            seen += record.data[i];
        tri_status_free(damage);
    }
    tri_status_free(status);
}

/* Put the checksum of a length right wherever a record would begin, as far as the lengths lead. */
static void mend(uint8_t *data, size_t size)
{
    for (size_t at = 0; size - at >= TRI_TFRECORD_HEAD + TRI_TFRECORD_TAIL;) {
        uint32_t crc = tri__crc32c_masked(data + at, 8);
        for (int i = 0; i < 4; i++)
            data[at + 8 + (size_t)i] = (uint8_t)(crc >> (8 * i));
        uint64_t length = 0;
        for (int i = 0; i < 8; i++)
            length |= (uint64_t)data[at + (size_t)i] << (8 * i);
        if (length > size - at - TRI_TFRECORD_HEAD - TRI_TFRECORD_TAIL)
            return;
        at += TRI_TFRECORD_HEAD + (size_t)length + TRI_TFRECORD_TAIL;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    seen = tri__tfrecord_is(data, size);
    read_all(data, size);
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    mend(copy, size);
    read_all(copy, size);
    free(copy);
    return 0;
}
