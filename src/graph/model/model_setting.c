/* model_setting.c: the keys of model files: what kind of value each takes, and where it goes.
 *
 * A kind is a pair of functions: read checks a value and puts it into a field, print writes the field as files spell it. There are two
 * tables of keys, because a key may mean one thing for the reader's own verbs and another for a row of the operator table: the bias of conv
 * is yes or no, the bias of lrn is a number. */
#include "graph/model/model_setting.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "graph/rule/rule.h"

typedef struct setting_row setting_row;

typedef struct {
    tri_status (*read)(const setting_row *setting, const tri__value *value, void *field);
    void (*print)(const void *field, FILE *stream);
} value_kind;

struct setting_row {
    const char *key;
    const value_kind *kind;
    size_t field;        /* its offset in tri__model_settings */
    double least, above; /* a number v must have least ≤ v < above */
};

#define SIZE_END        (TRI_MODEL_LARGEST + 1.0)
#define LENGTH_OF(list) ((int)(sizeof(list) / sizeof *(list)))

/* Words, in the order of their enumerations. */
static const char *const init_names[] = {
    [TRI_INIT_ZERO] = "zero",       [TRI_INIT_CONSTANT] = "constant", [TRI_INIT_NORMAL] = "normal",
    [TRI_INIT_UNIFORM] = "uniform", [TRI_INIT_XAVIER] = "xavier",     [TRI_INIT_HE] = "he",
};
static const char *const flag_names[] = {"no", "yes"};
static const char *const statistics_names[] = {"local", "joint"};

static tri_status expected(const setting_row *setting, const char *what, const tri__value *value)
{
    return tri_fail(TRI_BAD_DATA, "%s: expected %s, found '%.*s'", setting->key, what, value->length, value->text);
}

static tri_status check_range(const setting_row *setting, double number)
{
    if (number >= setting->least && number < setting->above)
        return NULL;
    if (setting->above == SIZE_END)
        return tri_fail(TRI_BAD_DATA, "%s: %.10g is out of range, expected %g to %d", setting->key, number, setting->least,
                        TRI_MODEL_LARGEST);
    if (setting->above < FLT_MAX)
        return tri_fail(TRI_BAD_DATA, "%s: %g is out of range, expected %g or more and less than %g", setting->key, number, setting->least,
                        setting->above);
    if (setting->least == -FLT_MAX || number >= setting->above)
        return tri_fail(TRI_BAD_DATA, "%s: %g is too large", setting->key, number);
    return tri_fail(TRI_BAD_DATA, "%s: %g is out of range, expected %s", setting->key, number,
                    setting->least > 0 ? "more than 0" : "0 or more");
}

/* A number: 0.5, 1/255 */

static tri_status read_number(const setting_row *setting, const tri__value *value, void *field)
{
    if (value->kind != TRI_VALUE_NUMBER)
        return expected(setting, "a number such as 0.5 or 1/255", value);
    TRI_TRY(check_range(setting, value->number));
    *(float *)field = (float)value->number;
    return NULL;
}

/* Nine digits are enough to read back the same float. The decimal point is a point in every locale. */
static void print_number(const void *field, FILE *stream)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", (double)*(const float *)field);
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    fputs(text, stream);
}

static const value_kind number_kind = {read_number, print_number};

/* A number to multiply by. It must not be 0, which means to operators that it was left out. */

static tri_status read_factor(const setting_row *setting, const tri__value *value, void *field)
{
    if (value->kind == TRI_VALUE_NUMBER && (float)value->number == 0)
        return expected(setting, "a number other than 0", value);
    return read_number(setting, value, field);
}

static const value_kind factor_kind = {read_factor, print_number};

/* A whole number, or a word that stands for −1. */

static bool is_whole(const tri__value *value)
{
    return value->kind == TRI_VALUE_NUMBER && value->number == floor(value->number);
}

static bool is_word(const tri__value *value, const char *word)
{
    return value->kind == TRI_VALUE_WORD && !value->has_number && strcmp(value->word, word) == 0;
}

static tri_status read_whole(const setting_row *setting, const tri__value *value, const char *what, void *field)
{
    if (!is_whole(value))
        return expected(setting, what, value);
    TRI_TRY(check_range(setting, value->number));
    *(int64_t *)field = (int64_t)value->number;
    return NULL;
}

static tri_status read_count(const setting_row *setting, const tri__value *value, void *field)
{
    return read_whole(setting, value, "a whole number", field);
}

static tri_status read_outputs(const setting_row *setting, const tri__value *value, void *field)
{
    if (!is_word(value, "classes") && !is_word(value, "outputs"))
        return read_whole(setting, value, "a whole number, 'classes' or 'outputs'", field);
    *(int64_t *)field = is_word(value, "classes") ? TRI_MODEL_CLASSES : TRI_MODEL_OUTPUTS;
    return NULL;
}

static tri_status read_axis(const setting_row *setting, const tri__value *value, void *field)
{
    if (!is_word(value, "all"))
        return read_whole(setting, value, "the number of an axis, from 0, or 'all'", field);
    *(int64_t *)field = TRI_AXIS_ALL;
    return NULL;
}

static void print_whole(int64_t whole, const char *word, FILE *stream)
{
    if (whole < 0)
        fputs(word, stream);
    else
        fprintf(stream, "%" PRId64, whole);
}

static void print_outputs(const void *field, FILE *stream)
{
    const int64_t count = *(const int64_t *)field;
    print_whole(count, count == TRI_MODEL_OUTPUTS ? "outputs" : "classes", stream);
}

static void print_axis(const void *field, FILE *stream)
{
    print_whole(*(const int64_t *)field, "all", stream);
}

static const value_kind count_kind = {read_count, print_outputs}, outputs_kind = {read_outputs, print_outputs},
                        axis_kind = {read_axis, print_axis};

/* Height and width: 3x5, or 3 for 3x3 */

static tri_status read_sizes(const setting_row *setting, const tri__value *value, void *field)
{
    bool pair = value->kind == TRI_VALUE_SHAPE && value->shape.rank == 2;
    if (!pair && !is_whole(value))
        return expected(setting, "a size such as 3, or 3x5 (height, width)", value);
    double height = pair ? (double)value->shape.dim[0] : value->number;
    double width = pair ? (double)value->shape.dim[1] : value->number;
    TRI_TRY(check_range(setting, height));
    TRI_TRY(check_range(setting, width));
    int64_t *out = field;
    out[0] = (int64_t)height;
    out[1] = (int64_t)width;
    return NULL;
}

static void print_sizes(const void *field, FILE *stream)
{
    const int64_t *sizes = field;
    fprintf(stream, "%" PRId64 "x%" PRId64, sizes[0], sizes[1]);
}

static const value_kind sizes_kind = {read_sizes, print_sizes};

/* Padding: sizes, or `same` */

static tri_status read_padding(const setting_row *setting, const tri__value *value, void *field)
{
    int64_t *out = field;
    if (value->kind == TRI_VALUE_WORD && !is_word(value, "same"))
        return expected(setting, "a size such as 1, or 'same'", value);
    if (value->kind != TRI_VALUE_WORD)
        return read_sizes(setting, value, field);
    out[0] = out[1] = TRI_PAD_SAME;
    return NULL;
}

static void print_padding(const void *field, FILE *stream)
{
    if (*(const int64_t *)field == TRI_PAD_SAME)
        fputs("same", stream);
    else
        print_sizes(field, stream);
}

static const value_kind padding_kind = {read_padding, print_padding};

/* A shape: 28x28x1, or one number */

static tri_status read_shape(const setting_row *setting, const tri__value *value, void *field)
{
    if (value->kind != TRI_VALUE_SHAPE && !is_whole(value))
        return expected(setting, "a shape such as 28x28x1 (height, width, channels)", value);
    if (value->kind == TRI_VALUE_NUMBER) {
        TRI_TRY(check_range(setting, value->number));
        *(tri_shape *)field = TRI_SHAPE((int64_t)value->number);
        return NULL;
    }
    for (int i = 0; i < value->shape.rank; i++)
        TRI_TRY(check_range(setting, (double)value->shape.dim[i]));
    *(tri_shape *)field = value->shape;
    return NULL;
}

static void print_shape(const void *field, FILE *stream)
{
    char text[128];
    fputs(tri_shape_text(*(const tri_shape *)field, text, sizeof text), stream);
}

static const value_kind shape_kind = {read_shape, print_shape};

/* One of a few words */

static tri_status read_word(const setting_row *setting, const tri__value *value, const char *const *names, int length, int *out)
{
    char words[128];
    tri__text list;
    tri__text_init(&list, words, sizeof words);
    for (int i = 0; i < length; i++) {
        if (value->kind == TRI_VALUE_WORD && strcmp(names[i], value->word) == 0) {
            *out = i;
            return NULL;
        }
        tri__text_list(&list, i, length, "or", names[i]);
    }
    return expected(setting, words, value);
}

static tri_status read_flag(const setting_row *setting, const tri__value *value, void *field)
{
    int word = 0;
    TRI_TRY(read_word(setting, value, flag_names, LENGTH_OF(flag_names), &word));
    *(bool *)field = word == 1;
    return NULL;
}

static void print_flag(const void *field, FILE *stream)
{
    fputs(flag_names[*(const bool *)field], stream);
}

static tri_status read_rule(const setting_row *setting, const tri__value *value, void *field)
{
    const char *name;
    for (int i = 0; value->kind == TRI_VALUE_WORD && (name = tri_rule_name(i)); i++)
        if (strcmp(name, value->word) == 0) {
            *(const char **)field = name;
            return NULL;
        }
    char list[128];
    return expected(setting, tri__rule_names(NULL, list, sizeof list), value);
}

static void print_rule(const void *field, FILE *stream)
{
    fputs(*(const char *const *)field, stream);
}

static tri_status read_statistics(const setting_row *setting, const tri__value *value, void *field)
{
    int word = 0;
    TRI_TRY(read_word(setting, value, statistics_names, LENGTH_OF(statistics_names), &word));
    *(bool *)field = word == 1;
    return NULL;
}

static void print_statistics(const void *field, FILE *stream)
{
    fputs(statistics_names[*(const bool *)field], stream);
}

static const value_kind statistics_kind = {read_statistics, print_statistics};
static const value_kind flag_kind = {read_flag, print_flag}, rule_kind = {read_rule, print_rule};

/* An initialiser: he, or normal(0.01) */

static bool init_is_sized(tri_init which)
{
    return which == TRI_INIT_CONSTANT || which == TRI_INIT_NORMAL || which == TRI_INIT_UNIFORM;
}

static tri_status read_init(const setting_row *setting, const tri__value *value, void *field)
{
    int word = 0;
    TRI_TRY(read_word(setting, value, init_names, LENGTH_OF(init_names), &word));
    if (init_is_sized((tri_init)word) && !value->has_number)
        return tri_fail(TRI_BAD_DATA, "init: %s needs a number, as in %s(0.01)", init_names[word], init_names[word]);
    if (!init_is_sized((tri_init)word) && value->has_number)
        return tri_fail(TRI_BAD_DATA, "init: %s takes no number", init_names[word]);
    TRI_TRY(check_range(setting, value->number));
    if ((tri_init)word != TRI_INIT_CONSTANT && value->number < 0)
        return tri_fail(TRI_BAD_DATA, "init: %s(%g): its spread cannot be negative", init_names[word], value->number);
    tri_attributes *out = field;
    out->init = (tri_init)word;
    out->value = (float)value->number;
    return NULL;
}

static void print_init(const void *field, FILE *stream)
{
    const tri_attributes *attributes = field;
    fputs(init_names[attributes->init], stream);
    if (!init_is_sized(attributes->init))
        return;
    fputc('(', stream);
    print_number(&attributes->value, stream);
    fputc(')', stream);
}

static const value_kind init_kind = {read_init, print_init};

/* A number of the update rule: l2=0.0005 */

static tri_status read_rule_number(const tri__rule_number *number, const tri__value *value, tri_rule *rule)
{
    const tri__option *option = &number->option;
    const setting_row setting = {number->key, &number_kind, 0, option->least, option->most > 0 ? option->most : FLT_MAX};
    float given = 0;
    if (value->kind == TRI_VALUE_NUMBER && (option->above || option->below) && !tri__option_takes(option, (double)(float)value->number)) {
        char range[160], what[200];
        snprintf(what, sizeof what, "a number %s", tri__option_range(option, range, sizeof range));
        return expected(&setting, what, value);
    }
    TRI_TRY(read_number(&setting, value, &given));
    return tri__rule_set(rule, number, given);
}

tri_status tri__model_train_check(const tri_model_defaults *train)
{
    char names[128];
    for (int i = 0; i < TRI_RULE_NUMBERS && train->rule.set[i].name; i++) {
        const tri__rule_number *number = tri__rule_number_find(train->rule.set[i].name);
        if (!tri__rule_has(train->rule.name, number))
            return tri_fail(TRI_BAD_DATA, "%s is for rule=%s, and the rule is %s", number->key,
                            tri__rule_names(number, names, sizeof names), train->rule.name ? train->rule.name : tri_rule_name(0));
    }
    return NULL;
}

/* The keys */

#define OF(name) offsetof(tri__model_settings, name)
#define ANY      -FLT_MAX, FLT_MAX

static const setting_row own_settings[] = {
    {"out", &outputs_kind, OF(out), 1, SIZE_END},
    {"fields", &count_kind, OF(attributes.size), 1, SIZE_END},
    {"kernel", &sizes_kind, OF(attributes.kernel), 1, SIZE_END},
    {"stride", &sizes_kind, OF(attributes.stride), 1, SIZE_END},
    {"pad", &padding_kind, OF(attributes.pad), 0, SIZE_END},
    {"groups", &count_kind, OF(attributes.groups), 1, SIZE_END},
    {"dilation", &sizes_kind, OF(attributes.dilation), 1, SIZE_END},
    {"bias", &flag_kind, OF(with_bias), 0, 0},
    {"epsilon", &number_kind, OF(attributes.epsilon), FLT_MIN, FLT_MAX},
    {"smoothing", &number_kind, OF(attributes.smoothing), 0, 1},
    {"delta", &number_kind, OF(attributes.delta), FLT_MIN, FLT_MAX},
    {"momentum", &number_kind, OF(momentum), FLT_MIN, 1.0000001},
    {"statistics", &statistics_kind, OF(joint), 0, 0},
    {"init", &init_kind, OF(attributes), ANY},
    {"shape", &shape_kind, OF(attributes.shape), 1, SIZE_END},
    {"scale", &factor_kind, OF(attributes.scale), ANY},
    {"offset", &number_kind, OF(attributes.offset), ANY},
    {"rate", &number_kind, OF(train.rate), FLT_MIN, FLT_MAX},
    {"rule", &rule_kind, OF(train.rule.name), 0, 0},
    {"batch", &count_kind, OF(train.batch), 1, SIZE_END},
    {"epochs", &count_kind, OF(train.epochs), 1, SIZE_END},
    {"average", &number_kind, OF(train.rule.average), FLT_MIN, 1},
    {"most", &count_kind, OF(attributes.most), 1, SIZE_END},
};

static const setting_row row_settings[] = {
    {"kernel", &sizes_kind, OF(attributes.kernel), 1, SIZE_END},
    {"stride", &sizes_kind, OF(attributes.stride), 1, SIZE_END},
    {"pad", &padding_kind, OF(attributes.pad), 0, SIZE_END},
    {"shape", &shape_kind, OF(attributes.shape), 1, SIZE_END},
    {"axis", &axis_kind, OF(attributes.axis), 0, TRI_MAX_RANK},
    {"size", &count_kind, OF(attributes.size), 1, SIZE_END},
    {"alpha", &number_kind, OF(attributes.alpha), ANY},
    {"beta", &number_kind, OF(attributes.beta), ANY},
    {"bias", &number_kind, OF(attributes.bias), ANY},
    {"rate", &number_kind, OF(attributes.rate), 0, 1},
    {"scale", &factor_kind, OF(attributes.scale), ANY},
    {"offset", &number_kind, OF(attributes.offset), ANY},
    {"value", &number_kind, OF(attributes.value), ANY},
    {"matrix", &count_kind, OF(attributes.matrix), 1, SIZE_END},
    {"row", &count_kind, OF(attributes.row), 0, SIZE_END},
    {"column", &count_kind, OF(attributes.column), 0, SIZE_END},
    {"transpose_a", &flag_kind, OF(attributes.transpose_a), 0, 0},
    {"transpose_b", &flag_kind, OF(attributes.transpose_b), 0, 0},
    {"init", &init_kind, OF(attributes), ANY},
};

static const setting_row *find(tri__form form, const char *key)
{
    bool row = form == TRI_FORM_ROW;
    const setting_row *table = row ? row_settings : own_settings;
    int length = row ? LENGTH_OF(row_settings) : LENGTH_OF(own_settings);
    for (int i = 0; i < length; i++)
        if (strcmp(table[i].key, key) == 0)
            return &table[i];
    return NULL;
}

void tri__model_settings_init(tri__form form, tri__model_settings *settings)
{
    *settings = (tri__model_settings){.with_bias = true, .momentum = 0.1f};
    if (form == TRI_FORM_INPUT)
        settings->attributes.scale = 1;
    if (form == TRI_FORM_DENSE || form == TRI_FORM_CONV || form == TRI_FORM_PARAMETER)
        settings->attributes.init = TRI_INIT_HE;
    if (form == TRI_FORM_TABLE) {
        settings->attributes.init = TRI_INIT_NORMAL;
        settings->attributes.value = 0.01f;
    }
}

tri_status tri__model_settings_read(tri__form form, const char *key, const tri__value *value, tri__model_settings *out)
{
    const tri__rule_number *number = form == TRI_FORM_TRAIN ? tri__rule_number_find(key) : NULL;
    if (number)
        return read_rule_number(number, value, &out->train.rule);
    const setting_row *setting = find(form, key);
    if (!setting)
        return tri_fail(TRI_INTERNAL, "an operator takes '%s', but model files have no such key", key);
    return setting->kind->read(setting, value, (char *)out + setting->field);
}

void tri__model_settings_print(tri__form form, const char *key, const tri__model_settings *settings, FILE *stream)
{
    const tri__rule_number *number = form == TRI_FORM_TRAIN ? tri__rule_number_find(key) : NULL;
    if (number) {
        float value = tri_rule_value(&settings->train.rule, key);
        print_number(&value, stream);
        return;
    }
    const setting_row *setting = find(form, key);
    setting->kind->print((const char *)settings + setting->field, stream);
}
