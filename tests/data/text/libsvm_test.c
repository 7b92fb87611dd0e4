/* libsvm_test.c: lines as they should be and as they should not, and sources over files of them. */
#include "data/text/libsvm.h"

#include "base/file/folder.h"
#include "data/fixture.h"
#include "data/text/wrong_line.h"

enum { ROOM = 8 };

typedef struct {
    const char *wrong;
    size_t stopped; /* where in the line */
    tri__libsvm_line_facts row;
    int32_t keys[ROOM];
    float values[ROOM];
} parsed;

static parsed parse(const char *line)
{
    parsed out = {0};
    const char *at = line;
    out.wrong = tri__libsvm_parse(&at, line + strlen(line), 1, ROOM, out.keys, out.values, &out.row);
    out.stopped = (size_t)(at - line);
    return out;
}

static void libsvm_lines_are_parsed(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        float label;
        int64_t features, lowest, highest;
        float last; /* value */
    } cases[] = {
        {"+1 1:0.5 3:-2", 1, 2, 1, 3, -2},
        {"-1 1:0.5 3:-2\n+1 9:9", -1, 2, 1, 3, -2},
        {"7", 7, 0, INT64_MAX, -1, 0},
        {"7 \n", 7, 0, INT64_MAX, -1, 0},
        {"3 2:1e3\r\n", 3, 1, 2, 2, 1000},
        {"3\t2:1\t\t5:.25  \t\r\n", 3, 2, 2, 5, 0.25F},
        {"1.0 qid:12 2:3 # a comment: 7:7", 1, 1, 2, 2, 3},
        {"1 2:3# a comment", 1, 1, 2, 2, 3},
        {"1 # 2:3", 1, 0, INT64_MAX, -1, 0},
        {"0 0:1 2147483647:2", 0, 2, 0, 2147483647, 2},
        {"0 5:1 3:2", 0, 2, 3, 5, 2},
        {"3,1,7 5:1 3:2", 3, 2, 3, 5, 2},
        {"-3.75 5:1", -3.75F, 1, 5, 5, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed got = parse(cases[i].line);
        if (got.wrong)
            fail_msg("'%s': %s", cases[i].line, got.wrong);
        assert_float_equal(got.row.label, cases[i].label, 0);
        assert_int_equal(got.row.features, cases[i].features);
        assert_int_equal(got.row.lowest, cases[i].lowest);
        assert_int_equal(got.row.highest, cases[i].highest);
        if (cases[i].features > 0)
            assert_float_equal(got.values[cases[i].features - 1], cases[i].last, 0);
    }
    parsed got = parse("+1 1:0.5 300:-2");
    assert_int_equal(got.keys[0], 0);
    assert_int_equal(got.keys[1], 299);
}

static void an_invalid_libsvm_line_is_reported_at_its_byte(void **state)
{
    (void)state;
    static const wrong_line cases[] = {
        {"one 1:1", 0, "label is not a number"},
        {":1", 0, "label is not a number"},
        {"1, 1:1", 2, "label should stand behind the comma"},
        {"1,2x 1:1", 3, "label should be followed"},
        {"1x 1:1", 1, "label should be followed"},
        {"1 a:1", 2, "index should stand here"},
        {"1 -3:1", 2, "index should stand here"},
        {"1 2147483648:1", 2, "index should stand here"},
        {"1 99999999999999999999:1", 2, "index should stand here"},
        {"1 3", 3, "followed by a colon"},
        {"1 3 :1", 3, "followed by a colon"},
        {"1 3:", 4, "value should stand here"},
        {"1 3: 1", 4, "value should stand here"},
        {"1 3:nan", 4, "finite number"},
        {"1 3:-inf", 4, "finite number"},
        {"1 3:1e39", 4, "finite number"},
        {"1 3:1:2", 5, "followed by a blank"},
        {"1 3:1,4:2", 5, "followed by a blank"},
        {"1 qid: 3:1", 2, "index should stand here"},
        {"1 3:1 qid:4", 6, "index should stand here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed got = parse(cases[i].line);
        assert_wrong(&cases[i], got.wrong, got.stopped);
    }
}

static void libsvm_features_beyond_the_room_are_only_counted(void **state)
{
    (void)state;
    parsed got = parse("1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10");
    assert_null(got.wrong);
    assert_int_equal(got.row.features, 10);
    assert_int_equal(got.keys[ROOM - 1], 7);
}

static void libsvm_text_is_recognised_by_its_first_line(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        bool is;
    } cases[] = {
        {"1 1:0.5 3:4\n", true},
        {"# comment\n\n  \n-1 3:4\n", true},
        {"1 1:0.5 3:", true},
        {"1 1:0.5 3:4 some words\n", false},
        {"", false},
        {"# only a comment", false},
        {"1\n", false},
        {"1 2 3\n", false},
        {"label,x,y\n1,2,3\n", false},
        {"hello: 3\n", false},
        {"1 qid:3 1:1\n", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (tri__libsvm_is((const uint8_t *)cases[i].head, strlen(cases[i].head)) != cases[i].is)
            fail_msg("'%s' is %sLIBSVM text", cases[i].head, cases[i].is ? "" : "not ");
}

/* A folder with one file of text, opened. */
typedef struct {
    char *folder;
    tri_source *source;
    tri__reader *reader;
} opened;

static tri_status open_text(const char *folder, const char *name, const char *text, const tri_source_options *options, tri_source **out)
{
    fixture_write(folder, name, (const uint8_t *)text, strlen(text));
    char *path = test_path(folder, name);
    tri_status status = tri_source_open(path, TRI_PART_TRAIN, options, out);
    free(path);
    return status;
}

static opened open_one(const char *text, int64_t features)
{
    opened self = {.folder = test_folder_create()};
    assert_ok(open_text(self.folder, "some.libsvm", text, &(tri_source_options){.features = features}, &self.source));
    assert_ok(tri__reader_create(self.source, &self.reader));
    return self;
}

static void end(opened *self)
{
    tri__reader_destroy(self->reader);
    tri_source_destroy(self->source);
    test_folder_remove(self->folder);
}

static tri_status read_record(opened *self, int64_t record, int32_t *keys, float *values, int32_t *label)
{
    int64_t count = 0, width = self->source->info.width;
    tri_status status = self->source->kind->read(self->reader, record,
                                                 &(tri__example_target){.keys = keys, .values = values, .count = &count, .label = label});
    for (int64_t i = count; !status && i < width; i++) { /* what stands behind them means nothing */
        keys[i] = -1;
        values[i] = 0;
    }
    return status;
}

static void a_libsvm_source_gives_the_lines_of_all_files(void **state)
{
    (void)state;
    opened self = open_one("# head\n\n+1 1:0.5 7:2 3:1\r\n\t-1 2:4 \n  # more\n+1\n-1 7:1e-2", 0);
    const tri_source_info *info = tri_source_describe(self.source);
    assert_string_equal(info->format, "libsvm");
    assert_int_equal(info->examples, 4);
    assert_int_equal(info->width, 3);
    assert_int_equal(info->classes, 2);
    assert_int_equal(info->files, 1);
    assert_int_equal(info->type, TRI_F32);
    assert_true(tri_shape_equal(info->shape, TRI_SHAPE(7)));
    static const struct {
        int32_t label, keys[3];
        float values[3];
    } expected[] = {
        {1, {0, 6, 2}, {0.5F, 2, 1}},
        {0, {1, -1, -1}, {4, 0, 0}},
        {1, {-1, -1, -1}, {0, 0, 0}},
        {0, {6, -1, -1}, {0.01F, 0, 0}},
    };
    for (int64_t i = 3; i >= 0; i--) {
        int32_t keys[3], label;
        float values[3];
        assert_ok(read_record(&self, i, keys, values, &label));
        assert_int_equal(label, expected[i].label);
        assert_memory_equal(keys, expected[i].keys, sizeof keys);
        assert_memory_equal(values, expected[i].values, sizeof values);
    }
    end(&self);
}

static void a_byte_order_mark_before_libsvm_text_is_skipped(void **state)
{
    (void)state;
    opened self = open_one("\xef\xbb\xbf"
                           "1 2:x\n0 1:2\n",
                           3);
    int32_t keys[3], label;
    float values[3];
    assert_string_equal(tri_source_describe(self.source)->format, "libsvm");
    assert_int_equal(tri_source_describe(self.source)->examples, 2);
    assert_fails(read_record(&self, 0, keys, values, &label), TRI_BAD_DATA, "line 1, column 5 (record 0 at byte 7)");
    assert_ok(read_record(&self, 1, keys, values, &label));
    assert_int_equal(keys[0], 0);
    end(&self);
}

static void libsvm_indices_begin_at_0_or_1_as_the_files_show(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t classes, features;
        int32_t first_label, first_key;
    } cases[] = {
        {"-1 1:1\n+1 2:1\n", 2, 2, 0, 0},    {"0 1:1\n1 2:1\n", 2, 2, 0, 0},      {"1 0:1\n0 2:1\n", 2, 3, 1, 0},
        {"1 1:1\n2 2:1\n3 1:1", 3, 2, 0, 0}, {"0 3:1\n9 2:1\n", 10, 3, 0, 2},     {"2 1:1\n1 4:1\n", 2, 4, 1, 0},
        {"1 1:1\n1 2:1\n", 2, 2, 1, 0},      {"1.000 5:1\n-1.0 1:1", 2, 5, 1, 4}, {"0 1:1", 2, 1, 0, 0},
        {"4 1:1\n2 2:1\n4 1:1", 2, 2, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opened self = open_one(cases[i].text, 0);
        int32_t key, label;
        float value;
        assert_int_equal(self.source->info.classes, cases[i].classes);
        assert_int_equal(self.source->info.shape.dim[0], cases[i].features);
        assert_ok(read_record(&self, 0, &key, &value, &label));
        assert_int_equal(label, cases[i].first_label);
        assert_int_equal(key, cases[i].first_key);
        end(&self);
    }
    char *folder = test_folder_create();
    tri_source *source;
    assert_fails(open_text(folder, "mixed", "-1 1:1\n5 1:1\n", NULL, &source), TRI_BAD_DATA, "labels go from -1 to 5");
    test_folder_remove(folder);
}

static void a_damaged_libsvm_line_is_reported_and_the_others_are_read(void **state)
{
    (void)state;
    opened self = open_one("-1 1:1\n+1 2:x\n0 1:1\n+1 9:1\n0.5 1:1\n-7 1:1\n+1 4:4\n", 4);
    static const char *const messages[] = {
        NULL,
        "some.libsvm: line 2, column 6 (record 1 at byte 12): a feature's value should stand here",
        "line 3, column 1 (record 2 at byte 14): label 0 where labels are -1 and +1",
        "line 4, column 4 (record 3 at byte 23): feature index 9 where indices are 1 to 4",
        "line 5, column 1 (record 4 at byte 27): label 0.5",
        "line 6, column 1 (record 5 at byte 35): label -7 where labels are -1 and +1, and none may be below -1",
        NULL,
    };
    assert_int_equal(self.source->info.examples, 7);
    assert_int_equal(self.source->info.shape.dim[0], 4);
    for (int64_t i = 0; i < 7; i++) {
        int32_t keys[1], label;
        float values[1];
        tri_status status = read_record(&self, i, keys, values, &label);
        if (messages[i])
            assert_fails(status, TRI_BAD_DATA, messages[i]);
        else
            assert_ok(status);
    }
    end(&self);
}

/* A record's label where it is no class. */
static tri_status read_targets(opened *self, int64_t record, float *targets)
{
    int32_t keys[8], label;
    float values[8];
    int64_t count;
    return self->source->kind->read(
        self->reader, record, &(tri__example_target){.keys = keys, .values = values, .count = &count, .label = &label, .targets = targets});
}

static opened open_labels(const char *text, tri_label_kind labels, int64_t outputs)
{
    opened self = {.folder = test_folder_create()};
    assert_ok(open_text(self.folder, "some.libsvm", text, &(tri_source_options){.labels = labels, .outputs = outputs}, &self.source));
    assert_ok(tri__reader_create(self.source, &self.reader));
    return self;
}

static void labels_are_numbers_where_the_model_or_most_lines_have_such(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tri_label_kind labels, found;
    } cases[] = {
        {"3.75 1:1\n-2e3 2:1\n7 1:1\n", TRI_LABEL_CLASS, TRI_LABEL_NUMBERS},
        {"3 1:1\n-2e3 2:1\n7 1:1\n", TRI_LABEL_NUMBERS, TRI_LABEL_NUMBERS},
        {"3 1:1\n0.5 2:1\n7 1:1\n", TRI_LABEL_CLASS, TRI_LABEL_CLASS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opened self = open_labels(cases[i].text, cases[i].labels, 0);
        const tri_source_info *info = tri_source_describe(self.source);
        assert_int_equal(info->labels, cases[i].found);
        assert_int_equal(info->outputs, cases[i].found == TRI_LABEL_NUMBERS);
        float target = 0;
        if (info->outputs) {
            assert_int_equal(info->classes, 0);
            assert_ok(read_targets(&self, 1, &target));
            assert_float_equal(target, -2000, 0);
        }
        end(&self);
    }
    opened self = open_labels("1.5 1:1\ninf 1:1\n1,2 1:1\n 1:1\n", TRI_LABEL_NUMBERS, 0);
    float target;
    assert_fails(read_targets(&self, 1, &target), TRI_BAD_DATA, "line 2, column 1 (record 1 at byte 8): the label is no finite number");
    assert_fails(read_targets(&self, 2, &target), TRI_BAD_DATA, "several labels in one line");
    assert_fails(read_targets(&self, 3, &target), TRI_BAD_DATA, "no label");
    end(&self);
}

static void lists_of_labels_are_sets(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        opened self = open_labels("1,3 1:1\n2 2:1\n 1:1\n3,2,1 2:4\n", asked ? TRI_LABEL_SET : TRI_LABEL_CLASS, 0);
        static const float sets[4][3] = {{1, 0, 1}, {0, 1, 0}, {0, 0, 0}, {1, 1, 1}};
        assert_int_equal(self.source->info.labels, TRI_LABEL_SET);
        assert_int_equal(self.source->info.outputs, 3);
        for (int64_t i = 0; i < 4; i++) {
            float targets[3];
            assert_ok(read_targets(&self, i, targets));
            assert_memory_equal(targets, sets[i], sizeof targets);
        }
        end(&self);
    }
    opened self = open_labels("1,3 1:1\n", TRI_LABEL_SET, 2);
    float targets[2];
    assert_fails(read_targets(&self, 0, targets), TRI_BAD_DATA, "label 3 where labels are 1 to 2");
    end(&self);
}

/* Both parts have the features and classes that both show together. */
static void both_parts_of_libsvm_text_have_the_same_features_and_classes(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *cache = test_path(folder, "cache"), *set = test_path(folder, "set");
    static const struct {
        const char *name, *text;
        bool gzip;
    } files[] = {{"train-1", "0 1:1\n1 2:1\n", false}, {"train-2.gz", "1 3:1 5:1", true}, {"test", "0 9:1\n2 1:1\n1 2:1", false}};
    assert_ok(tri__folder_create(set));
    for (size_t i = 0; i < 3; i++)
        (files[i].gzip ? fixture_write_gzip : fixture_write)(set, files[i].name, (const uint8_t *)files[i].text, strlen(files[i].text));
    for (int again = 0; again < 2; again++) /* the second time by the indices of the first */
        for (int part = 0; part < 2; part++) {
            tri_source *source;
            assert_ok(tri_source_open(set, (tri_part)part, &(tri_source_options){.cache_folder = cache}, &source));
            assert_int_equal(source->info.examples, 3);
            assert_int_equal(source->info.classes, 3);
            assert_int_equal(source->info.width, 2);
            assert_int_equal(source->info.files, part == 0 ? 2 : 1);
            assert_true(tri_shape_equal(source->info.shape, TRI_SHAPE(9)));
            opened self = {.source = source};
            assert_ok(tri__reader_create(source, &self.reader));
            int32_t keys[2], label;
            float values[2];
            assert_ok(read_record(&self, 2, keys, values, &label));
            assert_int_equal(keys[0], part == 0 ? 2 : 1);
            assert_int_equal(label, 1);
            tri__reader_destroy(self.reader);
            tri_source_destroy(source);
        }
    free(set);
    free(cache);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libsvm_lines_are_parsed),
        cmocka_unit_test(an_invalid_libsvm_line_is_reported_at_its_byte),
        cmocka_unit_test(libsvm_features_beyond_the_room_are_only_counted),
        cmocka_unit_test(libsvm_text_is_recognised_by_its_first_line),
        cmocka_unit_test(a_libsvm_source_gives_the_lines_of_all_files),
        cmocka_unit_test(a_byte_order_mark_before_libsvm_text_is_skipped),
        cmocka_unit_test(libsvm_indices_begin_at_0_or_1_as_the_files_show),
        cmocka_unit_test(a_damaged_libsvm_line_is_reported_and_the_others_are_read),
        cmocka_unit_test(labels_are_numbers_where_the_model_or_most_lines_have_such),
        cmocka_unit_test(lists_of_labels_are_sets),
        cmocka_unit_test(both_parts_of_libsvm_text_have_the_same_features_and_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
