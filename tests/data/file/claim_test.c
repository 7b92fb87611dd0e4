/* claim_test.c: one of many processes gets a claim, and the claims of the dead are taken over. */
#include "data/file/claim.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static void a_partition_is_claimed_by_one_process_only(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    for (int i = 0; i < 5; i++)
        if (fork() == 0) { /* claims what it can, tells how much, and leaves its claims to the living */
            tri__claims claims;
            char name[32], count = 0;
            bool got;
            tri_status_free(tri__claims_init(&claims, folder));
            for (int item = 0; item < 40; item++) {
                snprintf(name, sizeof name, "%d", item);
                tri_status_free(tri__claim_take(&claims, name, &got));
                count = (char)(count + got);
            }
            _exit(write(pipes[1], &count, 1) != 1 || read(pipes[0], &(char){0}, 0));
        }
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        char count;
        assert_int_equal(read(pipes[0], &count, 1), 1);
        sum += count;
    }
    for (int i = 0; i < 5; i++)
        wait(NULL);
    assert_true(sum >= 40); /* more where one had left before another came */
    close(pipes[0]);
    close(pipes[1]);
    test_folder_remove(folder);
}

static void a_living_process_keeps_its_claim(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    int ready[2], end[2];
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(end), 0);
    pid_t child = fork();
    if (child == 0) {
        tri__claims theirs;
        bool got;
        tri_status_free(tri__claims_init(&theirs, folder));
        tri_status_free(tri__claim_take(&theirs, "item", &got));
        char byte = (char)got;
        _exit(write(ready[1], &byte, 1) != 1 || read(end[0], &byte, 1) != 1);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    tri__claims claims;
    bool got;
    assert_ok(tri__claims_init(&claims, folder));
    assert_ok(tri__claim_take(&claims, "item", &got));
    assert_false(got);
    assert_int_equal(write(end[1], "x", 1), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_ok(tri__claim_take(&claims, "item", &got)); /* it has gone, without releasing it */
    assert_true(got);
    tri__claim_release(&claims, "item");
    assert_ok(tri__claim_take(&claims, "item", &got));
    assert_true(got);
    tri__claims_sweep(&claims);
    tri__claims_fini(&claims);
    char *lock = test_path(folder, "item.lock");
    unlink(lock);
    free(lock);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
    free(folder);
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(end[i]);
    }
}

/* A process of another host is dead when it has been silent for long. */
static void the_claim_of_a_silent_process_on_another_host_is_taken_over(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *lock = test_path(folder, "item.lock");
    test_write(lock, "elsewhere 1", 11);
    tri__claims claims;
    bool got;
    assert_ok(tri__claims_init(&claims, folder));
    assert_ok(tri__claim_take(&claims, "item", &got));
    assert_false(got);
    assert_int_equal(utimensat(AT_FDCWD, lock, (struct timespec[2]){{.tv_sec = 1000}, {.tv_sec = 1000}}, 0), 0);
    assert_ok(tri__claim_take(&claims, "item", &got));
    assert_true(got);
    tri__claims_fini(&claims);
    free(lock);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_partition_is_claimed_by_one_process_only),
        cmocka_unit_test(a_living_process_keeps_its_claim),
        cmocka_unit_test(the_claim_of_a_silent_process_on_another_host_is_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
