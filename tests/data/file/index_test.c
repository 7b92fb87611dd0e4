/* index_test.c: an index is made once, kept, and made anew when the file or the index itself has changed. */
#include "data/file/index.h"

#include "base/file/folder.h"
#include "data/fixture.h"

static int scans; /* how often a file was gone through */

/* A record at every second byte. */
static tri_status scan(const char *path, const tri__content *content, tri__index *index)
{
    (void)path;
    scans++;
    for (size_t at = 0; at < content->size; at += 2)
        TRI_TRY(tri__index_add(index, (int64_t)at));
    index->facts[3] = (int64_t)content->size;
    return NULL;
}

static const tri__index_format pairs = {.name = "pairs-1", .scan = scan}, other_pairs = {.name = "pairs-2", .scan = scan};

/* Open the index of folder/file and look at it; say how many scans that took. */
static int open_once(const char *folder, const tri__index_format *format, bool cached)
{
    char *path = test_path(folder, "file"), *cache = test_path(folder, "cache");
    tri__content content;
    tri__index index;
    scans = 0;
    assert_ok(tri__content_open(path, NULL, &content));
    assert_ok(tri__index_open(path, &content, format, cached ? cache : NULL, &index));
    assert_int_equal(index.records, (content.size + 1) / 2);
    for (int64_t i = 0; i < index.records; i++)
        assert_int_equal(index.offsets[i], 2 * i);
    assert_int_equal(index.facts[3], content.size);
    tri__index_fini(&index);
    tri__content_fini(&content);
    free(cache);
    free(path);
    return scans;
}

/* The only file in the cache's folder of indices. */
static char *sidecar_of(const char *folder)
{
    char *indices = test_path(folder, "cache/index"), **names;
    size_t count;
    assert_ok(tri__folder_list(indices, &names, &count));
    assert_int_equal(count, 1);
    char *path = test_path(indices, names[0]);
    tri__folder_free(names, count);
    free(indices);
    return path;
}

static void a_text_file_is_indexed_once_until_it_changes(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static uint8_t bytes[5001];
    fixture_write(folder, "file", bytes, sizeof bytes);
    assert_int_equal(open_once(folder, &pairs, false), 1);
    assert_int_equal(open_once(folder, &pairs, true), 1);
    assert_int_equal(open_once(folder, &pairs, true), 0);
    assert_int_equal(open_once(folder, &pairs, false), 1);
    assert_int_equal(open_once(folder, &other_pairs, true), 1);
    fixture_write(folder, "file", bytes, 4000);
    assert_int_equal(open_once(folder, &pairs, true), 1);
    test_folder_remove(folder);
}

static void a_damaged_index_is_made_anew(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static const uint8_t bytes[20];
    fixture_write(folder, "file", bytes, sizeof bytes);
    assert_int_equal(open_once(folder, &pairs, true), 1);
    char *path = sidecar_of(folder);
    size_t size;
    char *good = test_read(path, &size);
    for (size_t at = 0; at < size; at++) {
        good[at] ^= 4;
        test_write(path, good, size);
        assert_int_equal(open_once(folder, &pairs, true), 1);
        good[at] ^= 4;
        test_write(path, good, at);
        assert_int_equal(open_once(folder, &pairs, true), 1);
    }
    assert_int_equal(open_once(folder, &pairs, true), 0);
    free(good);
    free(path);
    test_folder_remove(folder);
}

static void the_index_of_an_empty_file_is_kept(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    fixture_write(folder, "file", (const uint8_t *)"", 0);
    assert_int_equal(open_once(folder, &pairs, true), 1);
    assert_int_equal(open_once(folder, &pairs, true), 0);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_file_is_indexed_once_until_it_changes),
        cmocka_unit_test(a_damaged_index_is_made_anew),
        cmocka_unit_test(the_index_of_an_empty_file_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
