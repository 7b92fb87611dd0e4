/* allreduce_bare.c: what adding up gradients costs without anything around it: MPI_Allreduce, in place, bucket after bucket.
 *
 * usage: mpirun -n RANKS bench_allreduce_bare FLOATS BUCKET_FLOATS REPEATS
 * Rank 0 prints {"seconds": median of REPEATS}, each the time from the moment at which all are ready. */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { MOST_REPEATS = 10000 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double reduce(float *data, size_t floats, size_t bucket)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (size_t at = 0; at < floats; at += bucket)
        MPI_Allreduce(MPI_IN_PLACE, data + at, (int)(floats - at < bucket ? floats - at : bucket), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

int main(int count, char **arguments)
{
    MPI_Init(&count, &arguments);
    size_t floats = count == 4 ? strtoul(arguments[1], NULL, 10) : 0, bucket = count == 4 ? strtoul(arguments[2], NULL, 10) : 0;
    int repeats = count == 4 ? atoi(arguments[3]) : 0, rank;
    float *data = calloc(floats, sizeof *data);
    double *seconds = calloc(MOST_REPEATS, sizeof *seconds);
    if (!floats || !bucket || repeats < 1 || repeats > MOST_REPEATS || !data || !seconds) {
        fprintf(stderr, "usage: bench_allreduce_bare FLOATS BUCKET_FLOATS REPEATS (1 to %d)\n", MOST_REPEATS);
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    for (size_t i = 0; i < floats; i++)
        data[i] = 0; /* however often it is added up */
    reduce(data, floats, bucket);
    for (int i = 0; i < repeats; i++)
        seconds[i] = reduce(data, floats, bucket);
    qsort(seconds, (size_t)repeats, sizeof *seconds, by_size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("{\"seconds\": %.9f}\n", seconds[repeats / 2]);
    free(data);
    free(seconds);
    MPI_Finalize();
    return 0;
}
