/* bigmatmul.c: the trace of A·B, for random n×n matrices in blocks of b×b, on as many tasks as mpirun starts:
 *
 *   mpirun -n 4 bigmatmul 4096 512 diagonal
 *
 * It is computed in three ways: by all blocks of the product; by those on its diagonal, which is what the trace needs; and without any
 * product, since trace(A·B) = Σ A∘Bᵀ. A row for each tells how many bytes moved between tasks, and what it cost. Where block (i, j) of A, B
 * and C lies is the third word: diagonal is (i + j) mod tasks, so that A(i, k) and B(k, i) lie together and only scalars move. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trireme/trireme.h>
#include <unistd.h>

typedef enum { DIAGONAL, ROWS, COLUMNS, GRID, PLACEMENTS } placement;
static const char *const placement_names[] = {"diagonal", "rows", "columns", "grid"};

typedef enum { FULL, NEEDED, REWRITTEN, WAYS } way;
static const char *const way_names[] = {"full product", "needed blocks", "no product"};

typedef struct {
    int64_t n, block, side; /* side: blocks in a row */
    placement placement;
    int tasks;
    tri_graph *graph;
    tri_node **a, **b; /* [side][side], made when first needed */
} matrices;

typedef struct {
    double trace, seconds, flops, bytes_sent, memory;
} cost;

/* ---- the graph ---- */

static int owner_of(const matrices *m, int64_t i, int64_t j)
{
    int across = 1;
    while ((across + 1) * (across + 1) <= m->tasks)
        across++;
    int down = m->tasks / across;
    switch (m->placement) {
    case ROWS:
        return (int)(i % m->tasks);
    case COLUMNS:
        return (int)(j % m->tasks);
    case GRID:
        return (int)(i % down) * across + (int)(j % across);
    default:
        return (int)((i + j) % m->tasks);
    }
}

static tri_status place(matrices *m, tri_node *node, int task)
{
    char text[48];
    snprintf(text, sizeof text, "/job:worker/task:%d", task);
    return tri_node_place(m->graph, node, text);
}

/* Block (i, j) of the random matrix number 1 or 2. */
static tri_status take_block(matrices *m, int number, int64_t i, int64_t j, tri_node **out)
{
    tri_node **kept = (number == 1 ? m->a : m->b) + i * m->side + j;
    if (!*kept) {
        const tri_attributes attributes = {.shape = {.rank = 2, .dim = {m->block, m->block}},
                                           .init = TRI_INIT_UNIFORM,
                                           .value = 1,
                                           .matrix = number,
                                           .row = i * m->block,
                                           .column = j * m->block};
        TRI_TRY(tri_graph_add(m->graph, "random_block", NULL, NULL, 0, &attributes, kept));
        TRI_TRY(place(m, *kept, owner_of(m, i, j)));
    }
    *out = *kept;
    return NULL;
}

/* total + node, where there is a total. Scalars are added up on task 0; other sums stay where they are. */
static tri_status accumulate(matrices *m, tri_node **total, tri_node *node, bool on_first)
{
    if (!*total) {
        *total = node;
        return NULL;
    }
    TRI_TRY(tri_graph_add(m->graph, "add_n", NULL, (tri_node *[]){*total, node}, 2, NULL, total));
    return on_first ? place(m, *total, 0) : NULL;
}

/* A(i, k)·B(k, j), where C(i, j) lies. */
static tri_status multiply(matrices *m, int64_t i, int64_t k, int64_t j, tri_node **out)
{
    tri_node *factors[2];
    TRI_TRY(take_block(m, 1, i, k, &factors[0]));
    TRI_TRY(take_block(m, 2, k, j, &factors[1]));
    TRI_TRY(tri_graph_add(m->graph, "matmul", NULL, factors, 2, NULL, out));
    return i == j && m->placement == DIAGONAL ? NULL : place(m, *out, owner_of(m, i, j));
}

/* Traces of the products that make up the diagonal blocks. */
static tri_status add_diagonal(matrices *m, tri_node **trace)
{
    for (int64_t i = 0; i < m->side; i++)
        for (int64_t k = 0; k < m->side; k++) {
            tri_node *product, *part;
            TRI_TRY(multiply(m, i, k, i, &product));
            TRI_TRY(tri_graph_add(m->graph, "trace", NULL, &product, 1, NULL, &part));
            TRI_TRY(accumulate(m, trace, part, true));
        }
    return NULL;
}

/* Every block of C, its sum, so that none is left out, and the trace of those on the diagonal. */
static tri_status add_product(matrices *m, tri_node **trace, tri_node **sum)
{
    const tri_attributes all = {.axis = TRI_AXIS_ALL};
    for (int64_t at = 0; at < m->side * m->side; at++) {
        int64_t i = at / m->side, j = at % m->side;
        tri_node *block = NULL, *part;
        for (int64_t k = 0; k < m->side; k++) {
            TRI_TRY(multiply(m, i, k, j, &part));
            TRI_TRY(accumulate(m, &block, part, false));
        }
        TRI_TRY(tri_graph_add(m->graph, "sum", NULL, &block, 1, &all, &part));
        TRI_TRY(accumulate(m, sum, part, true));
        if (i != j)
            continue;
        TRI_TRY(tri_graph_add(m->graph, "trace", NULL, &block, 1, NULL, &part));
        TRI_TRY(accumulate(m, trace, part, true));
    }
    return tri_graph_output(m->graph, "sum", *sum);
}

static tri_status build(matrices *m, way which)
{
    tri_node *trace = NULL, *sum = NULL;
    memset(m->a, 0, (size_t)(m->side * m->side) * sizeof(tri_node *));
    memset(m->b, 0, (size_t)(m->side * m->side) * sizeof(tri_node *));
    TRI_TRY(tri_graph_create(1, &m->graph));
    TRI_TRY(which == FULL ? add_product(m, &trace, &sum) : add_diagonal(m, &trace));
    return tri_graph_output(m->graph, "trace", trace);
}

/* ---- running it ---- */

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static tri_status run_plan(tri_exchange *exchange, tri_plan *plan, cost *mine)
{
    double begun = now(), sent = (double)tri_exchange_sent(exchange);
    TRI_TRY(tri_plan_run(plan, NULL));
    TRI_TRY(tri_exchange_flush(exchange));
    *mine = (cost){
        .seconds = now() - begun,
        .flops = tri_plan_flops(plan),
        .bytes_sent = (double)tri_exchange_sent(exchange) - sent,
        .memory = (double)tri_plan_bytes(plan),
    };
    tri_tensor trace;
    if (tri_exchange_task(exchange) > 0)
        return NULL;
    TRI_TRY(tri_plan_value(plan, "trace", &trace));
    mine->trace = (double)*(const float *)trace.data;
    return NULL;
}

/* The slowest task's time, the largest memory, and the sums of the rest. */
static cost join_costs(const cost *each, int tasks)
{
    cost total = each[0];
    for (int t = 1; t < tasks; t++) {
        total.seconds = each[t].seconds > total.seconds ? each[t].seconds : total.seconds;
        total.memory = each[t].memory > total.memory ? each[t].memory : total.memory;
        total.flops += each[t].flops;
        total.bytes_sent += each[t].bytes_sent;
    }
    return total;
}

static tri_status measure(tri_exchange *exchange, matrices *m, way which, cost *each)
{
    tri_store *store = NULL;
    tri_plan *plan = NULL;
    cost mine = {0};
    const tri_plan_options options = {
        .batch = 1, .seed = 1, .threads = 1, .without = which == REWRITTEN ? 0 : TRI_PLAN_TRACE, .exchange = exchange};
    tri_status status = build(m, which);
    if (!status)
        status = tri_store_local_create(0, &(tri_rule){.name = "sgd"}, &store);
    if (!status)
        status = tri_plan_create(m->graph, &options, store, &plan);
    if (!status)
        status = run_plan(exchange, plan, &mine);
    if (!status)
        status = tri_exchange_gather(exchange, &mine, sizeof mine, each);
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(m->graph);
    return status;
}

static void print_row(way which, const cost *total)
{
    printf("%-14s %16.6f %12.3f %10.3f %12.3f %9.3f\n", way_names[which], total->trace, total->bytes_sent / 1e6, total->flops / 1e9,
           total->memory / 1e6, total->seconds);
}

static tri_status measure_all(tri_exchange *exchange, matrices *m)
{
    cost *each = calloc((size_t)m->tasks, sizeof *each);
    tri_status status = each ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for %d tasks", m->tasks);
    bool speaks = tri_exchange_task(exchange) == 0;
    if (speaks)
        printf("%-14s %16s %12s %10s %12s %9s\n", placement_names[m->placement], "trace", "MB moved", "GFLOP", "MB a task", "seconds");
    for (way which = FULL; which < WAYS && !status; which++) {
        status = measure(exchange, m, which, each);
        cost total = join_costs(each, m->tasks);
        if (!status && speaks)
            print_row(which, &total);
    }
    free(each);
    return status;
}

static tri_status read_words(int argc, char **argv, matrices *m)
{
    m->n = argc > 1 ? strtoll(argv[1], NULL, 10) : 1024;
    m->block = argc > 2 ? strtoll(argv[2], NULL, 10) : 256;
    while (argc > 3 && m->placement < PLACEMENTS && strcmp(argv[3], placement_names[m->placement]) != 0)
        m->placement++;
    if (m->n < 1 || m->block < 1 || m->n % m->block || m->placement == PLACEMENTS)
        return tri_fail(TRI_BAD_CALL, "usage: bigmatmul [N [BLOCK [diagonal|rows|columns|grid]]], where BLOCK divides N");
    m->side = m->n / m->block;
    m->a = calloc((size_t)(m->side * m->side), sizeof(tri_node *));
    m->b = calloc((size_t)(m->side * m->side), sizeof(tri_node *));
    return m->a && m->b ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for %d blocks", (int)(m->side * m->side));
}

static void give_up(void *context, const char *why)
{
    (void)context;
    fprintf(stderr, "bigmatmul: %s\n", why);
    _exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    matrices m = {0};
    tri_exchange *exchange = NULL;
    tri_status status = read_words(argc, argv, &m);
    if (!status)
        status = tri_exchange_join(&(tri_exchange_options){.lost = give_up}, &exchange);
    if (!status) {
        m.tasks = tri_exchange_tasks(exchange);
        status = measure_all(exchange, &m);
    }
    if (status)
        fprintf(stderr, "bigmatmul: %s\n", tri_status_message(status));
    else
        tri_exchange_leave(exchange);
    int result = status ? EXIT_FAILURE : EXIT_SUCCESS;
    tri_status_free(status);
    free(m.a);
    free(m.b);
    return result;
}
