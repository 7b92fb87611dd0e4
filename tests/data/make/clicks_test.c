/* clicks_test.c: synthetic click records: their frequencies, their hidden model, their text, and the source over them. */
#include "data/make/clicks.h"

#include <math.h>
#include <stdio.h>

#include "data/fixture.h"

enum { RECORDS = 20000, FEATURES = 1000000 };

static double entropy(double p)
{
    return -p * log(p) - (1 - p) * log(1 - p);
}

/* With the true weights the logloss is far below what the base rate alone gives; and the labels are as likely as they say. */
static void a_hidden_model_explains_the_labels_of_clicks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        tri__clicks clicks;
        tri__clicks_init(&clicks, seed, TRI_PART_TRAIN, FEATURES);
        double loss = 0, chance = 0, clicked = 0;
        for (int64_t i = 0; i < RECORDS; i++) {
            tri__click click;
            tri__clicks_make(&clicks, i, &click);
            loss -= log(click.label ? click.chance : 1 - click.chance);
            chance += click.chance;
            clicked += click.label;
        }
        double base = entropy(clicked / RECORDS);
        print_message("seed %d: %.3f clicked, logloss %.4f with the true weights, %.4f with the base rate alone\n", (int)seed,
                      clicked / RECORDS, loss / RECORDS, base);
        assert_float_equal(clicked / RECORDS, 0.256, 0.02);
        assert_float_equal(chance / RECORDS, clicked / RECORDS, 0.015);
        assert_true(loss / RECORDS < base - 0.08);
        assert_true(loss / RECORDS > 0.3); /* there is something left that nobody can know */
    }
}

/* The n-th most frequent value is seen 1/n as often as the first. */
static void values_of_clicks_follow_zipf_s_law(void **state)
{
    (void)state;
    tri__clicks clicks;
    tri__clicks_init(&clicks, 1, TRI_PART_TRAIN, FEATURES);
    enum { FIELD = 4, MOST = 16, DRAWS = 200000 }; /* the number with the largest range */
    int counts[MOST] = {0};
    for (int64_t i = 0; i < DRAWS; i++) {
        tri__click click;
        tri__clicks_make(&clicks, i, &click);
        if (click.numbers[FIELD] < MOST)
            counts[click.numbers[FIELD]]++;
    }
    for (int n = 2; n <= MOST; n++)
        assert_float_equal((double)counts[n - 1] * n / counts[0], 1, 0.1);
    assert_float_equal((double)counts[0] / DRAWS, 1 / (log(23159457) + 0.5772), 0.003);
}

static void a_click_depends_on_seed_part_and_number_alone(void **state)
{
    (void)state;
    tri__clicks clicks, test, again, other;
    tri__clicks_init(&clicks, 1, TRI_PART_TRAIN, FEATURES);
    tri__clicks_init(&again, 1, TRI_PART_TRAIN, FEATURES);
    tri__clicks_init(&test, 1, TRI_PART_TEST, FEATURES);
    tri__clicks_init(&other, 2, TRI_PART_TRAIN, FEATURES);
    int same[3] = {0};
    for (int64_t i = 0; i < 100; i++) {
        char text[4][TRI_CLICK_LONGEST];
        const tri__clicks *all[] = {&clicks, &again, &test, &other};
        size_t size[4];
        for (int j = 0; j < 4; j++) {
            tri__click click;
            tri__clicks_make(all[j], j == 1 ? 99 - i : i, &click);
            if (j == 1)
                tri__clicks_make(all[j], i, &click);
            size[j] = tri__click_text(&click, text[j]);
        }
        for (int j = 1; j < 4; j++)
            same[j - 1] += size[0] == size[j] && memcmp(text[0], text[j], size[0]) == 0;
    }
    assert_int_equal(same[0], 100);
    assert_int_equal(same[1], 0);
    assert_int_equal(same[2], 0);
}

/* The text of a click, read as Criteo's, is the click. */
static void a_click_written_as_text_is_read_back(void **state)
{
    (void)state;
    for (int64_t features = 1; features <= TRI_CLICKS_MOST_FEATURES; features = features * 40 + 7) {
        tri__clicks clicks;
        tri__clicks_init(&clicks, 5, TRI_PART_TRAIN, features);
        for (int64_t i = 0; i < 300; i++) {
            tri__click click;
            tri__clicks_make(&clicks, i, &click);
            char text[TRI_CLICK_LONGEST];
            size_t size = tri__click_text(&click, text);
            const char *at = text;
            int32_t keys[2][TRI_CRITEO_FIELDS], label;
            assert_null(tri__criteo_parse(&at, text + size, features, keys[0], &label));
            tri__click_keys(&click, features, keys[1]);
            assert_memory_equal(keys[0], keys[1], sizeof *keys);
            assert_int_equal(label, click.label);
            for (int j = 0; j < TRI_CRITEO_FIELDS; j++)
                assert_in_range(keys[1][j], 0, features - 1);
        }
    }
}

static void the_click_source_gives_the_clicks(void **state)
{
    (void)state;
    tri_source *source;
    assert_ok(tri_source_open("clicks:2147483647:600", TRI_PART_TRAIN, &(tri_source_options){.seed = 3}, &source));
    assert_string_equal(source->info.format, "clicks");
    assert_int_equal(source->info.examples, 600);
    assert_int_equal(source->info.shape.dim[0], 2147483647);
    assert_int_equal(source->info.width, TRI_CRITEO_FIELDS);
    tri__clicks clicks;
    tri__click click;
    tri__clicks_init(&clicks, 3, TRI_PART_TRAIN, 2147483647);
    tri__clicks_make(&clicks, 599, &click);
    int32_t keys[2][TRI_CRITEO_FIELDS], label;
    float values[TRI_CRITEO_FIELDS];
    tri__reader *reader;
    assert_ok(tri__reader_create(source, &reader));
    assert_ok(source->kind->read(reader, 599,
                                 &(tri__example_target){.keys = keys[0], .values = values, .count = &(int64_t){0}, .label = &label}));
    tri__click_keys(&click, 2147483647, keys[1]);
    assert_memory_equal(keys[0], keys[1], sizeof *keys);
    assert_int_equal(label, click.label);
    tri__reader_destroy(reader);
    tri_source_destroy(source);
    assert_ok(tri_source_open("clicks:1000:600", TRI_PART_TEST, NULL, &source));
    assert_int_equal(source->info.examples, 100);
    tri_source_destroy(source);
    static const char *const wrong[] = {"clicks",     "clicks:",     "clicks:0",     "clicks:2147483648",
                                        "clicks:10:", "clicks:10:0", "clicks:10:5x", "clicks:x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(tri_source_open(wrong[i], TRI_PART_TRAIN, NULL, &source), TRI_BAD_CALL, "should be clicks:FEATURES[:N]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hidden_model_explains_the_labels_of_clicks),
        cmocka_unit_test(values_of_clicks_follow_zipf_s_law),
        cmocka_unit_test(a_click_depends_on_seed_part_and_number_alone),
        cmocka_unit_test(a_click_written_as_text_is_read_back),
        cmocka_unit_test(the_click_source_gives_the_clicks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
