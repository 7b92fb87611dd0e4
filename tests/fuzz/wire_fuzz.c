/* Any bytes may be read as a message; what reads as whole must be the same when written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/wire.h"

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

/* The first fields of original are those of copy, which is whole. */
static void compare_all(tri__wire_reader original, tri__wire_reader copy)
{
    tri__wire_field field, again;
    bool damaged = false;
    while (tri__wire_next(&copy, &again, &damaged)) {
        require(tri__wire_next(&original, &field, &damaged));
        compare(&field, &again);
    }
    require(!damaged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tri__wire_reader reader = {data, data + size};
    tri__wire_buffer copy = {0};
    tri__wire_field field;
    bool damaged = false;
    while (tri__wire_next(&reader, &field, &damaged))
        put(&copy, &field);
    require(damaged || reader.at == reader.end);
    if (copy.size > 0)
        compare_all((tri__wire_reader){data, data + size}, (tri__wire_reader){copy.data, copy.data + copy.size});
    tri__wire_fini(&copy);
    return 0;
}
