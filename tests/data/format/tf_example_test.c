/* tf_example_test.c: tf.Example made and read back, packed and unpacked, in any order, with strange fields, and damaged. */
#include "data/format/tf_example.h"

#include <math.h>
#include <stdio.h>

#include "data/fixture.h"

static const char *const names[] = {"index", "value", "label", "text", NULL};
enum { INDEX, FLOATS, LABEL, TEXT, NAMES };

static tri__tf_example_query make_query(void)
{
    tri__tf_example_query query;
    tri__tf_example_query_init(&query, names);
    return query;
}

/* Varints of every length, negative ones among them. */
static const int64_t integers[] = {0,         1,         127,       128,       16383,     16384, 1 << 21,   1ll << 28,
                                   1ll << 35, 1ll << 42, 1ll << 49, 1ll << 56, INT64_MAX, -1,    INT64_MIN, 3};
static const float floats[] = {0, -1.5f, 3e38f, INFINITY, 1e-45f};
enum { INTEGERS = sizeof integers / sizeof *integers, FLOAT_COUNT = sizeof floats / sizeof *floats };

static void make(tri__tf_example_writer *example, const uint8_t **data, size_t *size)
{
    tri__tf_example_begin(example);
    tri__tf_example_add_floats(example, "value", floats, FLOAT_COUNT);
    tri__tf_example_add_integers(example, "index", integers, INTEGERS);
    tri__tf_example_add_bytes(example, "text", "hello", 5);
    tri__tf_example_add_integers(example, "nobody wants this", integers, 3);
    assert_ok(tri__tf_example_finish(example, data, size));
}

static void check(const tri__feature *found)
{
    int64_t seen[INTEGERS] = {0};
    float values[FLOAT_COUNT];
    const uint8_t *text;
    size_t length;
    assert_int_equal(tri__feature_integers(&found[INDEX], seen, INTEGERS), INTEGERS);
    assert_memory_equal(seen, integers, sizeof integers);
    assert_int_equal(tri__feature_floats(&found[FLOATS], values, FLOAT_COUNT), FLOAT_COUNT);
    assert_memory_equal(values, floats, sizeof floats);
    assert_true(tri__feature_bytes(&found[TEXT], &text, &length));
    assert_int_equal(length, 5);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(found[LABEL].kind, TRI_FEATURE_NONE);
}

static void written_features_of_a_tf_example_are_found(void **state)
{
    (void)state;
    tri__tf_example_writer example = {0};
    tri__tf_example_query query = make_query();
    for (int i = 0; i < 3; i++) { /* the memory, and what is remembered, serve again */
        const uint8_t *data;
        size_t size;
        make(&example, &data, &size);
        tri__feature found[NAMES];
        assert_true(tri__tf_example_find(&query, data, size, found));
        check(found);
        int64_t one;
        assert_int_equal(tri__feature_integers(&found[INDEX], &one, 1), INTEGERS); /* told, though only one is stored */
        assert_int_equal(tri__feature_integers(&found[FLOATS], &one, 1), -1);      /* of another kind */
        assert_int_equal(tri__feature_floats(&found[LABEL], NULL, 0), -1);         /* not there */
        assert_false(tri__feature_bytes(&found[INDEX], &data, &size));
    }
    tri__tf_example_fini(&example);
}

static void empty_tf_examples_and_lists_are_read(void **state)
{
    (void)state;
    tri__tf_example_writer example = {0};
    tri__tf_example_query query = make_query();
    const uint8_t *data;
    size_t size;
    tri__feature found[NAMES];
    assert_true(tri__tf_example_find(&query, (const uint8_t *)"", 0, found));
    tri__tf_example_begin(&example);
    assert_ok(tri__tf_example_finish(&example, &data, &size));
    assert_int_equal(size, 2);
    assert_true(tri__tf_example_find(&query, data, size, found));
    tri__tf_example_begin(&example);
    tri__tf_example_add_integers(&example, "index", NULL, 0);
    assert_ok(tri__tf_example_finish(&example, &data, &size));
    assert_true(tri__tf_example_find(&query, data, size, found));
    assert_int_equal(tri__feature_integers(&found[INDEX], NULL, 0), 0);
    tri__tf_example_fini(&example);
}

/* What TensorFlow makes of index=[5, 300], value=[0.5]. */
static void tf_example_bytes_are_those_of_tensorflow(void **state)
{
    (void)state;
    static const uint8_t bytes[] = "\x0a\x25"
                                   "\x0a\x10\x0a\x05index\x12\x07\x1a\x05\x0a\x03\x05\xac\x02"
                                   "\x0a\x11\x0a\x05value\x12\x08\x12\x06\x0a\x04\0\0\0\x3f";
    tri__tf_example_writer example = {0};
    const uint8_t *data;
    size_t size;
    tri__tf_example_begin(&example);
    tri__tf_example_add_integers(&example, "index", (int64_t[]){5, 300}, 2);
    tri__tf_example_add_floats(&example, "value", (float[]){0.5f}, 1);
    assert_ok(tri__tf_example_finish(&example, &data, &size));
    assert_int_equal(size, sizeof bytes - 1);
    assert_memory_equal(data, bytes, size);
    tri__tf_example_fini(&example);
}

/* An entry of Features: name, and one list of the given kind. */
static void put_entry(tri__wire_buffer *features, const char *name, uint32_t kind, const tri__wire_buffer *list, bool value_first)
{
    tri__wire_buffer feature = {0}, entry = {0};
    tri__wire_put_varint(&feature, 99, 7); /* a field that nobody knows */
    tri__wire_put_message(&feature, kind, list);
    if (value_first)
        tri__wire_put_message(&entry, 2, &feature);
    tri__wire_put_string(&entry, 1, name);
    tri__wire_put_double(&entry, 17, 1.0);
    if (!value_first)
        tri__wire_put_message(&entry, 2, &feature);
    tri__wire_put_message(features, 1, &entry);
    tri__wire_fini(&feature);
    tri__wire_fini(&entry);
}

static void unpacked_lists_and_unknown_fields_of_a_tf_example_are_read(void **state)
{
    (void)state;
    for (int value_first = 0; value_first < 2; value_first++) {
        tri__wire_buffer list = {0}, reals = {0}, texts = {0}, features = {0}, example = {0};
        for (int i = 0; i < INTEGERS; i++)
            tri__wire_put_varint(&list, 1, (uint64_t)integers[i]);
        for (int i = 0; i < FLOAT_COUNT; i++)
            tri__wire_put_float(&reals, 1, floats[i]);
        tri__wire_put_string(&texts, 1, "hello");
        tri__wire_put_string(&texts, 1, "again");
        put_entry(&features, "text", 1, &texts, value_first);
        tri__wire_put_float(&features, 12, 3);
        put_entry(&features, "value", 2, &reals, value_first);
        tri__wire_put_message(&example, 1, &features);
        features.size = 0;
        put_entry(&features, "index", 3, &texts, value_first); /* the same name later in the map replaces this */
        put_entry(&features, "index", 3, &list, value_first);
        tri__wire_put_message(&example, 1, &features); /* messages in two pieces are joined */
        tri__wire_put_fixed64(&example, 5, 1);
        tri__tf_example_query query = make_query();
        tri__feature found[NAMES];
        assert_true(tri__tf_example_find(&query, example.data, example.size, found));
        check(found);
        tri__wire_fini(&list);
        tri__wire_fini(&reals);
        tri__wire_fini(&texts);
        tri__wire_fini(&features);
        tri__wire_fini(&example);
    }
}

/* A Feature of these lists, each of one value and of the kind that it is numbered by, in a record of its own. */
static void make_lists(const int *kinds, int count, tri__wire_buffer *example)
{
    tri__wire_buffer feature = {0}, entry = {0}, features = {0};
    for (int i = 0; i < count; i++) {
        tri__wire_buffer list = {0};
        if (kinds[i] == TRI_FEATURE_INTEGERS)
            tri__wire_put_varint(&list, 1, (uint64_t)i);
        else if (kinds[i] == TRI_FEATURE_FLOATS)
            tri__wire_put_float(&list, 1, (float)i);
        else
            tri__wire_put_string(&list, 1, i == 0 ? "first" : "other");
        tri__wire_put_message(&feature, (uint32_t)kinds[i], &list);
        tri__wire_fini(&list);
    }
    tri__wire_put_string(&entry, 1, "index");
    tri__wire_put_message(&entry, 2, &feature);
    tri__wire_put_message(&features, 1, &entry);
    tri__wire_put_message(example, 1, &features);
    tri__wire_fini(&feature);
    tri__wire_fini(&entry);
    tri__wire_fini(&features);
}

static void several_lists_of_a_tf_example_feature_are_joined(void **state)
{
    (void)state;
    enum { B = TRI_FEATURE_BYTES, F = TRI_FEATURE_FLOATS, I = TRI_FEATURE_INTEGERS };
    static const int kinds[][4] = {{I, I, I, I}, {F, F, F, F}, {B, B, B, B}, {I, F, I, I}};
    static const int64_t counts[] = {4, 4, 4, 2}; /* of another kind: what was before it is gone */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        tri__wire_buffer record = {0};
        make_lists(kinds[i], 4, &record);
        tri__tf_example_query query = make_query();
        tri__feature found[NAMES];
        assert_true(tri__tf_example_find(&query, record.data, record.size, found));
        int64_t whole[4];
        float real[4];
        const uint8_t *text;
        size_t size;
        assert_int_equal(tri__feature_integers(&found[INDEX], whole, 4), kinds[i][3] == I ? counts[i] : -1);
        assert_true(kinds[i][3] != I || whole[counts[i] - 1] == 3);
        assert_int_equal(tri__feature_floats(&found[INDEX], real, 4), kinds[i][3] == F ? counts[i] : -1);
        assert_true(kinds[i][3] != F || real[3] == 3);
        assert_int_equal(tri__feature_bytes(&found[INDEX], &text, &size), kinds[i][3] == B);
        assert_true(kinds[i][3] != B || memcmp(text, "first", 5) == 0);
        tri__wire_fini(&record);
    }
}

static void a_tf_example_feature_behind_a_hundred_others_is_found(void **state)
{
    (void)state;
    tri__tf_example_writer example = {0};
    tri__tf_example_begin(&example);
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        tri__tf_example_add_integers(&example, name, (int64_t[]){i}, 1);
    }
    tri__tf_example_add_integers(&example, "label", (int64_t[]){77}, 1);
    const uint8_t *data;
    size_t size;
    assert_ok(tri__tf_example_finish(&example, &data, &size));
    tri__tf_example_query query = make_query();
    tri__feature found[NAMES];
    int64_t label;
    assert_true(tri__tf_example_find(&query, data, size, found));
    assert_int_equal(tri__feature_integers(&found[LABEL], &label, 1), 1);
    assert_int_equal(label, 77);
    tri__tf_example_fini(&example);
}

/* Every cut is told, by the record or by a list; no changed byte makes anything read outside (the sanitizers look). */
static void a_cut_or_changed_tf_example_is_never_read_outside(void **state)
{
    (void)state;
    tri__tf_example_writer example = {0};
    const uint8_t *data;
    size_t size;
    make(&example, &data, &size);
    tri__tf_example_query query = make_query();
    tri__feature found[NAMES];
    for (size_t cut = 1; cut < size; cut++)
        assert_false(tri__tf_example_find(&query, data, cut, found));
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            uint8_t *copy = malloc(size);
            assert_non_null(copy);
            memcpy(copy, data, size);
            copy[i] ^= (uint8_t)(1 << bit);
            int64_t seen[INTEGERS];
            float values[FLOAT_COUNT];
            if (tri__tf_example_find(&query, copy, size, found)) {
                tri__feature_integers(&found[INDEX], seen, INTEGERS);
                tri__feature_floats(&found[FLOATS], values, FLOAT_COUNT);
            }
            free(copy);
        }
    tri__tf_example_fini(&example);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_features_of_a_tf_example_are_found),
        cmocka_unit_test(empty_tf_examples_and_lists_are_read),
        cmocka_unit_test(tf_example_bytes_are_those_of_tensorflow),
        cmocka_unit_test(unpacked_lists_and_unknown_fields_of_a_tf_example_are_read),
        cmocka_unit_test(several_lists_of_a_tf_example_feature_are_joined),
        cmocka_unit_test(a_tf_example_feature_behind_a_hundred_others_is_found),
        cmocka_unit_test(a_cut_or_changed_tf_example_is_never_read_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
