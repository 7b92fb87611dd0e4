/* make_test.c: data sets made as files: the same bytes whatever the threads, whole folders or none, and photos that differ by class. */
#include "data/make/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "data/photo/jpeg/jpeg.h"
#include "support.h"

enum { SIDE = 32 };

static tri_status make_images(const char *out, int64_t count, int64_t classes, uint64_t seed, int threads, tri__make_result *result)
{
    const tri__make_kind *kind;
    tri__make_request request = {.out = out, .count = count, .classes = classes, .height = SIDE, .width = SIDE + 8, .seed = seed};
    assert_ok(tri__make_find("images", &kind));
    assert_ok(tri__pool_create(threads, &request.pool));
    tri_status status = tri__data_make(kind, &request, result);
    tri__pool_destroy(request.pool);
    return status;
}

static void read_photo(const char *folder, const char *name, tri__mapping *out)
{
    char *path = test_path(folder, name);
    assert_ok(tri__file_map(path, out));
    free(path);
}

static bool same_photo(const char *a, const char *b, const char *name)
{
    tri__mapping first, second;
    read_photo(a, name, &first);
    read_photo(b, name, &second);
    bool same = first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
    tri__file_unmap(&first);
    tri__file_unmap(&second);
    return same;
}

static void made_images_depend_on_the_seed_alone(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *one = test_path(folder, "one"), *three = test_path(folder, "deep/three/");
    char *other = test_path(folder, "other");
    tri__make_result result;
    assert_ok(make_images(one, 22, 11, 5, 1, &result));
    assert_int_equal(result.records, 25);
    assert_int_equal(result.files, 25);
    assert_ok(make_images(three, 22, 11, 5, 3, &result));
    assert_ok(make_images(other, 22, 11, 6, 3, &result));
    char name[64];
    for (int i = 0; i < 22; i++) {
        snprintf(name, sizeof name, "train/kind-%02d/%08d.jpg", i % 11, i);
        assert_true(same_photo(one, three, name));
        assert_false(same_photo(one, other, name));
    }
    assert_true(same_photo(one, three, "test/kind-02/00000002.jpg"));
    tri__mapping photo;
    read_photo(one, "train/kind-03/00000014.jpg", &photo);
    tri__jpeg *jpeg;
    int64_t height, width;
    assert_ok(tri__jpeg_create(&jpeg));
    assert_ok(tri__jpeg_size(jpeg, photo.data, photo.size, &height, &width));
    assert_int_equal(height, SIDE);
    assert_int_equal(width, SIDE + 8);
    tri__jpeg_destroy(jpeg);
    tri__file_unmap(&photo);
    free(one);
    free(three);
    free(other);
    test_folder_remove(folder);
}

/* What is there stays, an empty folder is filled, and what fails leaves nothing. */
static void the_folder_of_a_made_data_set_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *full = test_path(folder, "full"), *empty = test_path(folder, "empty");
    char *note = test_path(full, "note"), *refused = test_path(folder, "refused"), **names;
    tri__make_result result;
    assert_ok(tri__folder_create(full));
    assert_ok(tri__folder_create(empty));
    test_write(note, "x", 1);
    assert_fails(make_images(full, 6, 2, 1, 2, &result), TRI_BAD_CALL, "is already there and not empty");
    assert_fails(make_images(note, 6, 2, 1, 2, &result), TRI_BAD_CALL, "is a file");
    assert_ok(make_images(empty, 6, 2, 1, 2, &result));
    assert_fails(make_images(refused, 5, 6, 1, 2, &result), TRI_BAD_CALL, "5 photos of 6 classes");
    assert_fails(make_images(refused, 5000, 1001, 1, 2, &result), TRI_BAD_CALL, "there may be 1 to 1000");
    size_t count;
    assert_ok(tri__folder_list(folder, &names, &count));
    assert_int_equal(count, 2);
    tri__folder_free(names, count);
    free(full);
    free(empty);
    free(note);
    free(refused);
    test_folder_remove(folder);
}

/* A process that has ended. */
static pid_t ended_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

/* What a killed call left goes with the next one for the same folder; what others are at, or made for other folders, stays. */
static void leftovers_of_a_killed_data_make_are_removed(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out"), names[4][64], *paths[4];
    pid_t gone = ended_process();
    snprintf(names[0], sizeof *names, "out.tmp-%d", (int)gone);
    snprintf(names[1], sizeof *names, "out.tmp-%d", (int)getppid());
    snprintf(names[2], sizeof *names, "another out.tmp-%d", (int)gone);
    snprintf(names[3], sizeof *names, "out.tmp-%d.old", (int)gone);
    for (int i = 0; i < 4; i++) {
        paths[i] = test_path(folder, names[i]);
        char *below = test_path(paths[i], "train");
        assert_ok(tri__folder_create(below));
        free(below);
    }
    tri__make_result result;
    assert_ok(make_images(out, 6, 2, 1, 2, &result));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tri__folder_exists(paths[i]), i > 0);
        free(paths[i]);
    }
    free(out);
    test_folder_remove(folder);
}

static void count_calls(void *context, int64_t done, int64_t all)
{
    assert_true(done >= 1 && done <= all);
    __atomic_fetch_add((int64_t *)context, 1, __ATOMIC_RELAXED);
}

static void unknown_maker_and_wrong_size_are_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out");
    const tri__make_kind *kind;
    tri__make_result result;
    int64_t calls = 0;
    assert_fails(tri__make_find("nonsense", &kind), TRI_BAD_CALL, "no maker of that name; give clicks, digits or images");
    assert_ok(tri__make_find("images", &kind));
    tri__make_request request = {.out = out, .count = 6, .height = 7, .width = 40, .progress = count_calls, .context = &calls};
    assert_ok(tri__pool_create(2, &request.pool));
    assert_fails(tri__data_make(kind, &request, &result), TRI_BAD_CALL, "photos of 40×7");
    request.height = 8;
    assert_ok(tri__data_make(kind, &request, &result));
    assert_int_equal(calls, 7);
    tri__pool_destroy(request.pool);
    free(out);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_images_depend_on_the_seed_alone), cmocka_unit_test(the_folder_of_a_made_data_set_appears_whole_or_not_at_all),
        cmocka_unit_test(leftovers_of_a_killed_data_make_are_removed), cmocka_unit_test(unknown_maker_and_wrong_size_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
