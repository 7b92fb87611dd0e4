/* Any bytes may be read as a message; what reads as whole must be the same when written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(tri__wire_buffer *buffer, const tri__wire_field *field)
{
    switch (field->type) {
    case TRI_WIRE_VARINT:
        tri__wire_put_varint(buffer, field->number, field->value);
        break;
    case TRI_WIRE_FIXED64:
        tri__wire_put_fixed64(buffer, field->number, field->value);
        break;
    case TRI_WIRE_BYTES:
        tri__wire_put_bytes(buffer, field->number, field->bytes, field->size);
        break;
    case TRI_WIRE_FIXED32:
        tri__wire_put_fixed32(buffer, field->number, (uint32_t)field->value);
        break;
    }
}

static void require(int condition)
{
    if (!condition)
        abort();
}

static void compare(const tri__wire_field *a, const tri__wire_field *b)
{
    require(a->number == b->number && a->type == b->type && a->value == b->value && a->size == b->size);
    require(a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tri__wire_reader reader = {data, data + size};
    tri__wire_buffer copy = {0};
    tri__wire_field field, again;
    bool damaged = false;
    while (tri__wire_next(&reader, &field, &damaged))
        put(&copy, &field);
    require(damaged || reader.at == reader.end);

    tri__wire_reader first = {data, data + size}, second = {copy.data, copy.data + copy.size};
    bool copy_damaged = false;
    while (copy.size > 0 && tri__wire_next(&second, &again, &copy_damaged)) {
        require(tri__wire_next(&first, &field, &damaged));
        compare(&field, &again);
    }
    require(!copy_damaged);
    tri__wire_fini(&copy);
    return 0;
}
