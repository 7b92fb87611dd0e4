/* merge_test.c: rows of several workers become one list of sums, with the same bits in however many parts. */
#include "store/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "support.h"

enum { FEATURES = 500, WIDTH = 3, LISTS = 4 };

/* Distinct keys and their gradients. */
typedef struct {
    int32_t keys[FEATURES];
    float gradient[FEATURES][WIDTH];
    int64_t count;
} list;

/* About half of the features, in an order of its own. */
static void fill(list *to, uint64_t number)
{
    const tri__key key = tri__key_split(tri__key_of(5), number);
    int64_t order[FEATURES];
    tri__random_permutation(key, FEATURES, order);
    to->count = FEATURES / 2 + (int64_t)number;
    for (int64_t i = 0; i < to->count; i++) {
        to->keys[i] = (int32_t)order[i];
        for (int k = 0; k < WIDTH; k++)
            to->gradient[i][k] = (float)tri__random_below(tri__key_split(key, 1), (uint64_t)(i * WIDTH + k), 1000) / 7;
    }
}

static void offer(const list *lists, int count, tri__offered_rows *out)
{
    for (int i = 0; i < count; i++)
        out[i] = (tri__offered_rows){lists[i].keys, lists[i].gradient[0], lists[i].count};
}

/* The sum of a key's gradients, list by list. Returns how many lists have the key. */
static int expected_sum(const list *lists, int count, int32_t key, float sum[WIDTH])
{
    int found = 0;
    memset(sum, 0, WIDTH * sizeof *sum);
    for (int l = 0; l < count; l++)
        for (int64_t i = 0; i < lists[l].count; i++)
            if (lists[l].keys[i] == key) {
                found++;
                for (int k = 0; k < WIDTH; k++)
                    sum[k] += lists[l].gradient[i][k];
            }
    return found;
}

/* Compares all parts with the sums; every key is in one of them. */
static void expect_parts(tri__merge *merge, const list *lists, int count, int parts)
{
    tri__offered_rows offered[LISTS] = {0};
    bool seen[FEATURES] = {0};
    offer(lists, count, offered);
    for (int part = 0; part < parts; part++) {
        assert_ok(tri__merge_rows(merge, offered, count, WIDTH, part, parts));
        const tri__table_keys keys = tri__merge_keys(merge);
        for (int64_t i = 0; i < keys.count; i++) {
            float sum[WIDTH];
            assert_false(seen[keys.keys[i]]);
            seen[keys.keys[i]] = true;
            assert_true(expected_sum(lists, count, keys.keys[i], sum) > 0);
            assert_memory_equal(sum, merge->sum + i * WIDTH, sizeof sum);
        }
    }
    for (int32_t key = 0; key < FEATURES; key++) {
        float sum[WIDTH];
        assert_int_equal(seen[key], expected_sum(lists, count, key, sum) > 0);
    }
}

static void sums_are_the_same_bits_in_any_number_of_parts(void **state)
{
    (void)state;
    static list lists[LISTS];
    tri__merge merge = {0};
    for (int i = 0; i < LISTS; i++)
        fill(&lists[i], (uint64_t)i);
    for (int parts = 1; parts <= 7; parts++)
        expect_parts(&merge, lists, LISTS, parts);
    tri__merge_fini(&merge);
}

static void a_shorter_step_after_a_longer_one_has_only_its_own_keys(void **state)
{
    (void)state;
    static list lists[LISTS];
    tri__merge merge = {0};
    for (int i = 0; i < LISTS; i++)
        fill(&lists[i], (uint64_t)i);
    expect_parts(&merge, lists, LISTS, 1);
    lists[0].count = 2;
    expect_parts(&merge, lists, 1, 1);
    expect_parts(&merge, lists, LISTS, 2);
    tri__merge_fini(&merge);
}

static void lists_without_rows_merge_to_none(void **state)
{
    (void)state;
    static list lists[2];
    tri__merge merge = {0};
    expect_parts(&merge, lists, 0, 1);
    expect_parts(&merge, lists, 2, 3);
    assert_int_equal(tri__merge_keys(&merge).count, 0);
    tri__merge_fini(&merge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_same_bits_in_any_number_of_parts),
        cmocka_unit_test(a_shorter_step_after_a_longer_one_has_only_its_own_keys),
        cmocka_unit_test(lists_without_rows_merge_to_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
