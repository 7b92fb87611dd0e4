/* scalapack.c: ScaLAPACK's product of matrices, by its psgemm, on a grid of ranks.
 *
 * usage: mpirun -n DOWN·ACROSS scalapack N BLOCK DOWN ACROSS REPEATS
 * Rank 0 prints {"seconds": the mean of REPEATS}. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_pinfo(int *rank, int *ranks);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
int numroc_(const int *n, const int *block, const int *place, const int *first, const int *places);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb, const int *first_row, const int *first_column,
               const int *context, const int *leading, int *info);
void psgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const float *alpha, const float *a, const int *ia,
             const int *ja, const int *da, const float *b, const int *ib, const int *jb, const int *db, const float *beta, float *c,
             const int *ic, const int *jc, const int *dc);

static float *make(int rows, int columns)
{
    float *data = malloc((size_t)rows * (size_t)columns * sizeof *data + 1);
    for (size_t i = 0; data && i < (size_t)rows * (size_t)columns; i++)
        data[i] = (float)(i % 7) * 0.1F;
    return data;
}

static double measure(int n, int block, int context, int repeats)
{
    const int zero = 0, one = 1;
    const float alpha = 1, beta = 0;
    int down, across, row, column, descriptor[9], info;
    Cblacs_gridinfo(context, &down, &across, &row, &column);
    const int rows = numroc_(&n, &block, &row, &zero, &down), columns = numroc_(&n, &block, &column, &zero, &across);
    const int leading = rows > 0 ? rows : 1;
    descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &leading, &info);
    float *a = make(rows, columns), *b = make(rows, columns), *c = make(rows, columns);
    double spent = 0;
    const bool ready = a && b && c && info == 0;
    for (int i = 0; ready && i < repeats; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        psgemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, descriptor, b, &one, &one, descriptor, &beta, c, &one, &one, descriptor);
        MPI_Barrier(MPI_COMM_WORLD);
        spent += MPI_Wtime() - start;
    }
    free(a);
    free(b);
    free(c);
    return ready ? spent / repeats : -1;
}

int main(int count, char **words)
{
    int rank, ranks, context;
    if (count != 6) {
        fprintf(stderr, "usage: scalapack N BLOCK DOWN ACROSS REPEATS\n");
        return 2;
    }
    MPI_Init(&count, &words);
    Cblacs_pinfo(&rank, &ranks);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", atoi(words[3]), atoi(words[4]));
    double seconds = measure(atoi(words[1]), atoi(words[2]), context, atoi(words[5]));
    if (rank == 0)
        printf("{\"seconds\": %.6f}\n", seconds);
    MPI_Finalize();
    return seconds < 0;
}
