/* known_file_test.c: records made from a picture and its labels, by a PNG that the test writes itself. */
#include "data/fetch/known_file.h"

#include "base/bytes/sha256.h"
#include "data/fixture.h"
#include "data/format/cifar.h"

static void put_word(uint8_t *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> (24 - 8 * i));
}

/* Append a chunk to a PNG. */
static size_t put_chunk(uint8_t *out, const char *type, const uint8_t *data, size_t size)
{
    put_word(out, (uint32_t)size);
    memcpy(out + 4, type, 4);
    memcpy(out + 8, data, size);
    put_word(out + 8 + size, (uint32_t)crc32(0, out + 4, (uInt)(4 + size)));
    return 12 + size;
}

/* A picture of two rows of 1,024 pixels: row r, pixel i is (r, i mod 256, 7). Written into folder under name. */
static void write_picture(const char *folder, const char *name)
{
    enum { ROW = 1 + 3 * TRI_CIFAR_PLANE };
    static uint8_t rows[2 * ROW], packed[4 * ROW], png[5 * ROW];
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < TRI_CIFAR_PLANE; i++)
            memcpy(rows + r * ROW + 1 + 3 * i, ((uint8_t[]){(uint8_t)r, (uint8_t)i, 7}), 3);
    uLongf packed_size = sizeof packed;
    assert_int_equal(compress(packed, &packed_size, rows, sizeof rows), Z_OK);
    uint8_t header[13] = {0, 0, 4, 0, 0, 0, 0, 2, 8, 2, 0, 0, 0}; /* 1024×2, 8 bits, RGB */
    memcpy(png, "\x89PNG\r\n\x1a\n", 8);
    size_t size = 8;
    size += put_chunk(png + size, "IHDR", header, sizeof header);
    size += put_chunk(png + size, "IDAT", packed, packed_size);
    size += put_chunk(png + size, "IEND", header, 0);
    fixture_write(folder, name, png, size);
}

static void expected_records(uint8_t records[2 * TRI_CIFAR_RECORD])
{
    for (int r = 0; r < 2; r++) {
        uint8_t *record = records + r * TRI_CIFAR_RECORD;
        record[0] = r ? 9 : 4;
        memset(record + 1, r, TRI_CIFAR_PLANE);
        for (int i = 0; i < TRI_CIFAR_PLANE; i++)
            record[1 + TRI_CIFAR_PLANE + i] = (uint8_t)i;
        memset(record + 1 + 2 * TRI_CIFAR_PLANE, 7, TRI_CIFAR_PLANE);
    }
}

static tri_status make_files(const char *folder, const tri__known_file *file)
{
    tri__archive *archive;
    assert_ok(tri__archive_open(folder, &archive));
    tri_status status = tri__known_file_make(file, archive, folder);
    tri__archive_destroy(archive);
    return status;
}

static void cifar_records_are_made_from_a_picture_and_its_labels(void **state)
{
    (void)state;
    uint8_t records[2 * TRI_CIFAR_RECORD];
    expected_records(records);
    char hex[65];
    tri__sha256 hash;
    tri__sha256_init(&hash);
    tri__sha256_update(&hash, records, sizeof records);
    tri__sha256_final(&hash, hex);
    tri__known_file file = {
        .name = "batch.bin", .bytes = sizeof records, .sha256 = hex, .picture = "batch.png", .labels = "labels.json", .first_label = 1};
    char *folder = test_folder_create(), *made = test_path(folder, "batch.bin");
    assert_fails(make_files(folder, &file), TRI_NOT_FOUND, "there is no batch.png");
    write_picture(folder, "batch.png");
    assert_fails(make_files(folder, &file), TRI_NOT_FOUND, "there is no labels.json");
    fixture_write(folder, "labels.json", (const uint8_t *)"[0,4]", 5);
    assert_fails(make_files(folder, &file), TRI_BAD_DATA, "labels.json: entry 2 is not a class");
    fixture_write(folder, "labels.json", (const uint8_t *)"[0,4,8]", 7);
    assert_fails(make_files(folder, &file), TRI_BAD_DATA, "batch.bin: its SHA-256 is");
    assert_false(tri__file_exists(made));
    fixture_write(folder, "labels.json", (const uint8_t *)"[0,4,9]", 7);
    assert_ok(make_files(folder, &file));
    size_t size;
    char *bytes = test_read(made, &size);
    assert_int_equal(size, sizeof records);
    assert_memory_equal(bytes, records, size);
    free(bytes);
    free(made);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cifar_records_are_made_from_a_picture_and_its_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
