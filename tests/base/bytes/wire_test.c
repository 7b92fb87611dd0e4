/* The protobuf wire format: the encoding guide's examples, round trips, and damage of every kind. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes/wire.h"
#include "support.h"

static void expect_bytes(const tri__wire_buffer *buffer, const void *bytes, size_t size)
{
    assert_false(buffer->failed);
    assert_int_equal(buffer->size, size);
    assert_memory_equal(buffer->data, bytes, size);
}

/* The examples of protobuf.dev's encoding guide. */
static void examples_of_the_protobuf_guide_are_encoded(void **state)
{
    (void)state;
    tri__wire_buffer test1 = {0}, test2 = {0}, test3 = {0};
    tri__wire_put_varint(&test1, 1, 150);
    expect_bytes(&test1, "\x08\x96\x01", 3);
    tri__wire_put_string(&test2, 2, "testing");
    expect_bytes(&test2, "\x12\x07testing", 9);
    tri__wire_put_message(&test3, 3, &test1);
    expect_bytes(&test3, "\x1a\x03\x08\x96\x01", 5);
    tri__wire_fini(&test1);
    tri__wire_fini(&test2);
    tri__wire_fini(&test3);
}

static tri__wire_field read_one(tri__wire_reader *reader)
{
    tri__wire_field field;
    bool damaged = false;
    assert_true(tri__wire_next(reader, &field, &damaged));
    assert_false(damaged);
    return field;
}

static void protobuf_fields_are_read_back(void **state)
{
    (void)state;
    tri__wire_buffer buffer = {0};
    tri__wire_put_varint(&buffer, 1, 0);
    tri__wire_put_varint(&buffer, 15, UINT64_MAX);
    tri__wire_put_varint(&buffer, 16, 300);
    tri__wire_put_fixed32(&buffer, 2, 0xdeadbeef);
    tri__wire_put_fixed64(&buffer, 3, 0x0123456789abcdef);
    tri__wire_put_float(&buffer, 4, -1.5f);
    tri__wire_put_double(&buffer, 5, 0.1);
    tri__wire_put_bytes(&buffer, (1u << 29) - 1, "a\0b", 3);
    tri__wire_put_bytes(&buffer, 7, NULL, 0);

    tri__wire_reader reader = {buffer.data, buffer.data + buffer.size};
    assert_int_equal(read_one(&reader).value, 0);
    assert_int_equal(read_one(&reader).value, UINT64_MAX);
    tri__wire_field field = read_one(&reader);
    assert_int_equal(field.number, 16);
    assert_int_equal(field.type, TRI_WIRE_VARINT);
    assert_int_equal(field.value, 300);
    assert_int_equal(read_one(&reader).value, 0xdeadbeef);
    assert_int_equal(read_one(&reader).value, 0x0123456789abcdef);
    assert_true(tri__wire_float(read_one(&reader).value) == -1.5f);
    const uint64_t bits = read_one(&reader).value;
    assert_memory_equal(&bits, &(double){0.1}, sizeof bits);
    field = read_one(&reader);
    assert_int_equal(field.number, (1u << 29) - 1);
    assert_int_equal(field.size, 3);
    assert_memory_equal(field.bytes, "a\0b", 3);
    assert_int_equal(read_one(&reader).size, 0);

    bool damaged = false;
    assert_false(tri__wire_next(&reader, &field, &damaged));
    assert_false(damaged);
    tri__wire_fini(&buffer);
}

static void protobuf_buffers_grow(void **state)
{
    (void)state;
    tri__wire_buffer buffer = {0};
    for (uint64_t i = 0; i < 100000; i++)
        tri__wire_put_varint(&buffer, 1, i);
    tri__wire_reader reader = {buffer.data, buffer.data + buffer.size};
    for (uint64_t i = 0; i < 100000; i++)
        assert_int_equal(read_one(&reader).value, i);
    assert_ptr_equal(reader.at, reader.end);
    tri__wire_fini(&buffer);
    assert_null(buffer.data);
}

static void packed_protobuf_lists_are_bare_varints(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05}; /* the guide's 3, 270, 86942 */
    tri__wire_reader reader = {bytes, bytes + sizeof bytes};
    uint64_t value;
    assert_true(tri__wire_varint(&reader, &value));
    assert_int_equal(value, 3);
    assert_true(tri__wire_varint(&reader, &value));
    assert_int_equal(value, 270);
    assert_true(tri__wire_varint(&reader, &value));
    assert_int_equal(value, 86942);
    assert_false(tri__wire_varint(&reader, &value));
}

/* Lists of every length, of varints of every length, in memory of exactly that size: read as one by one. */
static void a_packed_list_is_read_at_once_as_one_by_one(void **state)
{
    (void)state;
    enum { MOST = 200 };
    int64_t values[MOST], read[MOST];
    for (int count = 0; count <= MOST; count++) {
        tri__wire_buffer buffer = {0};
        for (int i = 0; i < count; i++) {
            values[i] = (int64_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> (i * 7 + count) % 64);
            tri__wire_put_raw_varint(&buffer, (uint64_t)values[i]);
        }
        uint8_t *exact = malloc(buffer.size); /* a sanitizer sees whoever reads beyond it */
        if (buffer.size > 0)
            memcpy(exact, buffer.data, buffer.size);
        const tri__wire_reader run = {exact, exact + buffer.size};
        assert_int_equal(tri__wire_varints(run, read, MOST), count);
        assert_memory_equal(read, values, (size_t)count * sizeof *values);
        read[0] = 12345;
        assert_int_equal(tri__wire_varints(run, read, 0), count); /* nothing is stored beyond the room */
        assert_int_equal(read[0], 12345);
        if (buffer.size > 0 && (exact[buffer.size - 1] |= 0x80) != 0)
            assert_int_equal(tri__wire_varints(run, read, MOST), -1); /* the last one does not end */
        free(exact);
        tri__wire_fini(&buffer);
    }
    const uint8_t endless[100] = {[0 ... 99] = 0x80}, large[] = {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
    assert_int_equal(tri__wire_varints((tri__wire_reader){endless, endless + sizeof endless}, read, MOST), -1);
    assert_int_equal(tri__wire_varints((tri__wire_reader){large, large + sizeof large}, read, MOST), -1); /* more than 64 bits */
}

/* Lists of every length, of varints of up to four bytes, in memory of exactly that size, and with other bytes behind them. */
static void a_packed_list_of_short_varints_is_read_as_any_list(void **state)
{
    (void)state;
    enum { MOST = 200, BEHIND = 80 };
    int64_t values[MOST];
    int32_t read[MOST], most;
    for (int count = 1; count <= MOST; count++) {
        tri__wire_buffer buffer = {0};
        for (int i = 0; i < count; i++)
            tri__wire_put_raw_varint(&buffer, (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> (36 + (i * 7 + count) % 28));
        for (size_t behind = 0; behind <= BEHIND; behind += BEHIND) {
            uint8_t *exact = malloc(buffer.size + behind);
            memset(exact, 1, buffer.size + behind);
            memcpy(exact, buffer.data, buffer.size);
            const tri__wire_reader run = {exact, exact + buffer.size};
            const uint8_t *limit = run.end + behind;
            assert_int_equal(tri__wire_varints(run, values, MOST), count);
            assert_int_equal(tri__wire_short_varints(run, limit, read, count, &most), count);
            int64_t largest = 0;
            for (int i = 0; i < count; i++) {
                assert_int_equal(read[i], values[i]);
                largest = values[i] > largest ? values[i] : largest;
            }
            assert_int_equal(most, largest);
            assert_int_equal(tri__wire_short_varints(run, limit, read, count - 1, &most), -1);
            exact[buffer.size - 1] |= 0x80;
            assert_int_equal(tri__wire_short_varints(run, limit, read, count, &most), -1); /* the last one does not end */
            free(exact);
        }
        tri__wire_fini(&buffer);
    }
    const uint8_t large[] = {1, 0x80, 0x80, 0x80, 0x80, 1, 1}, none[] = {0};
    assert_int_equal(tri__wire_short_varints((tri__wire_reader){large, large + sizeof large}, large + sizeof large, read, MOST, &most), -1);
    assert_int_equal(tri__wire_short_varints((tri__wire_reader){none, none}, none, read, MOST, &most), 0);
    assert_int_equal(most, 0);
}

static void damaged_protobuf_bytes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what, *bytes;
        size_t size;
    } cases[] = {
        {"tag cut short", "\x80", 1},
        {"field number 0", "\x00\x01", 2},
        {"field number above 2^29 - 1", "\x80\x80\x80\x80\x10\x01", 6},
        {"varint cut short", "\x08\x96", 2},
        {"varint missing", "\x08", 1},
        {"varint of 11 bytes", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12},
        {"varint above 64 bits", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11},
        {"length beyond the end", "\x12\x07testin", 8},
        {"enormous length", "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
        {"fixed32 cut short", "\x0d\x01\x02\x03", 4},
        {"fixed64 cut short", "\x09\x01\x02\x03\x04\x05\x06\x07", 8},
        {"group", "\x0b\x0c", 2},
        {"type 6", "\x0e\x01", 2},
        {"type 7", "\x0f\x01", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t *bytes = (const uint8_t *)cases[i].bytes;
        tri__wire_reader reader = {bytes, bytes + cases[i].size};
        tri__wire_field field;
        bool damaged = false;
        if (tri__wire_next(&reader, &field, &damaged) || !damaged)
            fail_msg("not noticed: %s", cases[i].what);
    }
}

static void a_failed_submessage_makes_its_message_fail(void **state)
{
    (void)state;
    tri__wire_buffer part = {.failed = true}, whole = {0};
    tri__wire_put_message(&whole, 1, &part);
    assert_true(whole.failed);
    tri__wire_fini(&whole);

    tri__wire_buffer buffer = {0};
    tri__wire_put_bytes(&buffer, 1, "", SIZE_MAX);
    assert_true(buffer.failed);
    tri__wire_fini(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_protobuf_guide_are_encoded),
        cmocka_unit_test(protobuf_fields_are_read_back),
        cmocka_unit_test(protobuf_buffers_grow),
        cmocka_unit_test(packed_protobuf_lists_are_bare_varints),
        cmocka_unit_test(a_packed_list_is_read_at_once_as_one_by_one),
        cmocka_unit_test(a_packed_list_of_short_varints_is_read_as_any_list),
        cmocka_unit_test(damaged_protobuf_bytes_are_refused),
        cmocka_unit_test(a_failed_submessage_makes_its_message_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
