/* damage_test.c: a worker's data is damaged half-way: it says where and leaves; without workers the job ends soon, and says so too. */
#include <stdio.h>
#include <stdlib.h>

#include "ps/process.h"

static void write_lines(const char *folder, const char *name, int damaged)
{
    char *path = test_path(folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 4000; i++)
        fputs(i == damaged ? "1 garbage:::\n" : i % 2 ? "1 1:0.75 2:0.5\n" : "0 1:0.25 2:0.5\n", file);
    assert_false(fclose(file));
    free(path);
}

static void a_damaged_line_is_named_and_ends_the_job(void **state)
{
    write_lines(*state, "a.svm", 2500);
    write_lines(*state, "b.svm", -1);
    process job =
        process_start(*state, "job", "train softmax --data a.svm --test b.svm --strategy ps --workers 2 --batch 50 --steps 4000 --out run");
    process_await(&job, "has left: a.svm: record 2500");
    process_await(&job, "no worker is left");
    json_decref(process_end(&job, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {PROCESS_TEST(a_damaged_line_is_named_and_ends_the_job)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
