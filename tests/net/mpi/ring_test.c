/* ring_test.c: ranks on this machine add up rows of numbers around a ring. The test starts itself under mpirun, as "ring_test rank"; as
 * "ring_test vanish" the last rank is gone before it has added anything. */
#include "net/mpi/ring.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "under_mpirun.h"

/* floats: fewer than ranks, part of a chunk, chunks that use every index several times, and sizes in between */
static const size_t sizes[] = {1, 2, 50000, 3000001, 700, 9000000, 48000, 15999, 16001, 4};
enum { SUMS = sizeof sizes / sizeof *sizes, TURNS = 3, MOST_RANKS = 3 };

/* Small whole numbers, so that every order of adding gives the same. */
static float value(int rank, int sum, size_t i)
{
    return (float)((rank + 1) * (sum + 1) + (int)(i % 1000));
}

static float total(int ranks, int sum, size_t i)
{
    return (float)((ranks + 1) * ranks / 2 * (sum + 1) + ranks * (int)(i % 1000));
}

static float *begin(tri__ring *ring, int rank, int sum)
{
    float *data = malloc(sizes[sum] * sizeof *data);
    for (size_t i = 0; data && i < sizes[sum]; i++)
        data[i] = value(rank, sum, i);
    if (data && tri__ring_begin(ring, data, sizes[sum]) == MPI_SUCCESS)
        return data;
    fprintf(stderr, "sum %d was not begun\n", sum);
    exit(1);
}

static void end(tri__ring *ring, int ranks, int sum, float *data)
{
    int error = tri__ring_end(ring);
    for (size_t i = 0; i < sizes[sum]; i++)
        if (error != MPI_SUCCESS || data[i] != total(ranks, sum, i)) {
            fprintf(stderr, "sum %d, float %zu: %g instead of %g\n", sum, i, (double)data[i], (double)total(ranks, sum, i));
            exit(1);
        }
    free(data);
}

/* Every float goes around in 2(n − 1) hops, and each message is counted once where it is sent and once where it arrives. */
static void check_counts(const tri__mpi *mpi, int rank, int ranks, const tri__peer_traffic *left, const tri__peer_traffic *right)
{
    int64_t floats = 0, from_left = 0;
    for (int i = 0; i < SUMS; i++)
        floats += TURNS * (int64_t)sizes[i];
    int64_t counts[2] = {left->received, right->sent}, *all = calloc((size_t)ranks, sizeof counts);
    const int error = all ? mpi->Allgather(counts, sizeof counts, mpi->byte_type, all, sizeof counts, mpi->byte_type, mpi->world) : 1;
    int64_t received = 0, sent = 0;
    for (int i = 0; i < ranks && !error; i++) {
        received += all[2 * i];
        sent += all[2 * i + 1];
        from_left = i == (rank + ranks - 1) % ranks ? all[2 * i + 1] : from_left;
    }
    free(all);
    if (error || sent != 2 * (ranks - 1) * floats * (int64_t)sizeof(float) || received != sent || left->received != from_left) {
        fprintf(stderr, "rank %d counted %lld bytes from its left, which sent %lld; all sent %lld and received %lld\n", rank,
                (long long)left->received, (long long)from_left, (long long)sent, (long long)received);
        exit(1);
    }
}

/* So many under way at a time, but for what is left at the end. */
static void add_up(tri__ring *ring, int rank, int ranks, int at_once)
{
    float *data[SUMS];
    for (int begun = 0, ended = 0; ended < SUMS; ended++) {
        for (; begun < SUMS && begun < ended + at_once; begun++)
            data[begun] = begin(ring, rank, begun);
        end(ring, ranks, ended, data[ended]);
    }
}

/* Ranks that run ahead of each other by different numbers of sums are in the same rows all the same. */
static int be_rank(bool vanishes)
{
    tri__mpi mpi;
    tri__ring *ring;
    int provided, rank, size;
    static tri__traffic traffic;
    tri__peer_traffic *peers[MOST_RANKS];
    for (int i = 0; i < MOST_RANKS; i++)
        peers[i] = tri__traffic_peer(&traffic, (const char *const[MOST_RANKS]){"worker:0", "worker:1", "worker:2"}[i]);
    if (tri__mpi_load(&mpi) || mpi.Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) || mpi.Comm_rank(mpi.world, &rank) ||
        mpi.Comm_size(mpi.world, &size) || tri__ring_create(&mpi, rank, size, peers, &ring))
        return 1;
    if (vanishes && rank == size - 1)
        _exit(9); /* without telling the other ranks */
    add_up(ring, rank, size, 1);
    add_up(ring, rank, size, TRI__RING_SUMS);
    add_up(ring, rank, size, rank + 1);
    tri__ring_destroy(ring);
    check_counts(&mpi, rank, size, peers[(rank + size - 1) % size], peers[(rank + 1) % size]);
    mpi.Finalize();
    if (rank == 0)
        puts("all sums are right");
    return 0;
}

static void several_sums_are_under_way_in_one_ring(void **state)
{
    expect_ranks(*state, "3", "rank", "all sums are right\n");
    expect_ranks(*state, "2", "rank", "all sums are right\n");
}

static void no_rank_completes_a_sum_from_which_a_rank_is_missing(void **state)
{
    test_result result = run_under_mpirun(*state, "3", "vanish");
    assert_string_equal(result.out, "");
    assert_int_not_equal(result.status, 0);
    test_result_fini(&result);
}

int main(int count, char **words)
{
    if (count == 2)
        return be_rank(!strcmp(words[1], "vanish"));
    if (!mpirun_is_there())
        return 77; /* skipped */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(several_sums_are_under_way_in_one_ring, words[0]),
        cmocka_unit_test_prestate(no_rank_completes_a_sum_from_which_a_rank_is_missing, words[0]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
