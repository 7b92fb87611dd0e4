/* catalogue_test.c: what is known of the data sets fits what is publicly known of them. */
#include "data/file/catalogue.h"

#include "data/fixture.h"

static void known_data_sets_have_checksums_and_sizes(void **state)
{
    (void)state;
    assert_null(tri__known_find("nonsense"));
    static const char *const names[] = {"fashion", "mnist", "cifar10"};
    for (size_t i = 0; i < 3; i++) {
        const tri__known_set *set = tri__known_find(names[i]);
        assert_non_null(set);
        assert_int_equal(set->classes, 10);
        assert_true((set->system_folder != NULL) != (set->files != NULL));
        for (const tri__known_file *file = set->files; file && file->name; file++)
            assert_int_equal(strlen(file->sha256), 64);
    }
    assert_int_equal(tri__known_find("mnist")->files[0].bytes, 16 + 60000 * 784);
    assert_int_equal(tri__known_find("mnist")->files[3].bytes, 8 + 10000);
    assert_int_equal(tri__known_find("cifar10")->files[5].bytes, 10000 * 3073);
}

static void the_folder_of_a_known_data_set_is_found(void **state)
{
    (void)state;
    char *system = tri__known_folder(tri__known_find("fashion"), "cache", NULL);
    char *fetched = tri__known_folder(tri__known_find("mnist"), "cache", NULL);
    assert_string_equal(system, TRI_DATA_FOLDER "/fashion-mnist");
    assert_string_equal(fetched, "cache/mnist");
    free(system);
    free(fetched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_data_sets_have_checksums_and_sizes),
        cmocka_unit_test(the_folder_of_a_known_data_set_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
