/* cifar_test.c: records of several files in a row, interleaved into pixels. */
#include "data/format/cifar.h"

#include "data/fixture.h"

/* count records: label (first + i) mod 10; plane c of record i is filled with c · 64 + i. */
static void write_batch(const char *folder, const char *name, int first, int count)
{
    uint8_t *data = malloc((size_t)count * TRI_CIFAR_RECORD);
    for (int i = 0; i < count; i++) {
        uint8_t *record = data + i * TRI_CIFAR_RECORD;
        record[0] = (uint8_t)((first + i) % 10);
        for (int c = 0; c < 3; c++)
            memset(record + 1 + c * TRI_CIFAR_PLANE, c * 64 + i, TRI_CIFAR_PLANE);
        record[2] = 255; /* red of the second pixel */
    }
    fixture_write(folder, name, data, (size_t)count * TRI_CIFAR_RECORD);
    free(data);
}

static void cifar_batches_of_a_folder_are_read_by_part(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    write_batch(folder, "data_batch_1.bin", 0, 4);
    write_batch(folder, "data_batch_2.bin", 4, 3);
    write_batch(folder, "test_batch.bin", 7, 2);
    fixture_write(folder, "batches.meta.txt", (const uint8_t *)"airplane\n", 9);
    tri_source *source = fixture_open(folder, "cifar10", 7, 2);
    const tri_source_info *info = tri_source_describe(source);
    assert_int_equal(info->bytes, 7 * TRI_CIFAR_RECORD);
    assert_string_equal(info->class_names[9], "truck");
    static uint8_t x[2][TRI_CIFAR_PLANE][3];
    int32_t labels[2];
    assert_ok(tri_source_read(source, (int64_t[]){5, 0}, 2, x, labels));
    assert_int_equal(labels[0], 5);
    assert_int_equal(labels[1], 0);
    assert_int_equal(x[0][0][0], 1);
    assert_int_equal(x[0][0][1], 65);
    assert_int_equal(x[0][0][2], 129);
    assert_int_equal(x[0][1][0], 255);
    assert_int_equal(x[0][1023][2], 129);
    tri_source_destroy(source);
    assert_ok(tri_source_open(folder, TRI_PART_TEST, NULL, &source));
    assert_int_equal(tri_source_describe(source)->examples, 2);
    tri_source_destroy(source);
    test_folder_remove(folder);
}

static void a_cifar_batch_is_recognised_by_its_content(void **state)
{
    (void)state;
    static uint8_t data[2 * TRI_CIFAR_RECORD];
    assert_true(tri__cifar_is(data, sizeof data));
    assert_false(tri__cifar_is(data, sizeof data - 1));
    assert_false(tri__cifar_is(data, 0));
    data[TRI_CIFAR_RECORD] = 10;
    assert_false(tri__cifar_is(data, sizeof data));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cifar_batches_of_a_folder_are_read_by_part),
        cmocka_unit_test(a_cifar_batch_is_recognised_by_its_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
