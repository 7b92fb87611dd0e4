/* csv_test.c: fields, columns and sources of separated values. */
#include "data/text/csv.h"

#include <stdio.h>

#include "data/fixture.h"
#include "data/source/source.h"
#include "data/text/csv_look.h"

static void fields_are_told_apart(void **state)
{
    (void)state;
    static const char line[] = " 12.5 ,\"Rome, Italy\",,\"say \"\"yes\"\"\"\t,last\r\nnext";
    static const char *const expected[] = {"12.5", "Rome, Italy", "", "say \"yes\"", "last"};
    const char *at = line, *end = line + strlen(line);
    bool last = false;
    for (int i = 0; i < 5; i++) {
        tri__csv_field field;
        char text[32];
        assert_false(last);
        assert_null(tri__csv_next(&at, end, ',', &field, &last));
        assert_string_equal(tri__csv_field_text(&field, text), expected[i]);
        assert_int_equal(tri__csv_field_missing(&field), i == 2);
    }
    assert_true(last && *at == '\n');
}

static void damaged_quotes_are_reported_where_they_stand(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t stopped;
        const char *wrong;
    } cases[] = {{"\"open, 1\n2", 0, "not closed in its line"}, {"\"a\" b,1", 4, "behind the closing quote"}, {"\"", 0, "not closed"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].line;
        tri__csv_field field;
        bool last;
        const char *wrong = tri__csv_next(&at, at + strlen(at), ',', &field, &last);
        assert_non_null(wrong);
        assert_non_null(strstr(wrong, cases[i].wrong));
        assert_int_equal(at - cases[i].line, cases[i].stopped);
    }
}

static void tables_are_recognised_by_their_lines(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        bool is, header;
        char separator;
    } cases[] = {
        {"a,b\n1,2\n", true, true, ','},      {"1;2\n3;4", true, false, ';'},
        {"x\ty\n1\tNA\n", true, true, '\t'},  {"1,\"a;b;c\"\n2,z\n", true, false, ','},
        {"Hello, world\n", false, true, ','}, {"1,2\n3\n", false, false, ','},
        {"1\n2\n", false, false, ','},        {"", false, false, ','},
        {"a,b\nc,d\n", false, true, ','},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t size = strlen(cases[i].head);
        if (tri__csv_is((const uint8_t *)cases[i].head, size) != cases[i].is)
            fail_msg("'%s' is %sa table", cases[i].head, cases[i].is ? "" : "not ");
        const tri__csv_look look = tri__csv_look_at(cases[i].head, size);
        assert_true(look.header == (cases[i].header && size > 0));
        assert_int_equal(look.separator, cases[i].separator);
    }
}

static tri_status open_text(const char *folder, const char *text, const tri_source_options *options, tri_source **out)
{
    fixture_write(folder, "some.csv", (const uint8_t *)text, strlen(text));
    char *path = test_path(folder, "some.csv");
    tri_status status = tri_source_open(path, TRI_PART_TRAIN, options, out);
    free(path);
    return status;
}

static const char houses[] = "area,city,rooms,price\n"
                             "1.5,Rome,3,10.5\n"
                             "\"2\",\"Bonn, Rhine\",,20\n"
                             "NA,NA,5,30.25\n"
                             "4,Rome,4,40\n";

static void columns_become_numbers_categories_and_targets(void **state)
{
    const char *here = *state;
    tri_source *source;
    float x[4][5], targets[4];
    assert_ok(open_text(here, houses, NULL, &source));
    const tri_source_info *info = tri_source_describe(source);
    assert_string_equal(info->format, "csv");
    assert_true(tri_shape_equal(info->shape, TRI_SHAPE(5)) && info->type == TRI_F32);
    assert_true(info->labels == TRI_LABEL_NUMBERS && info->outputs == 1 && info->examples == 4);
    assert_non_null(strstr(info->note, "3 values are missing: a number counts as its column's mean"));
    assert_ok(tri_source_read_targets(source, (int64_t[]){0, 1, 2, 3}, 4, x, targets));
    static const float expected[4][5] = {{1.5F, 0, 0, 1, 3}, {2, 0, 1, 0, 4}, {2.5F, 1, 0, 0, 5}, {4, 0, 0, 1, 4}};
    assert_memory_equal(x, expected, sizeof x);
    assert_memory_equal(targets, ((float[4]){10.5F, 20, 30.25F, 40}), sizeof targets);
    tri_source_destroy(source);
}

/* Other files are read with what was learnt: their columns may stand elsewhere, labels may be missing, categories may be new. */
static void other_files_are_read_with_the_columns_of_the_first(void **state)
{
    const char *here = *state;
    tri_source *source, *other;
    float x[2][5], target = 7;
    assert_ok(open_text(here, houses, &(tri_source_options){.label = "price"}, &source));
    char *columns = strdup(tri_source_describe(source)->columns);
    tri_source_destroy(source);
    const tri_source_options known = {.columns = columns, .labels = TRI_LABEL_NUMBERS};
    assert_ok(open_text(here, "rooms;more;city;area\n7;x;Rome;1\n8;y;Oslo;NA\n", &known, &other));
    assert_true(tri_source_describe(other)->unlabelled);
    assert_ok(tri_source_read_targets(other, (int64_t[]){0}, 1, x, &target));
    assert_ok(tri_source_read_targets(other, (int64_t[]){1}, 1, x[1], &target));
    static const float expected[2][5] = {{1, 0, 0, 1, 7}, {2.5F, 0, 0, 0, 8}};
    assert_memory_equal(x, expected, sizeof x);
    assert_float_equal(target, 0, 0);
    tri_source_destroy(other);
    assert_fails(open_text(here, "rooms,city\n1,Rome\n", &known, &other), TRI_BAD_DATA,
                 "has no column 'area', which the model was trained on");
    assert_fails(open_text(here, "rooms,city,area,city\n1,Rome,1,Rome\n", &known, &other), TRI_BAD_DATA, "has twice the column 'city'");
    assert_fails(open_text(here, houses, &(tri_source_options){.columns = "{}"}, &other), TRI_BAD_DATA, "cannot be read");
    free(columns);
}

static void columns_of_several_files_are_learnt_by_name(void **state)
{
    const char *here = *state;
    tri_source *source;
    float x[6][3];
    int32_t label[6];
    static const char one[] = "area,town,kind\n1,Rome,red\n2,Bonn,blue\n,Rome,red\n",
                      two[] = "kind;more;town;area\nred;7;Bonn;6\nblue;7;Rome;NA\n";
    fixture_write(here, "one.csv", (const uint8_t *)one, strlen(one));
    fixture_write(here, "two.csv", (const uint8_t *)two, strlen(two));
    assert_ok(tri_source_open(here, TRI_PART_TRAIN, &(tri_source_options){.label = "kind"}, &source));
    const tri_source_info *info = tri_source_describe(source);
    assert_true(info->classes == 2 && info->examples == 5 && tri_shape_equal(info->shape, TRI_SHAPE(3)));
    assert_ok(tri_source_read(source, (int64_t[]){0, 1, 2, 3, 4}, 5, x, label));
    static const float expected[5][3] = {{1, 0, 1}, {2, 1, 0}, {3, 0, 1}, {6, 1, 0}, {3, 0, 1}}; /* the mean of 1, 2 and 6 is 3 */
    assert_memory_equal(x, expected, sizeof expected);
    assert_memory_equal(label, ((int32_t[]){1, 0, 1, 1, 0}), 5 * sizeof *label);
    tri_source_destroy(source);
    fixture_write(here, "two.csv", (const uint8_t *)"kind,town\nred,1\n", 16);
    assert_fails(tri_source_open(here, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "two.csv: has no column 'area', which ");
    assert_fails(tri_source_open(here, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "one.csv has");
}

/* By the lines below it: names may be empty or numbers. */
static void the_first_line_is_told_from_the_others(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool header, unsure;
    } cases[] = {
        {",color,label\n0,red,yes\n1,blue,no\n2,red,no\n", true, false}, /* pandas */
        {",color,label\n0,red,yes\n", true, false},
        {",0,1\n0,1.5,2.5\n1,3.5,4\n", true, false},
        {"area,NA,y\n1,2,3\n", true, false},
        {"name,2019,2020,label\nBob,1.5,2,yes\nAnn,2,1,no\nBob,3,2,yes\n", true, true},
        {"name,2019,2020\nBob,1.5,2\n", false, true},
        {"5.1,3.5,setosa\n4.9,3,setosa\n7,3.2,other\n", false, false},
        {"1.5,Rome,3\n2,Bonn,4\n", false, true},
        {"1.5,Rome,3\n2,Bonn,4\n3,Bonn,5\n", false, true},
        {"1,2\n3,4\n", false, false},
        {"1,Rome\n", false, false},
        {"a,b\n1,2\na,b\n3,4\n", true, false},
        {"a,kind\n1,a\n2,kind\n", true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tri__csv_look look = tri__csv_look_at(cases[i].text, strlen(cases[i].text));
        if (look.header != cases[i].header || look.unsure != cases[i].unsure)
            fail_msg("'%s': header %d, unsure %d", cases[i].text, look.header, look.unsure);
    }
}

static void a_name_may_be_empty_or_a_number(void **state)
{
    const char *here = *state;
    tri_source *source, *other;
    assert_ok(open_text(here, ",color,label\n0,red,yes\n1,blue,no\n2,red,no\n", NULL, &source));
    const tri_source_info *info = tri_source_describe(source);
    assert_true(info->examples == 3 && info->classes == 2 && info->shape.dim[0] == 3 && !info->note);
    assert_non_null(strstr(info->columns, "\"column 1\""));
    tri_source_destroy(source);
    assert_ok(open_text(here, "name,2019,label\nBob,1.5,yes\nAnn,2,no\nBob,3,yes\n", NULL, &source));
    assert_int_equal(tri_source_describe(source)->examples, 3);
    assert_non_null(strstr(tri_source_describe(source)->note, "the first line is taken for the names of the columns"));
    char *columns = strdup(tri_source_describe(source)->columns);
    tri_source_destroy(source);
    assert_fails(open_text(here, "name,2019\nBob,1.5\n", &(tri_source_options){.columns = columns}, &other), TRI_BAD_DATA,
                 "its first line names the columns, but looks like an example");
    free(columns);
}

static void labels_are_classes_numbers_or_sets(void **state)
{
    const char *here = *state;
    static const char words[] = "a,b,kind\n1,0,red\n0,1,blue\n1,1,red\n", whole[] = "10,1\n2,0\n10,3\n";
    tri_source *source;
    float x[3], targets[2];
    int32_t label;
    assert_ok(open_text(here, words, NULL, &source));
    assert_int_equal(tri_source_describe(source)->classes, 2);
    assert_string_equal(tri_source_describe(source)->class_names[0], "blue");
    assert_ok(tri_source_read(source, &(int64_t){0}, 1, x, &label));
    assert_int_equal(label, 1);
    tri_source_destroy(source);
    assert_ok(open_text(here, whole, &(tri_source_options){.label = "1"}, &source));
    assert_string_equal(tri_source_describe(source)->class_names[1], "10"); /* by value, not by text */
    tri_source_destroy(source);
    assert_ok(open_text(here, words, &(tri_source_options){.label = "a,b", .labels = TRI_LABEL_SET}, &source));
    assert_int_equal(tri_source_describe(source)->outputs, 2);
    assert_ok(tri_source_read_targets(source, &(int64_t){1}, 1, x, targets));
    assert_true(targets[0] == 0 && targets[1] == 1 && x[0] == 1 && x[1] == 0);
    tri_source_destroy(source);
    assert_fails(open_text(here, words, &(tri_source_options){.label = "colour"}, &source), TRI_BAD_CALL, "has no column 'colour'");
    assert_fails(open_text(here, "size,price\n1,2\n", &(tri_source_options){.label = "prise"}, &source), TRI_BAD_CALL,
                 "has no column 'prise' (did you mean 'price'?)");
    assert_fails(open_text(here, words, &(tri_source_options){.labels = TRI_LABEL_NUMBERS}, &source), TRI_BAD_CALL,
                 "the column kind, the label, is not one of numbers");
}

static void a_label_that_two_columns_are_called_is_refused(void **state)
{
    const char *here = *state;
    static const char text[] = "a,b,c,b\n1,2,3,4\n2,3,4,5\n1,2,2,5\n";
    tri_source *source;
    assert_fails(open_text(here, text, &(tri_source_options){.label = "b"}, &source), TRI_BAD_CALL,
                 "columns 2 and 4 are both called 'b': say by its number which is the label (--label 4)");
    assert_fails(open_text(here, text, &(tri_source_options){.label = "a,b", .labels = TRI_LABEL_NUMBERS}, &source), TRI_BAD_CALL,
                 "columns 2 and 4 are both called 'b'");
    assert_fails(open_text(here, "y,a,y\n1,2,0\n2,3,1\n1,2,1\n", NULL, &source), TRI_BAD_CALL, "columns 1 and 3 are both called 'y'");
    assert_fails(open_text(here, text, &(tri_source_options){.label = "3,c", .labels = TRI_LABEL_NUMBERS}, &source), TRI_BAD_CALL,
                 "it names column 3 of");
    assert_ok(open_text(here, text, &(tri_source_options){.label = "2"}, &source));
    assert_int_equal(tri_source_describe(source)->classes, 2);
    tri_source_destroy(source);
    assert_ok(open_text(here, text, &(tri_source_options){.label = "c"}, &source)); /* features may have one name */
    tri_source_destroy(source);
}

static void a_byte_order_mark_belongs_to_no_field(void **state)
{
    const char *here = *state;
    static const char *const texts[] = {"\xef\xbb\xbfy,a\n1.5,2\n2.5,3\n", "\xef\xbb\xbf"
                                                                           "1.5,2\n2.5,3\n"};
    for (int i = 0; i < 2; i++) {
        tri_source *source;
        float x[2], target[2];
        assert_ok(open_text(here, texts[i], &(tri_source_options){.label = i ? "1" : "y"}, &source));
        assert_int_equal(tri_source_describe(source)->examples, 2);
        assert_ok(tri_source_read_targets(source, (int64_t[]){0, 1}, 2, x, target));
        assert_true(target[0] == 1.5F && target[1] == 2.5F && x[0] == 2 && x[1] == 3);
        tri_source_destroy(source);
    }
}

static void damage_is_reported_by_line_and_column(void **state)
{
    const char *here = *state;
    tri_source *source;
    float x[2], target;
    char text[2048] = "a,b,y\n\n";
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,1,%d.5\n", i, i);
    strcat(text, "1,two,3\n1,2\n1,\"2,3\n1,2,\n1,2,x,4\n");
    assert_ok(open_text(here, text, NULL, &source));
    static const char *const messages[] = {"line 33, column 3 (record 30 at byte ",
                                           "'two' in column b, where a number should stand",
                                           "2 fields, where the first line has 3",
                                           "a quote is opened here",
                                           "'' in column y, the label, where a number should stand",
                                           "4 fields, where the first line has 3"};
    for (int64_t i = 0; i < 6; i++)
        assert_fails(tri_source_read_targets(source, &(int64_t){30 + (i ? i - 1 : 0)}, 1, x, &target), TRI_BAD_DATA, messages[i]);
    assert_ok(tri_source_read_targets(source, &(int64_t){29}, 1, x, &target));
    tri_source_destroy(source);
}

static tri_status open_bytes(const char *folder, const char *bytes, size_t size, tri_source **out)
{
    fixture_write(folder, "some.csv", (const uint8_t *)bytes, size);
    char *path = test_path(folder, "some.csv");
    tri_status status = tri_source_open(path, TRI_PART_TRAIN, NULL, out);
    free(path);
    return status;
}

/* A category that was cut at a byte 0 would be another one. */
static void a_byte_0_is_damage(void **state)
{
    const char *here = *state;
    static const char text[] = "x,kind\n1,a\n2,b\n3,a\0b\n4,\"b\0\"\n";
    tri_source *source;
    float x;
    int32_t label;
    assert_ok(open_bytes(here, text, sizeof text - 1, &source));
    assert_int_equal(tri_source_describe(source)->classes, 2);
    for (int64_t i = 2; i < 4; i++)
        assert_fails(tri_source_read(source, &i, 1, &x, &label), TRI_BAD_DATA, "a byte 0 stands here");
    tri_source_destroy(source);
}

static void text_in_other_forms_is_refused_with_advice(void **state)
{
    const char *here = *state;
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } cases[] = {
#define CASE(text, message) {text, sizeof text - 1, message}
        CASE("\xff\xfe"
             "a\0,\0b\0\n\0"
             "1\0,\0"
             "2\0\n\0",
             "iconv -f UTF-16"),
        CASE("\xfe\xff"
             "\0a\0,\0b\0\n\0"
             "1\0,\0"
             "2\0\n",
             "iconv -f UTF-16"),
        CASE("a,b\r1,2\r3,4\r", "end in carriage returns alone"),
        CASE("a;b\n1,5;2,5\n3,25;-4,5e1\n", "the column a has numbers with a decimal comma"),
        CASE("1,5;2,5\n3,25;4,5\n", "the column 1 has numbers with a decimal comma"),
#undef CASE
    };
    tri_source *quoted;
    assert_fails(open_text(here, "a,\"b\n1,2\n", NULL, &quoted), TRI_BAD_DATA,
                 "its first line cannot be split: a quote in it is not closed");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri_source *source;
        if (!tri__csv_is((const uint8_t *)cases[i].text, cases[i].size))
            fail_msg("case %zu is no table", i);
        assert_fails(open_bytes(here, cases[i].text, cases[i].size, &source), TRI_BAD_DATA, cases[i].message);
    }
}

/* What would be lost on the way into the checkpoint, or cannot be kept there, is not learnt. */
static void columns_that_cannot_be_kept_are_refused_or_left_out(void **state)
{
    const char *here = *state;
    tri_source *source;
    char text[1024];
    float x;
    int32_t class;
    assert_fails(open_text(here, "a,city,y\n1,K\xf6ln,1.5\n2,Rome,2.5\n", NULL, &source), TRI_BAD_DATA, "not text in UTF-8");
    assert_fails(open_text(here,
                           "a,st\xe4"
                           "dte,y\n1,2,1.5\n2,3,2.5\n",
                           NULL, &source),
                 TRI_BAD_DATA, "not text in UTF-8");
    assert_fails(open_text(here, "a,b,y\n1,2,\n2,3,\n", NULL, &source), TRI_BAD_DATA, "the column y, the label, has no class");
    assert_fails(open_text(here, houses, &(tri_source_options){.label = ""}, &source), TRI_BAD_CALL, "--label names no column");
    snprintf(text, sizeof text, "a,essay,y\n1,%0300d words,1.5\n2,brief,2.5\n", 0);
    assert_ok(open_text(here, text, NULL, &source));
    assert_int_equal(tri_source_describe(source)->shape.dim[0], 1);
    assert_non_null(strstr(tri_source_describe(source)->note, "column essay is left out"));
    tri_source_destroy(source);
    snprintf(text, sizeof text, "a,kind\n1,red\n2,%0300d words\n3,blue\n", 0);
    assert_ok(open_text(here, text, NULL, &source));
    assert_int_equal(tri_source_describe(source)->classes, 2);
    assert_fails(tri_source_read(source, &(int64_t){1}, 1, &x, &class), TRI_BAD_DATA, "none of the classes");
    tri_source_destroy(source);
}

/* A table beside photos or other data in a folder is no data. */
static void a_table_beside_other_data_is_left_out(void **state)
{
    const char *here = *state;
    fixture_write(here, "data.libsvm", (const uint8_t *)"1 1:1\n2 2:1\n", 12);
    fixture_write(here, "labels.csv", (const uint8_t *)"a,b\n1,2\n", 8);
    tri_source *source;
    assert_ok(tri_source_open(here, TRI_PART_TRAIN, NULL, &source));
    assert_string_equal(tri_source_describe(source)->format, "libsvm");
    assert_non_null(strstr(tri_source_describe(source)->note, "1 file of another format"));
    assert_non_null(strstr(tri_source_describe(source)->note, "labels.csv"));
    tri_source_destroy(source);
}

/* As the names of people are. A column whose values come twice, and one with as many numbers, have no note. */
static void a_column_without_a_value_that_comes_twice_is_told(void **state)
{
    char text[2048] = "id,town,name,label\n";
    tri_source *source;
    for (int i = 0; i < 30; i++)
        sprintf(text + strlen(text), "%d,town%d,%sperson%d,%s\n", i, i / 2, i == 4 ? "NA,x\n1,town1," : "", i, i % 2 ? "a" : "b");
    assert_ok(open_text(*state, text, NULL, &source));
    const char *note = tri_source_describe(source)->note;
    assert_non_null(note);
    assert_non_null(strstr(note, "no value of column name comes twice: what a model learns from it does not hold for other examples"));
    assert_null(strstr(note, "town"));
    tri_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_told_apart),
        cmocka_unit_test(damaged_quotes_are_reported_where_they_stand),
        cmocka_unit_test(tables_are_recognised_by_their_lines),
        FOLDER_TEST(columns_become_numbers_categories_and_targets),
        FOLDER_TEST(other_files_are_read_with_the_columns_of_the_first),
        FOLDER_TEST(columns_of_several_files_are_learnt_by_name),
        cmocka_unit_test(the_first_line_is_told_from_the_others),
        FOLDER_TEST(a_name_may_be_empty_or_a_number),
        FOLDER_TEST(labels_are_classes_numbers_or_sets),
        FOLDER_TEST(a_label_that_two_columns_are_called_is_refused),
        FOLDER_TEST(a_byte_order_mark_belongs_to_no_field),
        FOLDER_TEST(damage_is_reported_by_line_and_column),
        FOLDER_TEST(a_byte_0_is_damage),
        FOLDER_TEST(text_in_other_forms_is_refused_with_advice),
        FOLDER_TEST(columns_that_cannot_be_kept_are_refused_or_left_out),
        FOLDER_TEST(a_table_beside_other_data_is_left_out),
        FOLDER_TEST(a_column_without_a_value_that_comes_twice_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
