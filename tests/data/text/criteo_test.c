/* criteo_test.c: lines as they should be and as they should not, the buckets of numbers, and sources over files of lines. */
#include "data/text/criteo.h"

#include <stdio.h>

#include "data/fixture.h"
#include "data/text/wrong_line.h"

#define NUMBERS "1\t1\t5\t\t-1\t1382\t4\t15\t2\t181\t1\t2\t\t2"
#define CATEGORIES                                                                                                                         \
    "68fd1e64\t80e26c9b\tfb936136\t7b4723c4\t25c83c98\t7e0ccccf\tde7995b8\t1f89b562\ta73ee510\ta8cd5504\tb2cb9c98\t37c9c164\t2824a5f6"     \
    "\t1adce6ef\t8ba8b39a\t891b62e7\te5ba7672\tf54016b9\t21ddcdc9\tb1252a9d\t07b5194c\t\t3a171ecb\tc5c50484\te8b83407\t9727dd16"
#define LINE NUMBERS "\t" CATEGORIES

static const char *parse(const char *line, int64_t features, int32_t *keys, int32_t *label, size_t *stopped)
{
    const char *at = line;
    const char *wrong = tri__criteo_parse(&at, line + strlen(line), features, keys, label);
    *stopped = (size_t)(at - line);
    return wrong;
}

static void criteo_lines_are_parsed(void **state)
{
    (void)state;
    static const char *const ends[] = {"", "\n", "\r\n", "\n0\t1"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char line[1000];
        snprintf(line, sizeof line, "%s%s", LINE, ends[i]);
        int32_t keys[TRI_CRITEO_FIELDS], label = -1;
        size_t stopped;
        assert_null(parse(line, 1000000, keys, &label, &stopped));
        assert_int_equal(stopped, strlen(LINE));
        assert_int_equal(label, 1);
        assert_int_equal(keys[0], tri__criteo_key(0, 1, 1000000));
        assert_int_equal(keys[2], tri__criteo_key(2, TRI_CRITEO_EMPTY, 1000000));
        assert_int_equal(keys[4], tri__criteo_key(4, tri__criteo_number(1382), 1000000));
        assert_int_equal(keys[13], tri__criteo_key(13, tri__criteo_category("68fd1e64", 8), 1000000));
        assert_int_equal(keys[34], tri__criteo_key(34, TRI_CRITEO_EMPTY, 1000000));
        assert_int_equal(keys[38], tri__criteo_key(38, tri__criteo_category("9727dd16", 8), 1000000));
    }
}

static void an_invalid_criteo_line_is_reported_at_its_byte(void **state)
{
    (void)state;
    static const wrong_line cases[] = {
        {"", 0, "begin with the label"},
        {"2\t1", 0, "begin with the label"},
        {"1", 0, "begin with the label"},
        {"11\t1", 0, "begin with the label"},
        {"1\tx\t1", 2, "a whole number, or nothing"},
        {"1\t-\t1", 2, "a whole number, or nothing"},
        {"1\t1.5\t1", 3, "a tab should stand here"},
        {"1\t1234567890123456\t1", 2, "a whole number, or nothing"},
        {"1\t1\t2\n1\t2", 5, "a tab should stand here"},
        {NUMBERS, sizeof NUMBERS - 1, "a tab should stand here"},
        {LINE "\tmore", sizeof LINE - 1, "the line should end here"},
        {LINE "\r?", sizeof LINE - 1, "the line should end here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t keys[TRI_CRITEO_FIELDS], label;
        size_t stopped;
        const char *wrong = parse(cases[i].line, 1000, keys, &label, &stopped);
        assert_wrong(&cases[i], wrong, stopped);
    }
}

static void criteo_numbers_fall_into_buckets(void **state)
{
    (void)state;
    assert_int_equal(tri__criteo_number(0), 0);
    assert_int_equal(tri__criteo_number(2), 2);
    assert_true(tri__criteo_number(-1) != tri__criteo_number(-2));
    static const struct {
        int64_t low, high; /* the first and last of a bucket: ⌊ln(x)²⌋ = 1, 2, 4, 47, 286 */
    } buckets[] = {{3, 4}, {5, 5}, {8, 9}, {950, 1020}, {22109867, 22772730}};
    for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++) {
        uint64_t word = tri__criteo_number(buckets[i].low);
        assert_int_equal(tri__criteo_number(buckets[i].high), word);
        assert_true(tri__criteo_number(buckets[i].low - 1) != word);
        assert_true(tri__criteo_number(buckets[i].high + 1) != word);
    }
}

static void the_key_of_a_criteo_category_depends_on_all_of_its_text(void **state)
{
    (void)state;
    /* the text counts to its last byte, however long it is, and only it */
    static const char *const texts[] = {
        "a", "b", "ab", "abcdefgh", "abcdefgi", "abcdefghi", "abcdefghj", "abcdefghijklmnopq", "abcdefghijklmnopr"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (int i = 0; i < TEXTS; i++)
        for (int j = 0; j < i; j++)
            assert_true(tri__criteo_category(texts[i], strlen(texts[i])) != tri__criteo_category(texts[j], strlen(texts[j])));
    assert_int_equal(tri__criteo_category("", 0), TRI_CRITEO_EMPTY);
    assert_int_equal(tri__criteo_category("abc", 2), tri__criteo_category("abx", 2));
}

/* Keys fill the range evenly, and a value of one field is not the feature of another field. */
static void criteo_keys_fill_the_range_evenly(void **state)
{
    (void)state;
    enum { SLOTS = 64, WORDS = 6400 };
    int counts[SLOTS] = {0}, same = 0;
    for (uint64_t word = 0; word < WORDS; word++) {
        counts[tri__criteo_key(5, word, SLOTS)]++;
        same += tri__criteo_key(5, word, INT32_MAX) == tri__criteo_key(6, word, INT32_MAX);
    }
    assert_int_equal(same, 0);
    for (int i = 0; i < SLOTS; i++)
        assert_in_range(counts[i], 50, 160);
    assert_int_equal(tri__criteo_key(3, 12345, 1), 0);
}

static void a_criteo_source_gives_the_lines_of_all_files(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static const char text[] = LINE "\n\n0"
                                    "\t3\t\t\t\t\t\t\t\t\t\t\t\t"
                                    "\t" CATEGORIES "\r\n"
                                    "1\t2\t3\n" LINE;
    fixture_write_gzip(folder, "day_0.gz", (const uint8_t *)text, sizeof text - 1);
    tri_source *source;
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, &(tri_source_options){.features = 5000}, &source));
    assert_string_equal(source->info.format, "criteo");
    assert_int_equal(source->info.examples, 4);
    assert_int_equal(source->info.width, TRI_CRITEO_FIELDS);
    assert_int_equal(source->info.classes, 2);
    assert_int_equal(source->info.shape.dim[0], 5000);
    tri__reader *reader;
    assert_ok(tri__reader_create(source, &reader));
    int32_t keys[2][TRI_CRITEO_FIELDS], label;
    float values[TRI_CRITEO_FIELDS];
    for (int i = 0; i < 2; i++) {
        assert_ok(source->kind->read(reader, i,
                                     &(tri__example_target){.keys = keys[i], .values = values, .count = &(int64_t){0}, .label = &label}));
        assert_int_equal(label, 1 - i);
    }
    assert_memory_equal(keys[0] + 13, keys[1] + 13, 26 * sizeof **keys);
    assert_float_equal(values[38], 1, 0);
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++)
        assert_in_range(keys[1][i], 0, 4999);
    assert_fails(
        source->kind->read(reader, 2, &(tri__example_target){.keys = keys[0], .values = values, .count = &(int64_t){0}, .label = &label}),
        TRI_BAD_DATA, "day_0.gz: line ");
    assert_ok(
        source->kind->read(reader, 3, &(tri__example_target){.keys = keys[0], .values = values, .count = &(int64_t){0}, .label = &label}));
    tri__reader_destroy(reader);
    tri_source_destroy(source);
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source));
    assert_int_equal(source->info.shape.dim[0], TRI_CRITEO_FEATURES);
    tri_source_destroy(source);
    test_folder_remove(folder);
}

static void a_byte_order_mark_before_criteo_text_is_skipped(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf" LINE "\n" LINE "\n";
    char *folder = test_folder_create();
    fixture_write(folder, "day_0", (const uint8_t *)text, sizeof text - 1);
    tri_source *source;
    tri__reader *reader;
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, &(tri_source_options){.features = 5000}, &source));
    assert_string_equal(source->info.format, "criteo");
    assert_int_equal(source->info.examples, 2);
    assert_ok(tri__reader_create(source, &reader));
    int32_t keys[2][TRI_CRITEO_FIELDS], label;
    float values[TRI_CRITEO_FIELDS];
    for (int i = 0; i < 2; i++)
        assert_ok(source->kind->read(reader, i,
                                     &(tri__example_target){.keys = keys[i], .values = values, .count = &(int64_t){0}, .label = &label}));
    assert_memory_equal(keys[0], keys[1], sizeof keys[0]);
    tri__reader_destroy(reader);
    tri_source_destroy(source);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(criteo_lines_are_parsed),
        cmocka_unit_test(an_invalid_criteo_line_is_reported_at_its_byte),
        cmocka_unit_test(criteo_numbers_fall_into_buckets),
        cmocka_unit_test(the_key_of_a_criteo_category_depends_on_all_of_its_text),
        cmocka_unit_test(criteo_keys_fill_the_range_evenly),
        cmocka_unit_test(a_criteo_source_gives_the_lines_of_all_files),
        cmocka_unit_test(a_byte_order_mark_before_criteo_text_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
