/* info_test.c: what a source holds, part by part, with damage counted. */
#include "data/convert/info.h"

#include <stdio.h>

#include "data/fixture.h"

static void data_info_describes_parts_and_classes(void **state)
{
    (void)state;
    tri__info info;
    assert_ok(tri__data_info("fake:8x8x1:4:600", &(tri_source_options){.seed = 1}, NULL, &info));
    assert_string_equal(info.spec, "fake:8x8x1:4:600");
    assert_string_equal(info.format, "fake");
    assert_int_equal(info.classes, 4);
    assert_null(info.class_names);
    for (int part = 0; part < 2; part++) {
        assert_true(info.part[part].present);
        assert_int_equal(info.part[part].records, part == TRI_PART_TEST ? 100 : 600);
        int64_t sum = 0;
        for (int i = 0; i < 4; i++)
            sum += info.part[part].class_counts[i];
        assert_int_equal(sum, info.part[part].records);
        assert_int_equal(info.part[part].damaged, 0);
    }
    tri__info_fini(&info);
}

static void data_info_describes_a_source_with_one_part(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"train-images", "train-labels"}, {"t10k-images", "t10k-labels"}};
    for (int part = 0; part < 2; part++) {
        char *folder = test_folder_create();
        fixture_pair(folder, names[part][0], names[part][1], 10, 5, false);
        tri__info info;
        assert_ok(tri__data_info(folder, NULL, NULL, &info));
        assert_string_equal(info.format, "idx");
        assert_true(info.part[part].present);
        assert_false(info.part[1 - part].present);
        assert_int_equal(info.part[part].class_counts[0], 2);
        assert_int_equal(info.part[part].files, 2);
        tri__info_fini(&info);
        test_folder_remove(folder);
    }
}

typedef struct {
    int damaged, progress;
    char message[256]; /* the last */
} told;

static void see_damage(void *context, const char *message)
{
    told *self = context;
    self->damaged++;
    snprintf(self->message, sizeof self->message, "%s", message);
}

static void see_progress(void *context, int64_t done, int64_t all)
{
    assert_true(done >= 0 && done < all);
    ((told *)context)->progress++;
}

static void data_info_counts_damaged_records(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    uint8_t *records = calloc(2000, 3073);
    records[200 * 3073] = 10;
    records[1999 * 3073] = 255;
    fixture_write(folder, "data_batch_1.bin", records, (size_t)2000 * 3073);
    tri__info info;
    told seen = {0};
    const tri__info_watch watch = {.progress = see_progress, .damage = see_damage, .context = &seen};
    assert_ok(tri__data_info(folder, NULL, &watch, &info));
    assert_int_equal(seen.damaged, 2);
    assert_non_null(strstr(seen.message, "record 1999 at byte 6142927: label 255"));
    assert_true(seen.progress > 0);
    assert_int_equal(info.part[TRI_PART_TRAIN].damaged, 2);
    assert_int_equal(info.part[TRI_PART_TRAIN].class_counts[0], 1998);
    assert_string_equal(info.class_names[0], "airplane");
    tri__info_fini(&info);
    free(records);
    test_folder_remove(folder);
}

static void data_info_reports_a_source_that_cannot_be_opened(void **state)
{
    (void)state;
    tri__info info;
    assert_fails(tri__data_info("nonsense", NULL, NULL, &info), TRI_NOT_FOUND, "neither a known data source");
    char *folder = test_folder_create();
    fixture_pair(folder, "train-images", "train-labels", 10, 5, false);
    fixture_pair(folder, "test-images", "other", 10, 5, false);
    assert_fails(tri__data_info(folder, NULL, NULL, &info), TRI_BAD_DATA, "which is meant?");
    fixture_write(folder, "other", (const uint8_t *)"text", 4);
    assert_fails(tri__data_info(folder, NULL, NULL, &info), TRI_BAD_DATA, "has no labels beside it");
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_info_describes_parts_and_classes),
        cmocka_unit_test(data_info_describes_a_source_with_one_part),
        cmocka_unit_test(data_info_counts_damaged_records),
        cmocka_unit_test(data_info_reports_a_source_that_cannot_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
