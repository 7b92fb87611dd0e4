/* rank_rows_test.c: ranks on this machine give each other their rows of a table. The test starts itself under mpirun; the word on its
 * command line says what its ranks do. */
#include "store/rank_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/table.h"
#include "under_mpirun.h"

enum { FEATURES = 1000, WIDTH = 2, MOST = 700 };

static void hung(void *context, const char *why)
{
    (void)context;
    fprintf(stderr, "%s\n", why);
    _exit(1);
}

/* A rank that fails says why, and mpirun ends all of them. */
#define CHECK(condition)                                                                                                                   \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                                        \
            _exit(1);                                                                                                                      \
        }                                                                                                                                  \
    } while (0)

static bool fails_with(tri_status status, const char *text)
{
    const bool right = status && strstr(tri_status_message(status), text);
    tri_status_free(status);
    return right;
}

static bool succeeds(tri_status status)
{
    if (status)
        fprintf(stderr, "%s\n", tri_status_message(status));
    tri_status_free(status);
    return !status;
}

/* Rank r offers the keys step, step + r + 1, step + 2 (r + 1), …; rank 1 offers nothing in step 1. */
static int64_t rows_of(int rank, int step)
{
    return rank == 1 && step == 1 ? 0 : 20 + 100 * rank * (step + 1);
}

static int32_t key_of(int rank, int step, int64_t i)
{
    return (int32_t)((step + (rank + 1) * i) % FEATURES);
}

static float gradient_of(int rank, int step, int32_t key, int k)
{
    return (float)(rank + 1) / 3 + (float)(key * WIDTH + k) / 7 + (float)step;
}

static bool offers(int rank, int step, int32_t key)
{
    for (int64_t i = 0; i < rows_of(rank, step); i++)
        if (key_of(rank, step, i) == key)
            return true;
    return false;
}

static int64_t expected_rows(int ranks, int step)
{
    int64_t count = 0;
    for (int32_t key = 0; key < FEATURES; key++) {
        bool any = false;
        for (int r = 0; r < ranks; r++)
            any |= offers(r, step, key);
        count += any;
    }
    return count;
}

/* Sums in the order of the ranks, so they are the same bits. */
static void check_sums(const tri__rank_rows *rows, int ranks, int step)
{
    const tri__table_keys keys = tri__merge_keys(&rows->merge);
    CHECK(keys.count == expected_rows(ranks, step));
    for (int64_t i = 0; i < keys.count; i++)
        for (int k = 0; k < WIDTH; k++) {
            float sum = 0;
            for (int r = 0; r < ranks; r++)
                if (offers(r, step, keys.keys[i]))
                    sum += gradient_of(r, step, keys.keys[i], k);
            CHECK(rows->merge.sum[i * WIDTH + k] == sum);
        }
}

static void exchange(tri__ranks *ranks)
{
    static int32_t keys[MOST];
    static float gradient[MOST][WIDTH];
    const int rank = tri__ranks_rank(ranks), size = tri__ranks_size(ranks);
    tri__rank_rows rows;
    tri__rank_rows_init(&rows, FEATURES, WIDTH);
    for (int step = 0; step < 3; step++) {
        const int64_t count = rows_of(rank, step);
        CHECK(count <= MOST);
        for (int64_t i = 0; i < count; i++) {
            keys[i] = key_of(rank, step, i);
            for (int k = 0; k < WIDTH; k++)
                gradient[i][k] = gradient_of(rank, step, keys[i], k);
        }
        if (count)
            tri__rank_rows_offer(&rows, (tri__offered_rows){keys, gradient[0], count});
        CHECK(succeeds(tri__rank_rows_exchange(&rows, ranks)));
        memset(keys, 0, sizeof keys); /* what was offered may be forgotten */
        CHECK(succeeds(tri__rank_rows_merge(&rows)));
        check_sums(&rows, size, step);
    }
    CHECK((rows.sent_bytes > 0) == (size > 1) && rows.sent_bytes == rows.received_bytes);
    tri__rank_rows_fini(&rows);
}

/* Rank 1 offers a key, or a number of rows, that the table does not have: every rank refuses it, and says whose it is. */
static void refuse(tri__ranks *ranks)
{
    const int32_t wrong = FEATURES;
    const float gradient[WIDTH] = {1, 2};
    const bool guilty = tri__ranks_rank(ranks) == 1;
    tri__rank_rows rows;
    tri__rank_rows_init(&rows, FEATURES, WIDTH);
    if (guilty)
        tri__rank_rows_offer(&rows, (tri__offered_rows){&wrong, gradient, 1});
    CHECK(succeeds(tri__rank_rows_exchange(&rows, ranks)));
    CHECK(fails_with(tri__rank_rows_merge(&rows), "rank 1 offers row 1000 of a table of 1000"));
    if (guilty)
        tri__rank_rows_offer(&rows, (tri__offered_rows){&wrong, gradient, FEATURES + 1});
    CHECK(fails_with(tri__rank_rows_exchange(&rows, ranks), "rank 1 offers 1001 rows of a table of 1000"));
    tri__rank_rows_fini(&rows);
}

static void share(tri__ranks *ranks)
{
    tri_table table;
    CHECK(succeeds(tri__table_init(&table, FEATURES, WIDTH, 0)));
    for (int64_t i = 0; i < FEATURES * table.stride; i++)
        table.data[i] = (float)(i + tri__ranks_rank(ranks));
    CHECK(succeeds(tri__rank_rows_share(&table, ranks)));
    for (int64_t i = 0; i < FEATURES * table.stride; i++)
        CHECK(table.data[i] == (float)i);
    CHECK(succeeds(tri__rank_rows_share(&table, ranks))); /* all have the same now */
    tri__table_fini(&table);
}

static int be_rank(const char *word)
{
    tri__ranks *ranks;
    if (!succeeds(tri__ranks_join(&(tri__ranks_options){.timeout = INT64_C(60000000000), .hung = hung}, &ranks)))
        return 1;
    const bool first = tri__ranks_rank(ranks) == 0;
    (strcmp(word, "exchange") == 0 ? exchange : strcmp(word, "refuse") == 0 ? refuse : share)(ranks);
    tri__ranks_leave(ranks);
    if (first)
        puts("well");
    return 0;
}

static void every_rank_gets_the_sums_of_all_ranks_rows(void **state)
{
    expect_ranks(*state, "3", "exchange", "well\n");
    expect_ranks(*state, "1", "exchange", "well\n");
}

static void rows_that_the_table_does_not_have_are_refused_by_every_rank(void **state)
{
    expect_ranks(*state, "3", "refuse", "well\n");
}

static void shared_table_is_that_of_rank_0(void **state)
{
    expect_ranks(*state, "3", "share", "well\n");
}

int main(int count, char **words)
{
    if (count == 2)
        return be_rank(words[1]);
    if (!mpirun_is_there())
        return 77; /* skipped */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_rank_gets_the_sums_of_all_ranks_rows, words[0]),
        cmocka_unit_test_prestate(rows_that_the_table_does_not_have_are_refused_by_every_rank, words[0]),
        cmocka_unit_test_prestate(shared_table_is_that_of_rank_0, words[0]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
