/* gzip_test.c: inflating whole files, members in a row, and every kind of damage. */
#include "data/file/gzip.h"

#include "data/fixture.h"

static uint8_t *make_text(size_t size)
{
    uint8_t *text = malloc(size);
    for (size_t i = 0; i < size; i++)
        text[i] = (uint8_t)(i * i / 7 + i % 13);
    return text;
}

static void gzip_inflates_what_was_deflated(void **state)
{
    (void)state;
    for (size_t size = 0; size < 300000; size = size * 3 + 1) {
        uint8_t *text = make_text(size + 1), *out;
        size_t packed_size, out_size;
        uint8_t *packed = fixture_gzip(text, size, &packed_size);
        assert_true(tri__gzip_is(packed, packed_size));
        assert_ok(tri__gzip_inflate("x.gz", packed, packed_size, SIZE_MAX, &out, &out_size));
        assert_int_equal(out_size, size);
        assert_memory_equal(out, text, size);
        tri__gzip_trailer trailer;
        assert_true(tri__gzip_read_trailer(packed, packed_size, &trailer));
        assert_int_equal(trailer.length, size);
        free(out);
        free(packed);
        free(text);
    }
}

static void all_members_of_a_gzip_file_are_inflated(void **state)
{
    (void)state;
    uint8_t *text = make_text(100000), *out;
    size_t first_size, second_size, out_size;
    uint8_t *first = fixture_gzip(text, 99990, &first_size), *second = fixture_gzip(text + 99990, 10, &second_size);
    uint8_t *both = malloc(first_size + second_size);
    memcpy(both, first, first_size);
    memcpy(both + first_size, second, second_size);
    assert_ok(tri__gzip_inflate("x.gz", both, first_size + second_size, SIZE_MAX, &out, &out_size));
    assert_int_equal(out_size, 100000);
    assert_memory_equal(out, text, out_size);
    free(out);
    free(both);
    free(second);
    free(first);
    free(text);
}

/* Whether its trailer tells the true size or claims that it is small. */
static void a_gzip_file_that_inflates_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    uint8_t *zeros = calloc(1, SIZE), *out;
    size_t size, out_size;
    uint8_t *packed = fixture_gzip(zeros, SIZE, &size);
    assert_true(size < SIZE / 500);
    for (int liar = 0; liar < 2; liar++) {
        assert_fails(tri__gzip_inflate("x.gz", packed, size, SIZE - 1, &out, &out_size), TRI_NO_MEMORY, "gunzip -k");
        assert_fails(tri__gzip_inflate("x.gz", packed, size, 1000, &out, &out_size), TRI_NO_MEMORY, "inflates to more than 0 MB");
        memcpy(packed + size - 4, (uint8_t[4]){1}, 4);
    }
    free(packed);
    packed = fixture_gzip(zeros, SIZE, &size);
    assert_ok(tri__gzip_inflate("x.gz", packed, size, SIZE, &out, &out_size));
    assert_int_equal(out_size, SIZE);
    free(out);
    free(packed);
    free(zeros);
}

static void a_damaged_gzip_file_is_refused(void **state)
{
    (void)state;
    uint8_t *text = make_text(5000), *out;
    size_t size, out_size;
    uint8_t *packed = fixture_gzip(text, 5000, &size);
    for (size_t cut = 2; cut < size; cut++)
        assert_fails(tri__gzip_inflate("x.gz", packed, cut, SIZE_MAX, &out, &out_size), TRI_BAD_DATA, "x.gz");
    packed[size - 5] ^= 1; /* in the checksum */
    assert_fails(tri__gzip_inflate("x.gz", packed, size, SIZE_MAX, &out, &out_size), TRI_BAD_DATA, "damaged");
    packed[size - 5] ^= 1;
    packed[size / 2] ^= 0x40;
    assert_fails(tri__gzip_inflate("x.gz", packed, size, SIZE_MAX, &out, &out_size), TRI_BAD_DATA, "damaged");
    packed[size / 2] ^= 0x40;
    uint8_t *longer = malloc(size + 3);
    memcpy(longer, packed, size);
    memcpy(longer + size, "abc", 3);
    assert_fails(tri__gzip_inflate("x.gz", longer, size + 3, SIZE_MAX, &out, &out_size), TRI_BAD_DATA, "3 bytes of something else");
    free(longer);
    free(packed);
    free(text);
}

static void gzip_peek_gives_the_first_bytes(void **state)
{
    (void)state;
    uint8_t *text = make_text(5000), begin[4];
    size_t size;
    uint8_t *packed = fixture_gzip(text, 5000, &size);
    assert_int_equal(tri__gzip_peek(packed, size, begin, sizeof begin), 4);
    assert_memory_equal(begin, text, 4);
    assert_int_equal(tri__gzip_peek((const uint8_t *)"\x1f\x8bnonsense", 10, begin, sizeof begin), 0);
    free(packed);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gzip_inflates_what_was_deflated),
        cmocka_unit_test(all_members_of_a_gzip_file_are_inflated),
        cmocka_unit_test(a_gzip_file_that_inflates_beyond_the_limit_is_refused),
        cmocka_unit_test(a_damaged_gzip_file_is_refused),
        cmocka_unit_test(gzip_peek_gives_the_first_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
