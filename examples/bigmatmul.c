/* bigmatmul.c: C = A·B and its trace, for random n×n matrices in blocks of b×b, on as many tasks as mpirun starts:
 *
 *   mpirun -n 4 bigmatmul 4096 512 grid check
 *
 * The trace is computed in three ways: by all blocks of the product; by those on its diagonal, which is what the trace needs; and without
 * any product, since trace(A·B) = Σ A∘Bᵀ. A row for each tells how many bytes moved between tasks, how many must move with these places,
 * and what it cost. Where block (i, j) of A, B and C lies is the third word:
 *
 *   diagonal        (i + j) mod tasks, so that A(i, k) and B(k, i) lie together: for the trace only scalars move
 *   rows, columns   i mod tasks, j mod tasks
 *   grid            a grid of tasks, as square as it goes. The full product then is SUMMA in two dimensions: step k needs column k of A and
 *                   row k of B, each block of which goes along one row or column of the grid, and C never moves
 *   all             one table for each of them
 *
 * The graph is made step by step, so a task holds its part of C and what two or three steps need: A and B need not fit into its memory.
 * With `check`, task 0 computes the product alone as well, and compares. */
#include <stdbool.h>
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
    bool all, check;
    int tasks;
    tri_graph *graph;
    tri_node **a, **b, **c; /* [side][side]; a and b: made when first needed */
} matrices;

typedef struct {
    double trace, check, seconds, flops, bytes_sent, memory;
} cost;

/* ---- the graph ---- */

/* Columns of the grid of tasks. */
static int across_of(int tasks)
{
    int across = 1;
    while ((across + 1) * (across + 1) <= tasks)
        across++;
    return across;
}

static int owner_of(const matrices *m, int64_t i, int64_t j)
{
    int across = across_of(m->tasks), down = m->tasks / across;
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

/* Block (i, j) of a random matrix, which has a number from 1 on. */
static tri_status make_block(matrices *m, int number, int64_t i, int64_t j, tri_node **out)
{
    const tri_attributes attributes = {.shape = {.rank = 2, .dim = {m->block, m->block}},
                                       .init = TRI_INIT_UNIFORM,
                                       .value = 1,
                                       .matrix = number,
                                       .row = i * m->block,
                                       .column = j * m->block};
    TRI_TRY(tri_graph_add(m->graph, "random_block", NULL, NULL, 0, &attributes, out));
    return place(m, *out, owner_of(m, i, j));
}

static tri_status take_block(matrices *m, int number, int64_t i, int64_t j, tri_node **out)
{
    tri_node **kept = (number == 1 ? m->a : m->b) + i * m->side + j;
    if (!*kept)
        TRI_TRY(make_block(m, number, i, j, kept));
    *out = *kept;
    return NULL;
}

/* total + node, where there is a total. Scalars are added up on task 0. */
static tri_status accumulate(matrices *m, tri_node **total, tri_node *node)
{
    if (!*total) {
        *total = node;
        return NULL;
    }
    TRI_TRY(tri_graph_add(m->graph, "add_n", NULL, (tri_node *[]){*total, node}, 2, NULL, total));
    return place(m, *total, 0);
}

static tri_status multiply(matrices *m, int64_t i, int64_t k, int64_t j, tri_node **out)
{
    tri_node *factors[2];
    TRI_TRY(take_block(m, 1, i, k, &factors[0]));
    TRI_TRY(take_block(m, 2, k, j, &factors[1]));
    return tri_graph_add(m->graph, "matmul", NULL, factors, 2, NULL, out);
}

/* Traces of the products that make up the diagonal blocks, each where its block of C lies, or where both factors lie. */
static tri_status add_diagonal(matrices *m, tri_node **trace)
{
    for (int64_t i = 0; i < m->side; i++)
        for (int64_t k = 0; k < m->side; k++) {
            tri_node *product, *part;
            TRI_TRY(multiply(m, i, k, i, &product));
            if (m->placement != DIAGONAL)
                TRI_TRY(place(m, product, owner_of(m, i, i)));
            TRI_TRY(tri_graph_add(m->graph, "trace", NULL, &product, 1, NULL, &part));
            TRI_TRY(accumulate(m, trace, part));
        }
    return NULL;
}

/* One step of SUMMA: every block of C, where it lies, grows by one product. */
static tri_status add_step(matrices *m, int64_t k)
{
    for (int64_t at = 0; at < m->side * m->side; at++) {
        int64_t i = at / m->side, j = at % m->side;
        tri_node *product;
        TRI_TRY(multiply(m, i, k, j, &product));
        TRI_TRY(place(m, product, owner_of(m, i, j)));
        if (m->c[at])
            TRI_TRY(tri_graph_add(m->graph, "add", NULL, (tri_node *[]){m->c[at], product}, 2, NULL, &product));
        m->c[at] = product;
        TRI_TRY(place(m, product, owner_of(m, i, j)));
    }
    return NULL;
}

/* Σ C∘R over one block, where R is a third random matrix: a number in which every element of C counts, and where it stands. */
static tri_status weigh_block(matrices *m, int64_t i, int64_t j, tri_node **out)
{
    tri_node *factors[2] = {m->c[i * m->side + j]}, *product;
    TRI_TRY(make_block(m, 3, i, j, &factors[1]));
    TRI_TRY(tri_graph_add(m->graph, "multiply", NULL, factors, 2, NULL, &product));
    return tri_graph_add(m->graph, "sum", NULL, &product, 1, &(tri_attributes){.axis = TRI_AXIS_ALL}, out);
}

static tri_status add_product(matrices *m, tri_node **trace)
{
    tri_node *check = NULL, *part;
    for (int64_t k = 0; k < m->side; k++)
        TRI_TRY(add_step(m, k));
    for (int64_t at = 0; at < m->side * m->side; at++) {
        int64_t i = at / m->side, j = at % m->side;
        TRI_TRY(weigh_block(m, i, j, &part));
        TRI_TRY(accumulate(m, &check, part));
        if (i != j)
            continue;
        TRI_TRY(tri_graph_add(m->graph, "trace", NULL, &m->c[at], 1, NULL, &part));
        TRI_TRY(accumulate(m, trace, part));
    }
    return tri_graph_output(m->graph, "check", check);
}

/* ---- what must move ---- */

/* To how many tasks a block of A or B goes that all of row i, or column j, of C needs; −1 is neither. */
static int64_t count_readers(const matrices *m, int64_t i, int64_t j, int owner)
{
    bool *reads = calloc((size_t)m->tasks, sizeof *reads);
    int64_t count = 0;
    for (int64_t at = 0; reads && at < m->side; at++)
        reads[i >= 0 ? owner_of(m, i, at) : owner_of(m, at, j)] = true;
    for (int t = 0; reads && t < m->tasks; t++)
        count += reads[t] && t != owner;
    free(reads);
    return count;
}

static double bound_of_product(const matrices *m)
{
    double blocks = 0, scalars = 0;
    for (int64_t i = 0; i < m->side; i++)
        for (int64_t j = 0; j < m->side; j++) {
            int owner = owner_of(m, i, j);
            blocks += (double)(count_readers(m, i, -1, owner) + count_readers(m, -1, j, owner));
            scalars += owner ? i == j ? 2 : 1 : 0;
        }
    return (blocks * (double)(m->block * m->block) + scalars) * sizeof(float);
}

static double bound_of_diagonal(const matrices *m)
{
    double blocks = 0, scalars = 0;
    for (int64_t i = 0; i < m->side; i++)
        for (int64_t k = 0; k < m->side; k++) {
            int place_of_product = m->placement == DIAGONAL ? owner_of(m, i, k) : owner_of(m, i, i);
            blocks += (owner_of(m, i, k) != place_of_product) + (owner_of(m, k, i) != place_of_product);
            scalars += place_of_product != 0;
        }
    return (blocks * (double)(m->block * m->block) + scalars) * sizeof(float);
}

/* SUMMA on the grid of tasks: a block of A goes to all of its row, one of B to all of its column. */
static double summa_bytes(const matrices *m)
{
    int across = across_of(m->tasks), down = m->tasks / across;
    return (double)(m->n * m->n) * sizeof(float) * (across - 1 + down - 1);
}

static tri_status build(matrices *m, way which)
{
    tri_node *trace = NULL;
    memset(m->a, 0, 3 * (size_t)(m->side * m->side) * sizeof(tri_node *));
    TRI_TRY(tri_graph_create(1, &m->graph));
    TRI_TRY(which == FULL ? add_product(m, &trace) : add_diagonal(m, &trace));
    return tri_graph_output(m->graph, "trace", trace);
}

/* ---- running it ---- */

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static tri_status read_scalar(tri_plan *plan, const char *name, double *out)
{
    tri_tensor value;
    TRI_TRY(tri_plan_value(plan, name, &value));
    *out = (double)*(const float *)value.data;
    return NULL;
}

/* exchange: NULL where one task computes all. */
static tri_status run_plan(tri_exchange *exchange, tri_plan *plan, way which, cost *mine)
{
    double begun = now(), sent = exchange ? (double)tri_exchange_sent(exchange) : 0;
    TRI_TRY(tri_plan_run(plan, NULL));
    if (exchange)
        TRI_TRY(tri_exchange_flush(exchange));
    *mine = (cost){
        .seconds = now() - begun,
        .flops = tri_plan_flops(plan),
        .bytes_sent = exchange ? (double)tri_exchange_sent(exchange) - sent : 0,
        .memory = (double)tri_plan_bytes(plan),
    };
    if (exchange && tri_exchange_task(exchange) > 0)
        return NULL;
    if (which == FULL)
        TRI_TRY(read_scalar(plan, "check", &mine->check));
    return read_scalar(plan, "trace", &mine->trace);
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

static tri_status measure(tri_exchange *exchange, matrices *m, way which, cost *mine)
{
    tri_store *store = NULL;
    tri_plan *plan = NULL;
    const tri_plan_options options = {
        .batch = 1, .seed = 1, .threads = 1, .without = which == REWRITTEN ? 0 : TRI_PLAN_TRACE, .exchange = exchange};
    tri_status status = build(m, which);
    if (!status)
        status = tri_store_local_create(0, &(tri_rule){.name = "sgd"}, &store);
    if (!status)
        status = tri_plan_create(m->graph, &options, store, &plan);
    if (!status)
        status = run_plan(exchange, plan, which, mine);
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(m->graph);
    m->graph = NULL;
    return status;
}

static void print_row(const matrices *m, way which, const cost *total)
{
    double bound = which == FULL ? bound_of_product(m) : bound_of_diagonal(m);
    printf("%-14s %16.6f %12.6f %12.6f %10.3f %12.3f %9.3f\n", way_names[which], total->trace, total->bytes_sent / 1e6, bound / 1e6,
           total->flops / 1e9, total->memory / 1e6, total->seconds);
}

/* The same product, by this task alone. */
static tri_status check_product(matrices *m, const cost *total)
{
    cost alone = {0};
    TRI_TRY(measure(NULL, m, FULL, &alone));
    double size = 1e-6 * (double)(m->n * m->n), apart[] = {alone.check - total->check, alone.trace - total->trace};
    bool agree = apart[0] < size && -apart[0] < size && apart[1] < size && -apart[1] < size;
    printf("one task: trace %.6f, C weighted %.6f; %d tasks: %.6f; %s\n", alone.trace, alone.check, m->tasks, total->check,
           agree ? "they agree" : "they DIFFER");
    return agree ? NULL : tri_fail(TRI_INTERNAL, "the product of %d tasks is not that of one", m->tasks);
}

static tri_status measure_placement(tri_exchange *exchange, matrices *m, cost *each)
{
    bool speaks = tri_exchange_task(exchange) == 0;
    if (speaks)
        printf("%-14s %16s %12s %12s %10s %12s %9s\n", placement_names[m->placement], "trace", "MB moved", "MB at least", "GFLOP",
               "MB a task", "seconds");
    for (way which = FULL; which < WAYS; which++) {
        cost mine = {0};
        TRI_TRY(measure(exchange, m, which, &mine));
        TRI_TRY(tri_exchange_gather(exchange, &mine, sizeof mine, each));
        cost total = join_costs(each, m->tasks);
        if (speaks)
            print_row(m, which, &total);
        if (speaks && which == FULL && m->check)
            TRI_TRY(check_product(m, &total));
    }
    return NULL;
}

static tri_status measure_all(tri_exchange *exchange, matrices *m)
{
    cost *each = calloc((size_t)m->tasks, sizeof *each);
    tri_status status = each ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for %d tasks", m->tasks);
    int first = m->all ? 0 : (int)m->placement, end = m->all ? PLACEMENTS : first + 1;
    for (int i = first; i < end && !status; i++) {
        m->placement = (placement)i;
        status = measure_placement(exchange, m, each);
    }
    if (!status && tri_exchange_task(exchange) == 0)
        printf("2-D SUMMA on %d tasks moves %.6f MB\n", m->tasks, summa_bytes(m) / 1e6);
    free(each);
    return status;
}

static tri_status read_words(int argc, char **argv, matrices *m)
{
    m->n = argc > 1 ? strtoll(argv[1], NULL, 10) : 1024;
    m->block = argc > 2 ? strtoll(argv[2], NULL, 10) : 256;
    m->all = argc > 3 && strcmp(argv[3], "all") == 0;
    m->check = argc > 4 && strcmp(argv[4], "check") == 0;
    while (argc > 3 && !m->all && m->placement < PLACEMENTS && strcmp(argv[3], placement_names[m->placement]) != 0)
        m->placement++;
    if (m->n < 1 || m->block < 1 || m->n % m->block || m->placement == PLACEMENTS || (argc > 4 && !m->check))
        return tri_fail(TRI_BAD_CALL, "usage: bigmatmul [N [BLOCK [diagonal|rows|columns|grid|all [check]]]], where BLOCK divides N");
    m->side = m->n / m->block;
    m->a = calloc(3 * (size_t)(m->side * m->side), sizeof(tri_node *));
    m->b = m->a + m->side * m->side;
    m->c = m->b + m->side * m->side;
    return m->a ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for %d blocks", (int)(m->side * m->side));
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
    return result;
}
