/* folder_test.c: folders made, listed, swept and removed; paths. */
#include "base/file/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "support.h"

static void folders_are_made_with_their_parents(void **state)
{
    char *path = test_path(*state, "a/b/c");
    assert_ok(tri__folder_create(path));
    assert_ok(tri__folder_create(path));
    assert_true(tri__folder_exists(path));
    assert_ok(tri__folder_sync(path));
    assert_fails(tri__folder_create_new(path), TRI_BAD_CALL, "already there");
    char *fresh = test_path(*state, "d/e/");
    fresh[strlen(fresh) - 1] = '\0';
    assert_ok(tri__folder_create_new(fresh));
    assert_true(tri__folder_exists(fresh));
    free(fresh);
    free(path);
}

static void making_a_folder_where_a_file_is_fails_and_names_it(void **state)
{
    char *file = test_path(*state, "f"), *below = test_path(*state, "f/g");
    assert_ok(tri__file_replace(file, "x", 1));
    assert_fails(tri__folder_create(file), TRI_IO, "not a folder");
    assert_fails(tri__folder_create(below), TRI_IO, "not a folder");
    free(below);
    free(file);
}

static void the_names_in_a_folder_are_listed_in_order(void **state)
{
    const char *const made[] = {"b", "B", "a10", "a2"};
    const char *const expected[] = {"B", "a10", "a2", "b"};
    for (int i = 0; i < 4; i++) {
        char *path = test_path(*state, made[i]);
        assert_ok(tri__file_replace(path, "", 0));
        free(path);
    }
    char **names = NULL;
    size_t count = 0;
    assert_ok(tri__folder_list(*state, &names, &count));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(names[i], expected[i]);
    tri__folder_free(names, count);
    char *missing = test_path(*state, "missing");
    assert_fails(tri__folder_list(missing, &names, &count), TRI_NOT_FOUND, "check the name");
    assert_ok(tri__folder_remove(missing));
    free(missing);
}

/* The process of one leftover has ended; this one's own writer goes on. */
static void leftovers_of_killed_file_writers_are_removed(void **state)
{
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    char name[64];
    snprintf(name, sizeof name, "a.safetensors.tmp-%d-1f", (int)gone);
    char *left = test_path(*state, name), *other = test_path(*state, "a.tmp-file"), *path = test_path(*state, "b");
    assert_ok(tri__file_replace(left, "half", 4));
    assert_ok(tri__file_replace(other, "mine", 4));
    tri__writer *writer = NULL;
    assert_ok(tri__writer_create(path, &writer));
    tri__writer_write(writer, "whole", 5);
    tri__folder_sweep(*state);
    assert_false(tri__file_exists(left));
    assert_int_equal(tri__file_size(other), 4);
    assert_ok(tri__writer_commit(writer));
    assert_int_equal(tri__file_size(path), 5);
    free(left);
    free(other);
    free(path);
}

static void removing_a_folder_leaves_what_its_links_point_to(void **state)
{
    char *kept = test_path(*state, "kept"), *folder = test_path(*state, "gone"), *link = test_path(*state, "gone/link"),
         *file = test_path(*state, "kept/file");
    assert_ok(tri__folder_create(kept));
    assert_ok(tri__folder_create(folder));
    assert_ok(tri__file_replace(file, "x", 1));
    assert_int_equal(symlink(kept, link), 0);
    assert_ok(tri__folder_remove(folder));
    assert_false(tri__folder_exists(folder));
    assert_true(tri__file_exists(file));
    free(kept);
    free(folder);
    free(link);
    free(file);
}

static void paths_join_with_one_slash(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}, {"/", "b", "/b"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = tri__path_join(cases[i][0], cases[i][1]);
        assert_string_equal(path, cases[i][2]);
        free(path);
    }
}

static void failure_names_the_path_the_reason_and_the_advice(void **state)
{
    (void)state;
    assert_fails(tri__path_failure("a/b", "open", ENOENT), TRI_NOT_FOUND, "a/b: cannot open: No such file or directory (check the name)");
    assert_fails(tri__path_failure("a/b", "write", ENOSPC), TRI_IO, "disk full: free some space");
}

static void parent_of_a_path_is_the_folder_that_holds_it(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"a/b", "a"}, {"/b", "/"}, {"b", "."}, {"/a/b/c", "/a/b"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *parent = tri__path_parent(cases[i][0]);
        assert_string_equal(parent, cases[i][1]);
        free(parent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(folders_are_made_with_their_parents),
        FOLDER_TEST(making_a_folder_where_a_file_is_fails_and_names_it),
        FOLDER_TEST(the_names_in_a_folder_are_listed_in_order),
        FOLDER_TEST(leftovers_of_killed_file_writers_are_removed),
        FOLDER_TEST(removing_a_folder_leaves_what_its_links_point_to),
        FOLDER_TEST(paths_join_with_one_slash),
        FOLDER_TEST(failure_names_the_path_the_reason_and_the_advice),
        FOLDER_TEST(parent_of_a_path_is_the_folder_that_holds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
