/* shard_test.c: whatever the workers, batches, epochs and changes between them, every example is seen exactly once an epoch. */
#include "data/order/shard.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { MOST = 64 };

/* Let all workers take one step; count what they see. */
static int64_t step(int64_t position, tri__shard shard, int *seen)
{
    int64_t after = -1;
    for (shard.worker = 0; shard.worker < shard.workers; shard.worker++) {
        tri__slice slice = tri__shard_slice(&shard, position);
        assert_true(slice.count >= 0 && slice.count <= shard.batch);
        assert_int_equal(slice.epoch, position / shard.examples);
        for (int64_t i = slice.first; i < slice.first + slice.count; i++)
            seen[i]++;
        assert_true(after < 0 || after == slice.after);
        after = slice.after;
    }
    return after;
}

static void assert_each_once(const int *seen, int64_t examples)
{
    for (int64_t i = 0; i < examples; i++)
        assert_int_equal(seen[i], 1);
}

static void workers_see_every_example_once(void **state)
{
    (void)state;
    for (int64_t examples = 1; examples <= 40; examples += 3)
        for (int64_t workers = 1; workers <= 9; workers++)
            for (int64_t batch = 1; batch <= 8; batch++) {
                const tri__shard shard = {.batch = batch, .workers = workers, .examples = examples, .end = 3 * examples};
                int64_t position = 0;
                for (int epoch = 0; epoch < 3; epoch++) {
                    int seen[MOST] = {0};
                    while (position < (epoch + 1) * examples)
                        position = step(position, shard, seen);
                    assert_int_equal(position, (epoch + 1) * examples);
                    assert_each_once(seen, examples);
                }
                assert_int_equal(tri__shard_slice(&shard, position).after, position);
            }
}

static void changing_numbers_of_workers_see_every_example_once(void **state)
{
    (void)state;
    static const int64_t workers[] = {3, 1, 5, 2, 9, 4};
    int64_t position = 0;
    int seen[61] = {0};
    for (int i = 0; position < 61; i++)
        position = step(position, (tri__shard){.batch = 2, .workers = workers[i % 6], .examples = 61, .end = INT64_MAX}, seen);
    assert_each_once(seen, 61);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(workers_see_every_example_once),
                                       cmocka_unit_test(changing_numbers_of_workers_see_every_example_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
