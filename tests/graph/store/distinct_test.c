/* distinct_test.c: the distinct keys of a batch are those that a search through all keys so far finds, in the order in which they occur. */
#include "graph/store/distinct.h"

#include "base/bytes/random.h"
#include "support.h"

enum { FEATURES = 2000, BATCHES = 50 };

/* Few distinct keys in one batch, many in the next: cells of an earlier batch must count as empty. */
static void draw_batch(int32_t *keys, uint64_t batch)
{
    const uint64_t distinct = batch % 3 == 0 ? 1 : batch % 3 == 1 ? 40 : INT32_MAX;
    for (uint64_t i = 0; i < FEATURES; i++)
        keys[i] = (int32_t)tri__random_below(tri__key_of(batch), i, distinct);
}

static int64_t search(const int32_t *keys, int64_t count, int32_t key)
{
    int64_t i = 0;
    while (i < count && keys[i] != key)
        i++;
    return i;
}

static void assert_as_searched(const tri__distinct *distinct, const int32_t *keys, int64_t features)
{
    int32_t expected[FEATURES];
    int64_t count = 0;
    for (int64_t i = 0; i < features; i++) {
        const int64_t place = search(expected, count, keys[i]);
        if (place == count)
            expected[count++] = keys[i];
        assert_int_equal(distinct->at[i], place);
    }
    assert_int_equal(distinct->features, features);
    assert_int_equal(distinct->count, count);
    assert_memory_equal(distinct->keys, expected, (size_t)count * sizeof *expected);
}

static void keys_stand_where_a_search_finds_them(void **state)
{
    (void)state;
    int32_t keys[FEATURES];
    tri__distinct distinct = {0};
    for (uint64_t batch = 0; batch < BATCHES; batch++) {
        draw_batch(keys, batch);
        assert_ok(tri__distinct_find(&distinct, keys, FEATURES));
        assert_as_searched(&distinct, keys, FEATURES);
    }
    tri__distinct_fini(&distinct);
}

static void batches_of_any_size_may_have_new_keys_only(void **state)
{
    (void)state;
    tri__distinct distinct = {0};
    for (int32_t features = 0; features < 70; features++) {
        int32_t keys[70];
        for (int32_t i = 0; i < features; i++)
            keys[i] = INT32_MAX - i;
        assert_ok(tri__distinct_find(&distinct, keys, features));
        assert_as_searched(&distinct, keys, features);
        tri__distinct_fini(&distinct); /* the next batch gets memory for itself alone */
    }
}

/* A small batch uses a part of the memory that a large one left full. */
static void a_small_batch_sees_no_key_of_the_large_one_before_it(void **state)
{
    (void)state;
    int32_t keys[FEATURES];
    tri__distinct distinct = {0};
    for (int64_t features = FEATURES; features > 0; features /= 3) {
        draw_batch(keys, 2);
        assert_ok(tri__distinct_find(&distinct, keys, FEATURES));
        assert_ok(tri__distinct_find(&distinct, keys + FEATURES - features, features));
        assert_as_searched(&distinct, keys + FEATURES - features, features);
    }
    tri__distinct_fini(&distinct);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_stand_where_a_search_finds_them),
        cmocka_unit_test(batches_of_any_size_may_have_new_keys_only),
        cmocka_unit_test(a_small_batch_sees_no_key_of_the_large_one_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
