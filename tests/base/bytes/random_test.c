/* Philox against Random123's known answers; streams that do not depend on how they are taken; distributions. */
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/bytes/random.h"

enum { MANY = 100000 };

/* From Random123's kat_vectors, philox 4x32, 10 rounds. */
static void philox_gives_the_known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        tri__philox(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

typedef void (*fill_function)(tri__key, uint64_t, int64_t, float *);

/* Every way to cut a stretch of the stream gives the same bits as one number at a time. */
static void check_stream(fill_function fill, uint64_t origin)
{
    tri__key key = tri__key_of(7);
    float expected[300], got[300];
    for (int i = 0; i < 300; i++)
        fill(key, origin + (uint64_t)i, 1, &expected[i]);
    for (int first = 0; first < 10; first++)
        for (int count = 0; count + first <= 300; count += 1 + first) {
            fill(key, origin + (uint64_t)first, count, got);
            assert_memory_equal(got, expected + first, (size_t)count * sizeof *got);
        }
}

static void a_random_stream_is_the_same_however_it_is_cut(void **state)
{
    (void)state;
    check_stream(tri__random_fill_uniform, 0);
    check_stream(tri__random_fill_normal, 0);
    check_stream(tri__random_fill_uniform, ((uint64_t)1 << 34) - 100); /* where a block's number passes 32 bits */
}

static void random_bytes_are_the_same_however_they_are_cut(void **state)
{
    (void)state;
    tri__key key = tri__key_of(7);
    uint8_t whole[1000], part[1000];
    tri__random_fill_bytes(key, 0, 1000, whole);
    for (int first = 0; first < 40; first++) {
        tri__random_fill_bytes(key, (uint64_t)first, 1000 - first, part);
        assert_memory_equal(part, whole + first, (size_t)(1000 - first));
    }
    int64_t sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += whole[i];
    assert_in_range(sum, 120000, 135000);
}

static void different_keys_give_different_streams(void **state)
{
    (void)state;
    tri__key base = tri__key_of(1);
    const tri__key keys[] = {
        base,
        tri__key_of(2),
        tri__key_split(base, 0),
        tri__key_split(base, 1),
        tri__key_split(base, (uint64_t)1 << 32),
        tri__key_split_name(base, "conv1.weight"),
        tri__key_split_name(base, "conv2.weight"),
        tri__key_split_name(base, ""),
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(tri__random_bits(keys[i], 0), tri__random_bits(keys[k], 0));
    assert_int_equal(tri__key_split_name(base, "a").word, tri__key_split_name(tri__key_of(1), "a").word);
}

static void uniform_random_numbers_fill_the_unit_interval(void **state)
{
    (void)state;
    tri__key key = tri__key_of(3);
    static float numbers[MANY];
    double sum = 0, squares = 0;
    tri__random_fill_uniform(key, 0, MANY, numbers);
    for (int i = 0; i < MANY; i++) {
        float x = numbers[i];
        assert_true(x >= 0 && x < 1);
        sum += x;
        squares += (double)x * x;
    }
    assert_float_equal(sum / MANY, 0.5, 0.005);
    assert_float_equal(squares / MANY, 1.0 / 3, 0.005);
}

static void normal_random_numbers_have_the_right_moments(void **state)
{
    (void)state;
    static float x[MANY];
    tri__random_fill_normal(tri__key_of(4), 0, MANY, x);
    double sum = 0, squares = 0, fourth = 0, neighbours = 0;
    for (int i = 0; i < MANY; i++) {
        assert_true(isfinite(x[i]));
        sum += x[i];
        squares += (double)x[i] * x[i];
        fourth += pow(x[i], 4);
        neighbours += i ? (double)x[i] * x[i - 1] : 0;
    }
    assert_float_equal(sum / MANY, 0, 0.015);
    assert_float_equal(squares / MANY, 1, 0.02);
    assert_float_equal(fourth / MANY, 3, 0.15);
    assert_float_equal(neighbours / MANY, 0, 0.015);
}

static void random_numbers_below_a_bound_are_uniform(void **state)
{
    (void)state;
    int counts[7] = {0};
    for (int i = 0; i < 70000; i++) {
        uint64_t x = tri__random_below(tri__key_of(5), (uint64_t)i, 7);
        assert_in_range(x, 0, 6);
        counts[x]++;
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(counts[i], 9600, 10400);
    assert_int_equal(tri__random_below(tri__key_of(5), 9, 1), 0);
}

static void a_permutation_has_every_number_once(void **state)
{
    (void)state;
    static int64_t order[MANY], again[MANY];
    static bool seen[MANY];
    for (int64_t count = 0; count < 70; count++) {
        memset(seen, 0, sizeof seen);
        tri__random_permutation(tri__key_of(6), count, order);
        for (int64_t i = 0; i < count; i++) {
            assert_in_range(order[i], 0, count - 1);
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
        }
    }
    tri__random_permutation(tri__key_of(6), MANY, order);
    tri__random_permutation(tri__key_of(6), MANY, again);
    assert_memory_equal(order, again, sizeof order);
    int64_t fixed = 0;
    for (int64_t i = 0; i < MANY; i++)
        fixed += order[i] == i;
    assert_true(fixed < 12); /* one is expected */
}

/* All six orders of three things come equally often. */
static void random_permutations_are_uniform(void **state)
{
    (void)state;
    int counts[27] = {0};
    for (uint64_t i = 0; i < 6000; i++) {
        int64_t order[3];
        tri__random_permutation(tri__key_split(tri__key_of(8), i), 3, order);
        counts[order[0] * 9 + order[1] * 3 + order[2]]++;
    }
    int orders = 0;
    for (int i = 0; i < 27; i++)
        if (counts[i]) {
            orders++;
            assert_in_range(counts[i], 850, 1150);
        }
    assert_int_equal(orders, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_known_answers),
        cmocka_unit_test(a_random_stream_is_the_same_however_it_is_cut),
        cmocka_unit_test(random_bytes_are_the_same_however_they_are_cut),
        cmocka_unit_test(different_keys_give_different_streams),
        cmocka_unit_test(uniform_random_numbers_fill_the_unit_interval),
        cmocka_unit_test(normal_random_numbers_have_the_right_moments),
        cmocka_unit_test(random_numbers_below_a_bound_are_uniform),
        cmocka_unit_test(a_permutation_has_every_number_once),
        cmocka_unit_test(random_permutations_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
