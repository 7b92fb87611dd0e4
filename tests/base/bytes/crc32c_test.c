/* CRC-32C against known values, by instruction and by table, in one piece and in two. */
#include "base/bytes/crc32c.h"

#include <string.h>

#include "support.h"

static void expect_crc(const void *data, size_t size, uint32_t crc)
{
    assert_int_equal(tri__crc32c(0, data, size), crc);
    assert_int_equal(tri__crc32c_portable(0, data, size), crc);
}

/* The check value, and the examples of RFC 3720, B.4. */
static void crc32c_gives_the_published_values(void **state)
{
    (void)state;
    uint8_t bytes[32];
    expect_crc("", 0, 0);
    expect_crc("123456789", 9, 0xe3069283);
    memset(bytes, 0, sizeof bytes);
    expect_crc(bytes, sizeof bytes, 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    expect_crc(bytes, sizeof bytes, 0x62a8ab43);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    expect_crc(bytes, sizeof bytes, 0x46dd794e);
}

static void hardware_and_table_crc32c_agree_at_every_length_and_cut(void **state)
{
    (void)state;
    uint8_t bytes[100];
    for (int i = 0; i < 100; i++)
        bytes[i] = (uint8_t)(i * i + 3);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        uint32_t whole = tri__crc32c_portable(0, bytes, size);
        assert_int_equal(tri__crc32c(0, bytes, size), whole);
        for (size_t cut = 0; cut <= size; cut++) {
            assert_int_equal(tri__crc32c(tri__crc32c(0, bytes, cut), bytes + cut, size - cut), whole);
            assert_int_equal(tri__crc32c_portable(tri__crc32c_portable(0, bytes, cut), bytes + cut, size - cut), whole);
        }
    }
}

/* Long enough for stretches side by side, several times over, at any alignment. */
static void hardware_and_table_crc32c_agree_on_long_data(void **state)
{
    (void)state;
    static uint8_t bytes[8000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i + i / 7);
    for (size_t size = 300; size < sizeof bytes - 8; size += 37)
        for (size_t from = 0; from < 8; from += 3)
            assert_int_equal(tri__crc32c(7, bytes + from, size), tri__crc32c_portable(7, bytes + from, size));
}

/* The length field of a TFRecord of 1 byte, as TensorFlow writes it. */
static void masked_crc32c_is_as_in_tensorflow(void **state)
{
    (void)state;
    uint32_t crc = 0xe3069283;
    assert_int_equal(tri__crc32c_masked("123456789", 9), (uint32_t)((crc >> 15 | crc << 17) + 0xa282ead8u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_gives_the_published_values),
        cmocka_unit_test(hardware_and_table_crc32c_agree_at_every_length_and_cut),
        cmocka_unit_test(hardware_and_table_crc32c_agree_on_long_data),
        cmocka_unit_test(masked_crc32c_is_as_in_tensorflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
