/* softmax.c: softmax cross-entropy in the LANES layout. */
#include "tensor/narrow/vector/softmax.h"

/* logits, labels, weights → loss, dlogits | scratch: one double for each thread */
void ISA(softmax_loss)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_loss_geometry *g = geometry;
    const v8 *logits = data[0];
    v8 *dlogits = data[4];
    double *partial = data[5], total = 0;
    const part_range mine = share(g->groups, thread, threads);
    for (int64_t group = mine.first; group < mine.end; group++) {
        const truth t = truth_of(data[1], data[2], group * 8, g->batch);
        total += sum_double(softmax_gradient(logits + group * g->classes, g->classes, t, dlogits + group * g->classes));
    }
    partial[thread] = total;
    team_barrier(threads);
    if (thread == 0) {
        for (int other = 1; other < threads; other++)
            total += partial[other];
        *(float *)data[3] = (float)total;
    }
}
