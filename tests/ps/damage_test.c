/* damage_test.c: a record of the training data is damaged. The worker that reads it reports where and leaves. If only that worker's copy is
 * damaged, the others continue; if another worker reads the same damage, the job ends with that reason; with --skip-bad the job continues
 * and counts. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ps/process.h"

#define EXAMPLES 2000
#define DAMAGED  1000 /* the record */
#define FILE_OF  "train-00000-of-00001.tfrecord"
#define TRAIN    "train softmax --data " FILE_OF " --test digits:500 --batch 50 --strategy ps "
#define STEPS    "--steps 2000 " /* fifty epochs and more: sooner or later each worker meets it */

static void make_records(const char *folder)
{
    process convert = process_start(folder, "convert", "data convert digits:%d --out made --partitions 1", EXAMPLES);
    json_decref(process_end(&convert, 0));
}

/* A record is its length in 8 bytes, 4 bytes of checksum, so many bytes, and 4 again. */
static void damage(char *bytes, int record)
{
    uint64_t length;
    for (; memcpy(&length, bytes, sizeof length), record > 0; record--)
        bytes += 12 + length + 4;
    bytes[12 + length / 2] ^= 1;
}

/* A copy of the records in folder/name, damaged or not: one bit of one record has changed. */
static char *copy_records(const char *folder, const char *name, bool damaged)
{
    char *to = test_path(folder, name), *from = test_path(folder, "made/" FILE_OF), *path = test_path(to, FILE_OF);
    size_t size;
    char *bytes = test_read(from, &size);
    mkdir(to, 0700);
    if (damaged)
        damage(bytes, DAMAGED);
    test_write(path, bytes, size);
    free(bytes);
    free(path);
    free(from);
    return to;
}

static void write_cluster(const char *folder)
{
    char *path = test_path(folder, "c.yaml"), text[128];
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\"]\nworker: [a, b, c]\n", free_port());
    test_write(path, text, strlen(text));
    free(path);
}

/* Three workers, each with a copy of its own as on hosts of their own; that of worker:1 is damaged. */
static json_t *run_with_a_bad_copy(const char *folder, const char *mode)
{
    make_records(folder);
    write_cluster(folder);
    char *good = copy_records(folder, "good", false), *bad = copy_records(folder, "bad", true);
    process server = process_start(good, "p0", TRAIN STEPS "%s --cluster ../c.yaml --json --out ../run --task ps:0", mode);
    process first = process_start(good, "w0", TRAIN STEPS "%s --cluster ../c.yaml --task worker:0", mode);
    process second = process_start(bad, "w1", TRAIN STEPS "%s --cluster ../c.yaml --task worker:1", mode);
    process third = process_start(good, "w2", TRAIN STEPS "%s --cluster ../c.yaml --task worker:2", mode);
    process_await(&second, FILE_OF ": record 1000 at byte ");
    json_decref(process_end(&second, 1));
    process_await(&server, "worker:1 has left: " FILE_OF ": record 1000 at byte ");
    json_t *summary = process_end(&server, 0);
    json_decref(process_end(&first, 0));
    json_decref(process_end(&third, 0));
    assert_int_equal(integer_of(summary, "steps"), 2000);
    free(good);
    free(bad);
    return summary;
}

static void async_job_continues_without_the_worker_whose_copy_is_damaged(void **state)
{
    json_t *summary = run_with_a_bad_copy(*state, "--async");
    assert_true(integer_of(summary, "re_leased") > 0); /* the batch with the record, by one whose copy is good */
    json_decref(summary);
}

static void sync_job_continues_without_the_worker_whose_copy_is_damaged(void **state)
{
    json_decref(run_with_a_bad_copy(*state, "--sync"));
}

static int count_of(const char *path, const char *text)
{
    char *all = test_read(path, NULL);
    int count = 0;
    for (const char *at = all; (at = strstr(at, text)); at++)
        count++;
    free(all);
    return count;
}

/* Long before the timeout, and not all of the workers are lost for it. Lines of several tasks may come in any order, so they are counted
 * when all have come. */
static void end_for_the_damage_of_all(const char *folder, const char *mode)
{
    make_records(folder);
    char *bad = copy_records(folder, "bad", true);
    process job = process_start(bad, "job", TRAIN "--steps 4000 --workers 4 --timeout 10m --out run %s", mode);
    process_await(&job, "found the same damage, and so would the others: " FILE_OF ": record 1000 at byte ");
    char *err = strdup(job.err);
    json_decref(process_end(&job, 1));
    assert_int_equal(count_of(err, " has left: " FILE_OF), 2);
    free(err);
    free(bad);
}

static void damage_that_all_workers_would_read_ends_an_async_job(void **state)
{
    end_for_the_damage_of_all(*state, "--async");
}

static void damage_that_all_workers_would_read_ends_a_sync_job(void **state)
{
    end_for_the_damage_of_all(*state, "--sync");
}

static void damage_ends_a_job_with_one_worker_at_once(void **state)
{
    make_records(*state);
    char *bad = copy_records(*state, "bad", true);
    process job = process_start(bad, "job", TRAIN STEPS "--workers 1 --timeout 10m --out run");
    process_await(&job, "no worker is left; worker:0 was the last: " FILE_OF ": record 1000 at byte ");
    json_decref(process_end(&job, 1));
    free(bad);
}

static void damaged_records_that_skip_bad_allows_are_counted(void **state)
{
    static const char *const modes[] = {"--async", "--sync"};
    make_records(*state);
    char *bad = copy_records(*state, "bad", true);
    for (int i = 0; i < 2; i++) {
        process job =
            process_start(bad, "job", TRAIN "--epochs 1 --workers 3 --servers 2 --skip-bad 5 --json --out run-%d %s", i, modes[i]);
        json_t *summary = process_end(&job, 0);
        assert_int_equal(integer_of(summary, "damaged"), 1);
        assert_int_equal(json_array_size(json_object_get(summary, "worker_stats")), 3);
        assert_int_equal(integer_of(summary, "examples"), EXAMPLES);
        json_decref(summary);
    }
    free(bad);
}

/* As in a local run; nobody waits for another evaluator, which could do no better. */
static void test_examples_that_cannot_be_read_end_the_job(void **state)
{
    make_records(*state);
    char *bad = copy_records(*state, "bad", true);
    process job = process_start(bad, "job",
                                "train softmax --data digits:1000 --test " FILE_OF " --batch 50 --strategy ps --workers 2 --sync "
                                "--steps 4000 --eval-every 100 --timeout 10m --out run");
    process_await(&job, "evaluator:0 cannot evaluate step 100: " FILE_OF ": record 1000 at byte ");
    json_decref(process_end(&job, 1));
    free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(async_job_continues_without_the_worker_whose_copy_is_damaged),
        PROCESS_TEST(sync_job_continues_without_the_worker_whose_copy_is_damaged),
        PROCESS_TEST(damage_that_all_workers_would_read_ends_an_async_job),
        PROCESS_TEST(damage_that_all_workers_would_read_ends_a_sync_job),
        PROCESS_TEST(damage_ends_a_job_with_one_worker_at_once),
        PROCESS_TEST(damaged_records_that_skip_bad_allows_are_counted),
        PROCESS_TEST(test_examples_that_cannot_be_read_end_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
