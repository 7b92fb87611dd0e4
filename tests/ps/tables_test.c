/* tables_test.c: sparse models on parameter servers: their tables are dealt out over servers, and a step moves the rows that its batch
 * names. What holds for dense models holds for them: sync equals one worker with the larger batch, killed tasks come back, a run goes on
 * under another strategy or number of servers. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ps/model.h"
#include "ps/process.h"

#define DATA "clicks:5000:4000"

/* Train in folder/name to the end; its summary. */
static json_t *train(const char *folder, const char *name, const char *words)
{
    process run = process_start(folder, name, "train %s --out %s --json --quiet --eval-every end --no-events", words, name);
    return process_end(&run, 0);
}

static void expect_models_equal(const char *folder, const json_t *one, const json_t *two, double most, const char *about)
{
    double difference = model_difference(folder, one, two);
    if (!(difference <= most))
        fail_msg("%s: differs by %g", about, difference);
}

/* LOCAL is a local run with the batch of all workers together, JOB the job's. */
static void expect_equal(const char *folder, const char *local, const char *job)
{
    json_t *alone = train(folder, "alone", local), *together = train(folder, "together", job);
    expect_models_equal(folder, alone, together, 1e-5, job);
    assert_int_equal(integer_of(together, "examples"), integer_of(alone, "examples"));
    assert_true(fabs(number_of(together, "test_loss") - number_of(alone, "test_loss")) < 1e-5);
    assert_true(fabs(number_of(together, "progressive_logloss") - number_of(alone, "progressive_logloss")) < 1e-5);
    assert_int_equal(integer_of(together, "table_rows"), integer_of(alone, "table_rows"));
    json_decref(alone);
    json_decref(together);
}

/* Three workers of 20, for a model with this rule. */
static void expect_equal_with(const char *folder, const char *model, int servers)
{
    char local[256], job[256];
    snprintf(local, sizeof local, "%s --data " DATA " --steps 40 --threads 1 --deterministic --batch 60", model);
    snprintf(job, sizeof job, "%s --data " DATA " --steps 40 --batch 20 --strategy ps --workers 3 --servers %d --sync", model, servers);
    expect_equal(folder, local, job);
}

static void sync_equals_one_worker_with_the_larger_batch_on_one_server(void **state)
{
    expect_equal_with(*state, "sparse-lr --rule sgd --rate 0.1", 1);
}

static void sync_equals_one_worker_with_the_larger_batch_on_two_servers(void **state)
{
    expect_equal_with(*state, "sparse-lr --rule adagrad --rate 0.1 --epsilon 0.001", 2);
}

static void sync_equals_one_worker_with_the_larger_batch_on_three_servers(void **state)
{
    expect_equal_with(*state, "sparse-lr --rule ftrl --rate 0.1", 3);
}

static void sync_with_adam_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal_with(*state, "sparse-lr --rule adam --rate 0.001", 2);
}

static void sync_with_clipping_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal_with(*state, "sparse-lr --rule sgd --rate 0.1 --clip 0.1", 2);
}

static void dense_layers_and_two_tables_equal_one_worker_with_the_larger_batch(void **state)
{
    expect_equal_with(*state, "deep-click --rule sgd --rate 0.05", 2);
}

static void a_factorisation_machine_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal_with(*state, "fm --rule sgd --rate 0.05", 3);
}

/* Tables of 16 MB: a thread of the store's carries the rows, and steps begin before their tokens have come. */
static void rows_of_a_large_table_equal_one_worker_with_the_larger_batch(void **state)
{
    expect_equal(*state, "fm --rule sgd --rate 0.05 --data clicks:500000:2000 --steps 30 --threads 1 --deterministic --batch 60",
                 "fm --rule sgd --rate 0.05 --data clicks:500000:2000 --steps 30 --batch 30 --strategy ps --workers 2 --servers 2 --sync");
}

static void a_short_last_step_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal(*state, "sparse-lr --rule sgd --rate 0.1 --data clicks:5000:1000 --threads 1 --deterministic --batch 140 --epochs 2",
                 "sparse-lr --rule sgd --rate 0.1 --data clicks:5000:1000 --batch 70 --epochs 2 --strategy ps --workers 2 --sync");
}

static void two_sync_jobs_give_the_same_bits(void **state)
{
    const char *words = "deep-click --data " DATA " --steps 40 --batch 20 --strategy ps --workers 3 --servers 2 --sync";
    json_t *one = train(*state, "one", words), *two = train(*state, "two", words);
    expect_models_equal(*state, one, two, 0, words);
    json_decref(one);
    json_decref(two);
}

static void one_async_worker_equals_a_local_run(void **state)
{
    expect_equal(*state, "sparse-lr --data " DATA " --steps 60 --threads 1 --deterministic --batch 20",
                 "sparse-lr --data " DATA " --steps 60 --batch 20 --strategy ps --workers 1 --servers 2 --async");
}

/* The chance that a click scores above none is a half before anything is learnt. */
static void expect_learnt_in(const char *folder, const char *run, const char *words)
{
    json_t *summary = train(folder, run, words);
    if (!(number_of(summary, "test_auc") > 0.7))
        fail_msg("%s: AUC %g", words, number_of(summary, "test_auc"));
    expect_books(summary, NULL);
    json_decref(summary);
}

static void expect_learnt(const char *folder, const char *words)
{
    expect_learnt_in(folder, "job", words);
}

#define LEARNING "sparse-lr --rate 0.05 --data clicks:5000:12000 --epochs 1 --batch 20 --strategy ps --workers 3 --servers 2 "

static void async_job_learns(void **state)
{
    expect_learnt(*state, LEARNING "--async");
}

static void async_job_with_clipping_learns(void **state)
{
    expect_learnt(*state, LEARNING "--async --clip 1");
}

static void staleness_job_learns(void **state)
{
    expect_learnt(*state, LEARNING "--staleness 2");
}

static void job_with_a_backup_worker_learns(void **state)
{
    expect_learnt(*state, LEARNING "--sync --backup 1");
}

static void jobs_that_move_whole_tables_learn_in_every_mode(void **state)
{
    expect_learnt_in(*state, "async", LEARNING "--gather dense --async");
    expect_learnt_in(*state, "staleness", LEARNING "--gather dense --staleness 2");
    expect_learnt_in(*state, "backup", LEARNING "--gather dense --sync --backup 1");
    expect_learnt_in(*state, "replicas", LEARNING "--gather dense --sync --replicas 2");
}

static void a_job_ends_when_its_figures_are_good_enough(void **state)
{
    static const char *const targets[] = {"logloss<=0.6", "auc>=0.6", "calibration>=0.9", "calibration<=1.2"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char name[16];
        snprintf(name, sizeof name, "job%zu", i);
        process run = process_start(*state, name,
                                    "train sparse-lr --data " DATA " --strategy ps --workers 2 --servers 2 --json --quiet"
                                    " --eval-every 20 --max-steps 4000 --until %s --out %s",
                                    targets[i], name);
        json_t *summary = process_end(&run, 0);
        assert_string_equal(json_string_value(json_object_get(summary, "stopped_by")), "until");
        json_decref(summary);
    }
}

/* ---- what travels ---- */

/* A plain message names each feature of each row with its key and its value, both ways: 39 · 2 · 8 bytes. */
/* Evaluations in the log of a server: "step 8: test loss …", a line each. How many were of named rows. */
static int read_evaluations(const char *folder, const char *name, int server, char *text, size_t size)
{
    char path[512], line[512];
    int step, named = 0;
    snprintf(path, sizeof path, "%s/%s/log/ps-%d.txt", folder, name, server);
    FILE *log = fopen(path, "r");
    assert_non_null(log);
    text[0] = 0;
    while (fgets(line, sizeof line, log)) {
        const char *at = strstr(line, "step "), *loss = strstr(line, "test loss");
        if (at && loss && sscanf(at, "step %d", &step) == 1)
            snprintf(text + strlen(text), size - strlen(text), "step %d: %s", step, loss);
        named += strstr(line, "rows that are evaluated") != NULL;
    }
    fclose(log);
    return named;
}

/* Without --keep-best, servers copy only the rows that the evaluator has pulled of the first snapshot. */
static void evaluations_of_named_rows_are_those_of_whole_tables(void **state)
{
    static const char *const runs[][2] = {{"whole", "--keep-best"}, {"named", ""}};
    char said[2][4096];
    for (int servers = 1; servers <= 2; servers++) {
        for (int i = 0; i < 2; i++) {
            char name[32];
            snprintf(name, sizeof name, "%s-%d", runs[i][0], servers);
            process run =
                process_start(*state, name,
                              "train sparse-lr --data " DATA " --steps 40 --batch 20 --strategy ps --workers 2 --servers %d "
                              "--sync --eval-every 8 --checkpoint-every end --rule adagrad --no-events --json --quiet --out %s %s",
                              servers, name, runs[i][1]);
            json_decref(process_end(&run, 0));
            for (int server = servers - 1; server >= 0; server--) /* not of the first and the last */
                assert_int_equal(read_evaluations(*state, name, server, said[i], sizeof said[i]), i == 0 ? 0 : 3);
        }
        assert_non_null(strstr(said[0], "step 32: test loss"));
        assert_string_equal(said[0], said[1]);
    }
}

static void a_row_takes_a_third_of_the_bytes_of_plain_pairs(void **state)
{
    json_t *summary =
        train(*state, "job", "sparse-lr --data clicks:1000000:12000 --batch 1000 --epochs 1 --strategy ps --workers 2 --servers 2 --sync");
    double bytes = number_of(summary, "bytes_sent") + number_of(summary, "bytes_received");
    double share = bytes / number_of(summary, "examples") / (39 * 2 * 8);
    if (!(share <= 0.35))
        fail_msg("%g of the bytes of plain pairs", share);
    json_decref(summary);
}

#define GATHER(how)                                                                                                                        \
    "fm --rule adam --rate 0.001 --data " DATA " --batch 50 --steps 40 --strategy ps --workers 2 --servers 3 --sync --gather " how

/* Whole tables both ways: 4 bytes a float, of 5,000 rows with a weight and 8 factors, for each of two workers. */
static void a_dense_gather_moves_whole_tables_and_teaches_the_same_bits(void **state)
{
    json_t *few = train(*state, "few", GATHER("sparse")), *all = train(*state, "all", GATHER("dense"));
    expect_models_equal(*state, few, all, 0, "--gather dense");
    const double whole = 2. * 40 * 5000 * (1 + 8) * 4;
    assert_true(number_of(all, "bytes_sent") > whole && number_of(all, "bytes_received") > whole);
    assert_true(number_of(few, "bytes_sent") < whole / 3);
    json_t *half = train(*state, "half", GATHER("dense") " --row-values fp16"),
           *some = train(*state, "some", GATHER("sparse") " --row-values fp16");
    expect_models_equal(*state, half, some, 0, "--gather dense --row-values fp16");
    json_decref(few);
    json_decref(all);
    json_decref(half);
    json_decref(some);
}

/* 80 MB: more than a message of named rows may have. */
static void a_dense_gather_moves_tables_larger_than_other_messages(void **state)
{
    json_t *summary =
        train(*state, "job", "sparse-lr --rule sgd --data clicks:20000000:200 --batch 50 --steps 4 --strategy ps --async --gather dense");
    assert_true(number_of(summary, "bytes_received") > 4. * 80e6);
    assert_true(number_of(summary, "bytes_sent") > 4. * 80e6);
    json_decref(summary);
}

static void expect_refused(const char *folder, const char *words, const char *told)
{
    process run = process_start(folder, "refused", "train %s", words);
    process_await(&run, told);
    json_decref(process_end(&run, 2));
}

static void what_a_dense_gather_does_not_concern_is_refused(void **state)
{
    expect_refused(*state, "softmax --data digits:100 --strategy ps --gather dense", "--gather: softmax has no tables");
    expect_refused(*state, "softmax --data digits:100 --strategy ps --row-values fp16", "--row-values: softmax has no tables");
    expect_refused(*state, "sparse-lr --data " DATA " --gather dense", "--gather belongs to --strategy ps");
    expect_refused(*state, "sparse-lr --data " DATA " --strategy mirrored --workers 2 --gather dense", "--gather belongs to --strategy ps");
}

static void rows_of_16_bits_teach_nearly_the_same_in_fewer_bytes(void **state)
{
    const char *words = "fm --data clicks:5000:4000 --batch 100 --epochs 1 --strategy ps --workers 2 --servers 2 --sync --row-values %s";
    char full[256], half[256];
    snprintf(full, sizeof full, words, "fp32");
    snprintf(half, sizeof half, words, "fp16");
    json_t *one = train(*state, "full", full), *two = train(*state, "half", half);
    assert_true(number_of(two, "bytes_sent") < 0.6 * number_of(one, "bytes_sent"));
    assert_true(number_of(two, "bytes_received") < 0.6 * number_of(one, "bytes_received"));
    assert_true(fabs(number_of(two, "test_loss") - number_of(one, "test_loss")) < 0.005);
    assert_true(model_difference(*state, one, two) > 0);
    json_decref(one);
    json_decref(two);
}

/* ---- going on elsewhere ---- */

static json_t *resume(const char *folder, const char *run, const char *words)
{
    process job = process_start(folder, "resumed", "train --resume %s --json --quiet --eval-every end %s", run, words);
    return process_end(&job, 0);
}

#define GONE_ON "deep-click --rule adagrad --epsilon 0.001 --data " DATA " --batch 30 --seed 3 "

/* 20 steps in one way and 20 in another are 40 in a third. */
static void expect_goes_on(const char *folder, const char *whole, const char *first, const char *then, double most)
{
    char words[512];
    snprintf(words, sizeof words, GONE_ON "--steps 40 %s", whole);
    json_t *all = train(folder, "all", words);
    snprintf(words, sizeof words, GONE_ON "--steps 20 %s", first);
    json_decref(train(folder, "run", words));
    snprintf(words, sizeof words, "--steps 40 %s", then);
    json_t *resumed = resume(folder, "run", words);
    assert_int_equal(integer_of(resumed, "steps"), 40);
    expect_models_equal(folder, all, resumed, most, then);
    json_decref(all);
    json_decref(resumed);
}

#define ALONE       "--strategy local --threads 1 --deterministic"
#define SERVERS(n)  "--strategy ps --workers 1 --threads 1 --sync --servers " #n
#define TOGETHER(n) "--strategy ps --workers 3 --sync --servers " #n

static void a_job_goes_on_in_one_process(void **state)
{
    expect_goes_on(*state, ALONE, SERVERS(2), ALONE, 1e-5);
}

static void a_run_goes_on_on_parameter_servers(void **state)
{
    expect_goes_on(*state, ALONE, ALONE, SERVERS(3), 1e-5);
}

/* Parts are added up in the order of tasks, whichever server does it. */
static void a_job_goes_on_with_another_number_of_servers_to_the_bit(void **state)
{
    expect_goes_on(*state, TOGETHER(2), TOGETHER(3), TOGETHER(1), 0);
}

/* ---- failures ---- */

#define JOB                                                                                                                                \
    "train sparse-lr --rate 0.05 --data clicks:5000:4000 --batch 200 --strategy ps --json --out run --eval-every 100 --workers 3 "         \
    "--servers 2 "

static void strike(const char *folder, const char *task, const char *mode, int steps)
{
    process job = process_start(folder, "job", JOB "--checkpoint-every 50steps --steps %d %s", steps, mode);
    process_await_step(&job, STRIKE);
    pid_t before = process_task(&job, task, 0);
    kill(before, SIGKILL);
    if (!strncmp(task, "ps:", 3)) /* workers are not started again: the others do what is left */
        process_task(&job, task, before);
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), steps);
    assert_in_range(integer_of(summary, "lost_updates"), 0, 50);
    if (!(number_of(summary, "test_auc") > 0.7))
        fail_msg("AUC %g", number_of(summary, "test_auc"));
    json_decref(summary);
}

static void sync_job_survives_the_death_of_ps_0(void **state)
{
    strike(*state, "ps:0", "--sync", 300);
}

static void sync_job_survives_the_death_of_ps_1(void **state)
{
    strike(*state, "ps:1", "--sync", 300);
}

static void sync_job_survives_the_death_of_a_worker(void **state)
{
    strike(*state, "worker:1", "--sync", 300);
}

static void async_job_survives_the_death_of_ps_0(void **state)
{
    strike(*state, "ps:0", "--async", 600);
}

static void async_job_survives_the_death_of_ps_1(void **state)
{
    strike(*state, "ps:1", "--async", 600);
}

static void async_job_survives_the_death_of_a_worker(void **state)
{
    strike(*state, "worker:1", "--async", 600);
}

static void staleness_job_survives_the_death_of_ps_0(void **state)
{
    strike(*state, "ps:0", "--staleness 2", 600);
}

static void staleness_job_survives_the_death_of_ps_1(void **state)
{
    strike(*state, "ps:1", "--staleness 2", 600);
}

static void staleness_job_survives_the_death_of_a_worker(void **state)
{
    strike(*state, "worker:1", "--staleness 2", 600);
}

static void job_with_a_backup_worker_survives_the_death_of_ps_0(void **state)
{
    strike(*state, "ps:0", "--sync --backup 1", 300);
}

static void job_with_a_backup_worker_survives_the_death_of_ps_1(void **state)
{
    strike(*state, "ps:1", "--sync --backup 1", 300);
}

static void job_with_a_backup_worker_survives_the_death_of_a_worker(void **state)
{
    strike(*state, "worker:1", "--sync --backup 1", 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(sync_equals_one_worker_with_the_larger_batch_on_one_server),
        PROCESS_TEST(sync_equals_one_worker_with_the_larger_batch_on_two_servers),
        PROCESS_TEST(sync_equals_one_worker_with_the_larger_batch_on_three_servers),
        PROCESS_TEST(sync_with_adam_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(sync_with_clipping_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(dense_layers_and_two_tables_equal_one_worker_with_the_larger_batch),
        PROCESS_TEST(a_factorisation_machine_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(rows_of_a_large_table_equal_one_worker_with_the_larger_batch),
        PROCESS_TEST(a_short_last_step_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(two_sync_jobs_give_the_same_bits),
        PROCESS_TEST(one_async_worker_equals_a_local_run),
        PROCESS_TEST(async_job_learns),
        PROCESS_TEST(async_job_with_clipping_learns),
        PROCESS_TEST(staleness_job_learns),
        PROCESS_TEST(job_with_a_backup_worker_learns),
        PROCESS_TEST(jobs_that_move_whole_tables_learn_in_every_mode),
        PROCESS_TEST(a_job_ends_when_its_figures_are_good_enough),
        PROCESS_TEST(evaluations_of_named_rows_are_those_of_whole_tables),
        PROCESS_TEST(a_row_takes_a_third_of_the_bytes_of_plain_pairs),
        PROCESS_TEST(a_dense_gather_moves_whole_tables_and_teaches_the_same_bits),
        PROCESS_TEST(a_dense_gather_moves_tables_larger_than_other_messages),
        PROCESS_TEST(what_a_dense_gather_does_not_concern_is_refused),
        PROCESS_TEST(rows_of_16_bits_teach_nearly_the_same_in_fewer_bytes),
        PROCESS_TEST(a_job_goes_on_in_one_process),
        PROCESS_TEST(a_run_goes_on_on_parameter_servers),
        PROCESS_TEST(a_job_goes_on_with_another_number_of_servers_to_the_bit),
        PROCESS_TEST(sync_job_survives_the_death_of_ps_0),
        PROCESS_TEST(sync_job_survives_the_death_of_ps_1),
        PROCESS_TEST(sync_job_survives_the_death_of_a_worker),
        PROCESS_TEST(async_job_survives_the_death_of_ps_0),
        PROCESS_TEST(async_job_survives_the_death_of_ps_1),
        PROCESS_TEST(async_job_survives_the_death_of_a_worker),
        PROCESS_TEST(staleness_job_survives_the_death_of_ps_0),
        PROCESS_TEST(staleness_job_survives_the_death_of_ps_1),
        PROCESS_TEST(staleness_job_survives_the_death_of_a_worker),
        PROCESS_TEST(job_with_a_backup_worker_survives_the_death_of_ps_0),
        PROCESS_TEST(job_with_a_backup_worker_survives_the_death_of_ps_1),
        PROCESS_TEST(job_with_a_backup_worker_survives_the_death_of_a_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
