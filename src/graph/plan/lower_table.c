/* lower_table.c: kernels for operators on tables, which compute only on the rows that a batch names.
 *
 * The rows of a step are a copy of the distinct rows, with a gradient beside it; or, where the store lends its tables or nothing is
 * trained, the table itself. Examples are shared out over the team when a table is read. When a gradient is added up, each thread takes all
 * examples and a part of the distinct rows, so that every row's sum runs in the order of the examples, whatever the team's size. Where the
 * update goes straight into a lent table, threads take a part of the examples each, without locks: see store.h. */
#include "graph/plan/lower_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "tensor/sparse/sparse.h"

typedef enum { SUM, MEAN, GATHER, PAIRWISE } table_sum;

typedef struct {
    tri__kernel kernel;
    const tri__plan_table *table; /* the plan's */
    const tri_node *node;
    table_sum sum;
    bool gradient;
    int values; /* the index of the argument that has the values; −1: all are 1 */
    int64_t fields;
    const int *team; /* the plan's: how many threads work */
    float *scratch;  /* [table_threads][pitch] sums of an example */
    int64_t pitch;
} table_kernel;

/* Below this many features a team costs more time than it saves. */
#define WORTH_A_TEAM 4096

static float *scratch_of(const table_kernel *self, int thread)
{
    return self->scratch + thread * self->pitch;
}

static void read_rows(const table_kernel *self, const tri__sparse_examples *examples, float *y, int thread)
{
    const tri__table_view weights = self->table->weights;
    switch (self->sum) {
    case SUM:
    case MEAN:
        tri__sparse_sum(examples, weights, self->sum == MEAN, y);
        break;
    case GATHER:
        tri__sparse_gather(examples, weights, self->fields, y);
        break;
    case PAIRWISE:
        tri__sparse_pairwise(examples, weights, scratch_of(self, thread), y);
        break;
    }
}

static void add_rows(const table_kernel *self, const tri__sparse_examples *examples, const float *dy, tri__table_part part, int thread)
{
    const tri__plan_table *table = self->table;
    switch (self->sum) {
    case SUM:
    case MEAN:
        tri__sparse_sum_grad(examples, dy, self->sum == MEAN, table->factor, part, table->gradient);
        break;
    case GATHER:
        tri__sparse_gather_grad(examples, dy, self->fields, table->factor, part, table->gradient);
        break;
    case PAIRWISE:
        tri__sparse_pairwise_grad(examples, table->weights, dy, table->factor, part, table->gradient, scratch_of(self, thread));
        break;
    }
}

/* The examples of thread t of parts. */
static tri__sparse_examples share_of(tri__sparse_examples examples, int t, int parts)
{
    const int64_t count = examples.end;
    examples.first = count * t / parts;
    examples.end = count * (t + 1) / parts;
    return examples;
}

/* Set the part of the gradient that belongs to thread t to 0, where it is a copy; returns that part. */
static tri__table_part clear_part(const tri__plan_table *table, int t, int parts)
{
    const int64_t first = table->count * t / parts, end = table->count * (t + 1) / parts, width = table->gradient.width;
    memset(table->gradient.data + first * width, 0, (size_t)((end - first) * width) * sizeof(float));
    return parts == 1 ? TRI_TABLE_WHOLE : (tri__table_part){(int32_t)first, (int32_t)end};
}

static void run_part(const table_kernel *self, const tri__sparse_examples *examples, void *const *data, int t, int parts)
{
    const tri__plan_table *table = self->table;
    if (!self->gradient) {
        const tri__sparse_examples mine = share_of(*examples, t, parts);
        read_rows(self, &mine, data[self->kernel.inputs], t);
    } else if (table->lent) {
        const tri__sparse_examples mine = share_of(*examples, t, parts);
        add_rows(self, &mine, data[0], TRI_TABLE_WHOLE, t);
    } else {
        add_rows(self, examples, data[0], clear_part(table, t, parts), t);
    }
}

/* Checks that the longest list of the batch has room where features lie side by side. */
static tri_status check_fields(const table_kernel *self, const tri_batch *batch)
{
    for (int64_t row = 0; self->sum == GATHER && row < batch->rows; row++)
        if (batch->offsets[row + 1] - batch->offsets[row] > self->fields)
            return tri_fail(TRI_BAD_DATA, "'%s': an example has %lld features, and only %lld are put side by side; give a larger number",
                            self->node->name, (long long)(batch->offsets[row + 1] - batch->offsets[row]), (long long)self->fields);
    return NULL;
}

static tri_status run(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    const table_kernel *self = (const table_kernel *)kernel;
    const tri_batch *batch = moment->batch;
    const tri__sparse_examples examples = {
        .offsets = batch->offsets, .at = self->table->at, .values = self->values >= 0 ? batch->values : NULL, .end = batch->rows};
    TRI_TRY(check_fields(self, batch));
    const int parts = batch->offsets[batch->rows] >= WORTH_A_TEAM ? *self->team : 1;
    if (parts == 1) {
        run_part(self, &examples, data, 0, 1);
        return NULL;
    }
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int t = 0; t < parts; t++)
        run_part(self, &examples, data, t, parts);
    return NULL;
}

static void destroy(tri__kernel *kernel)
{
    free(((table_kernel *)kernel)->scratch);
    free(kernel);
}

static const struct {
    const char *name;
    table_sum sum;
    bool gradient;
    int values; /* the index of the input that has the values */
} known[] = {
    {"sparse_dot", SUM, false, 2},        {"sparse_dot_grad", SUM, true, 2}, {"sparse_sum", SUM, false, -1},
    {"sparse_sum_grad", SUM, true, -1},   {"sparse_mean", MEAN, false, -1},  {"sparse_mean_grad", MEAN, true, -1},
    {"gather", GATHER, false, -1},        {"gather_grad", GATHER, true, -1}, {"pairwise", PAIRWISE, false, 2},
    {"pairwise_grad", PAIRWISE, true, 3},
};

static void describe(table_kernel *self, const tri_node *node, tri__lowered *lowered)
{
    self->kernel = (tri__kernel){.name = "table", .inputs = node->inputs, .outputs = 1, .run = run, .destroy = destroy};
    for (int i = 0; i < node->inputs; i++) {
        self->kernel.argument[i].bytes = tri__node_bytes(node->input[i]);
        lowered->input[i] = node->input[i];
    }
    self->kernel.argument[node->inputs].bytes = tri__node_bytes(node);
    lowered->output[0] = node;
    lowered->kernel = &self->kernel;
}

tri_status tri__lower_table(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri_plan *plan = compiler->plan;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!tri__node_is(node, known[i].name))
            continue;
        const tri_node *table = known[i].gradient ? node->parameter : node->input[0];
        table_kernel *self;
        TRI_TRY(tri__allocate(1, sizeof *self, "a kernel", &self));
        *self = (table_kernel){
            .table = &plan->table[table->table],
            .node = node->forward ? node->forward : node,
            .sum = known[i].sum,
            .gradient = known[i].gradient,
            .values = known[i].values,
            .fields = node->attributes.size,
            .team = &plan->table_team,
            .pitch = (2 * table->shape.dim[1] + 15) / 16 * 16 + 16, /* no two threads write to one cache line */
        };
        describe(self, node, lowered);
        return tri__allocate((size_t)plan->table_threads, (size_t)self->pitch * sizeof(float), "a kernel", &self->scratch);
    }
    return NULL;
}
