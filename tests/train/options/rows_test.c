/* rows_test.c: no option of train is known to the table and ignored by what reads it.
 *
 * Each option is given, in surroundings where it counts, and something must come of it: other settings, or a refusal. What comes of it is
 * seen by the same calls that a run makes. An option that is new is tried by itself with a value of its kind; where it needs company or a
 * text that means something, it has a row here. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/rule/rule.h"
#include "support.h"
#include "train/options/strategies.h"
#include "train/options/waits.h"
#include "train/ps/settings/settings.h"

typedef struct {
    const char *name, *value; /* value NULL: one of its kind */
    const char *with;         /* "name=value name=value": what else is given, both times */
} trial;

static const trial trials[] = {
    {"validation", "10%", ""},
    {"augment", "flip", ""},
    {"until", "loss<=1", ""},
    {"max-steps", NULL, "until=loss<=1"},
    {"init-names", "dense1=fc1", ""},
    {"freeze", "dense1", ""},
    {"class-weights", "balanced", ""},
    {"schedule", "cosine", ""},
    {"eval-every", "end", ""},
    {"checkpoint-every", "end", ""},
    {"sample-every", "5s", ""},
    {"strategy", "ps", ""},
    {"workers", NULL, "strategy=mirrored"},
    {"timeout", "10s", "strategy=ps"},
    {"restarts", NULL, "strategy=allreduce workers=2 min-workers=2"},
    {"min-workers", "3", "strategy=allreduce workers=2 restarts=1"},
    {"servers", NULL, "strategy=ps"},
    {"async", NULL, "strategy=ps sync=on"},
    {"sync", NULL, "strategy=ps"},
    {"staleness", NULL, "strategy=ps"},
    {"backup", "1", "strategy=ps workers=3 sync=on"},
    {"combine", NULL, "strategy=ps sync=on"},
    {"split", NULL, "strategy=ps"},
    {"row-values", NULL, "strategy=ps"},
    {"gather", NULL, "strategy=ps"},
    {"replicas", "2", "strategy=ps servers=2"},
    {"heartbeat", "2s", "strategy=ps"},
    {"log-updates", NULL, "strategy=ps"},
};

/* Names of files and of a column in them, which a run opens: the settings have nothing of them. */
static const char *const opened[] = {"data", "test", "init", "label"};

static void set(tri__train_options *options, const char *name, const char *text)
{
    bool known = false;
    assert_ok(tri__train_options_set(options, name, text, &known));
    if (!known)
        fail_msg("there is no field for --%s", name);
}

/* "name=value name=value" */
static void set_all(tri__train_options *options, const char *list)
{
    char words[256], *save = NULL;
    snprintf(words, sizeof words, "%s", list);
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value = 0;
        set(options, word, value + 1);
    }
}

/* A value of the option's kind, and not its standard value. */
static const char *other_value(const tri__option *option, char *text, size_t size)
{
    const char *last = option->choices ? strrchr(option->choices, ' ') : NULL;
    switch (option->kind) {
    case TRI_OPTION_FLAG:
        return option->standard && !strcmp(option->standard, "on") ? "off" : "on";
    case TRI_OPTION_CHOICE:
        return last + 1;
    case TRI_OPTION_INTEGER:
        snprintf(text, size, "%.0f", option->least + 6);
        return text;
    case TRI_OPTION_NUMBER:
        return "0.625";
    case TRI_OPTION_TEXT:
        break;
    }
    fail_msg("--%s takes a text: give it a row in trials, with a value that means something", option->name);
    return "";
}

/* Numbers of update rules need a rule that has them. */
static trial trial_of(const tri__option *option, char *with, size_t size)
{
    const tri__rule_number *number;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        if (!strcmp(trials[i].name, option->name))
            return trials[i];
    with[0] = 0;
    for (int i = 0; (number = tri__rule_number_at(i)); i++)
        for (int k = 0; &number->option == option && tri_rule_name(k); k++)
            if (tri__rule_has(tri_rule_name(k), number))
                snprintf(with, size, "rule=%s", tri_rule_name(k));
    return (trial){option->name, NULL, with};
}

/* What a run makes of a request. */
typedef struct {
    tri_code failure;
    const tri__strategy *strategy;
    tri__train_settings settings;
    tri__waits waits;
    tri__ps_settings servers;
} outcome;

static tri_status resolve(const tri__train_options *options, outcome *out)
{
    out->strategy = tri__strategies_find(options->strategy);
    TRI_TRY(tri__strategies_check(out->strategy, options));
    TRI_TRY(tri__waits_resolve(options, &out->waits));
    if (out->strategy->meeting == TRI_MEET_CLUSTER)
        TRI_TRY(tri__ps_settings_resolve(options, &out->servers));
    return tri__train_settings_resolve(options, &(tri_model_defaults){0}, &out->settings);
}

static outcome outcome_of(const tri__train_options *options)
{
    outcome result;
    memset(&result, 0, sizeof result);
    tri_status status = resolve(options, &result);
    if (status) {
        memset(&result, 0, sizeof result);
        result.failure = tri_status_code(status);
        tri_status_free(status);
    }
    return result;
}

static bool is_opened(const char *name)
{
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        if (!strcmp(opened[i], name))
            return true;
    return false;
}

static void every_option_has_an_effect(void **state)
{
    (void)state;
    const tri__option *option;
    for (int i = 0; (option = tri__train_option(i)); i++) {
        char with[64], text[64];
        if (is_opened(option->name))
            continue;
        const trial try = trial_of(option, with, sizeof with);
        tri__train_options options;
        tri__train_options_init(&options);
        set_all(&options, try.with);
        outcome without = outcome_of(&options), again = outcome_of(&options);
        assert_memory_equal(&without, &again, sizeof without);
        set(&options, option->name, try.value ? try.value : other_value(option, text, sizeof text));
        outcome with_it = outcome_of(&options);
        if (!memcmp(&without, &with_it, sizeof without))
            fail_msg("--%s is known to the table, and nothing comes of it", option->name);
        tri__train_options_fini(&options);
    }
}

/* What help calls the default is what holds where the option is not given. */
static void the_standard_value_changes_nothing(void **state)
{
    (void)state;
    const tri__option *option;
    for (int i = 0; (option = tri__train_option(i)); i++) {
        char with[64];
        if (!option->standard || is_opened(option->name))
            continue;
        trial try = trial_of(option, with, sizeof with);
        if (!strcmp(option->name, "restarts"))
            try.with = "strategy=allreduce";
        tri__train_options options;
        tri__train_options_init(&options);
        set_all(&options, try.with);
        outcome without = outcome_of(&options);
        assert_int_equal(without.failure, TRI_OK);
        set(&options, option->name, option->standard);
        outcome with_it = outcome_of(&options);
        if (memcmp(&without, &with_it, sizeof without))
            fail_msg("--%s %s is called the default, and is not what holds without it", option->name, option->standard);
        tri__train_options_fini(&options);
    }
}

/* Whether text has ".field" or "->field" somewhere. */
static bool has_access(const char *text, const char *field)
{
    size_t length = strlen(field);
    for (const char *at = strstr(text, field); at; at = strstr(at + 1, field)) {
        char before = at > text ? at[-1] : ' ', after = at[length];
        if ((before == '.' || before == '>') && !isalnum((unsigned char)after) && after != '_')
            return true;
    }
    return false;
}

/* A field of the settings may be filled in and still be read by nobody: the sources must name it. The numbers of rules have no fields of
 * their own; graph/rule/rule_rows_test.c tries them. */
static void every_field_is_read_somewhere(void **state)
{
    (void)state;
    const char *const words[] = {"sh", "-c", "cat $(find src/train src/cli -name '*.c')", NULL};
    test_result sources = test_run(TEST_SOURCE, words);
    assert_int_equal(sources.status, 0);
    const tri__option *option;
    for (int i = 0; (option = tri__train_option(i)); i++) {
        char field[64];
        snprintf(field, sizeof field, "%s", option->name);
        for (char *at = field; *at; at++)
            *at = *at == '-' ? '_' : *at;
        if (!tri__rule_number_find(field) && !has_access(sources.out, field))
            fail_msg("nobody reads the field %s of --%s", field, option->name);
    }
    test_result_fini(&sources);
}

static void every_option_is_kept_in_checkpoints(void **state)
{
    (void)state;
    const tri__option *option;
    tri__train_options options, read;
    tri__train_options_init(&options);
    tri__train_options_init(&read);
    int count = 0;
    for (; (option = tri__train_option(count)); count++) {
        char text[64];
        set(&options, option->name, option->kind == TRI_OPTION_TEXT ? "text" : other_value(option, text, sizeof text));
    }
    json_t *json = tri__train_options_json(&options);
    assert_int_equal(json_object_size(json), count);
    assert_ok(tri__train_options_read(&read, json));
    json_t *again = tri__train_options_json(&read);
    assert_true(json_equal(json, again));
    json_decref(json);
    json_decref(again);
    tri__train_options_fini(&options);
    tri__train_options_fini(&read);
}

static void the_option_names_every_strategy(void **state)
{
    (void)state;
    const tri__option *option;
    for (int i = 0; (option = tri__train_option(i)) && strcmp(option->name, "strategy");)
        i++;
    assert_non_null(option);
    char choices[128], *save = NULL;
    snprintf(choices, sizeof choices, "%s", option->choices);
    int count = 0;
    for (char *word = strtok_r(choices, " ", &save); word; word = strtok_r(NULL, " ", &save), count++)
        assert_string_equal(tri__strategies_find(word)->name, word);
    for (int i = 0; tri__strategies[i]; i++)
        count--;
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_has_an_effect),      cmocka_unit_test(the_standard_value_changes_nothing),
        cmocka_unit_test(every_field_is_read_somewhere),   cmocka_unit_test(every_option_is_kept_in_checkpoints),
        cmocka_unit_test(the_option_names_every_strategy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
