/* option.c: from words to checked values, driven by the rows of commands.h. */
#include "cli/table/option.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/nearest.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "base/text/words.h"
#include "cli/table/commands.h"

const tri__option *tri__command_option(const tri__command *command, int row)
{
    for (const tri__option *option = command->options; option->name || option->rows; option++) {
        if (!option->rows && row-- == 0)
            return option;
        const tri__option *other = NULL;
        for (int i = 0; option->rows && (other = option->rows(i)); i++)
            if (row-- == 0)
                return other;
    }
    return NULL;
}

/* How many words name has, one or two, if words[0…] begin with them; otherwise 0. */
static int match_name(const char *name, int count, const char *const *words)
{
    int used = 0;
    for (const char *at = name; *at; used++) {
        size_t length = strcspn(at, " ");
        if (used == count || strlen(words[used]) != length || strncmp(words[used], at, length))
            return 0;
        at += length + (at[length] == ' ');
    }
    return used;
}

/* "data" is not a command, but the first word of some: the message lists the second words. */
static tri_status explain_group(const char *word, const char *next)
{
    size_t length = strlen(word);
    char words[256];
    tri__text list;
    tri__text_init(&list, words, sizeof words);
    tri__nearest nearest = tri__nearest_of(next ? next : "");
    const tri__command *command;
    for (int i = 0; (command = tri__commands[i]); i++) {
        if (strncmp(command->name, word, length) || command->name[length] != ' ')
            continue;
        const char *rest = command->name + length + 1;
        tri__text_add(&list, "%s%s", list.used ? ", " : "", rest);
        tri__nearest_offer(&nearest, rest);
    }
    if (!list.used)
        return NULL;
    if (!next || *next == '-')
        return tri_fail(TRI_BAD_CALL, "%s what? one of: %s (see 'trireme help %s')", word, words, word);
    if (nearest.best)
        return tri_fail(TRI_BAD_CALL, "there is no command '%s %s'; did you mean '%s %s'?", word, next, word, nearest.best);
    return tri_fail(TRI_BAD_CALL, "there is no command '%s %s'; there are: %s", word, next, words);
}

tri_status tri__command_find(int count, const char *const *words, const tri__command **out, int *used)
{
    assert(count > 0);
    tri__nearest nearest = tri__nearest_of(words[0]);
    const tri__command *command;
    for (int i = 0; (command = tri__commands[i]); i++) {
        *used = match_name(command->name, count, words);
        if (*used) {
            *out = command;
            return NULL;
        }
        tri__nearest_offer(&nearest, command->name);
    }
    TRI_TRY(explain_group(words[0], count > 1 ? words[1] : NULL));
    if (nearest.best)
        return tri_fail(TRI_BAD_CALL, "there is no command '%s'; did you mean '%s'?", words[0], nearest.best);
    return tri_fail(TRI_BAD_CALL, "there is no command '%s' ('trireme help' lists them)", words[0]);
}

/* Numbers are kept in 32 bits: a larger one would be infinite, a tinier one 0. */
static bool fits_float(double number)
{
    return number == 0 || (fabs(number) >= (double)FLT_MIN && fabs(number) <= (double)FLT_MAX);
}

static tri_status check_number(const tri__option *option, const char *value)
{
    bool whole = option->kind == TRI_OPTION_INTEGER;
    char *end = NULL;
    errno = 0;
    double number = whole ? (double)strtoll(value, &end, 10) : strtod(value, &end);
    if (end == value || *end || errno || !isfinite(number))
        return tri_fail(TRI_BAD_CALL, "--%s %s: expected a %s", option->name, value, whole ? "whole number" : "number");
    if (!whole && !fits_float(number))
        return tri_fail(TRI_BAD_CALL, "--%s %s: expected 0 or a number from 1.2e-38 to 3.4e+38", option->name, value);
    char range[160];
    if (tri__option_takes(option, number))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--%s %s: must be %s", option->name, value, tri__option_range(option, range, sizeof range));
}

static tri_status check_choice(const tri__option *option, const char *value)
{
    char words[256], *save = NULL; /* must outlive nearest, which points into it */
    snprintf(words, sizeof words, "%s", option->choices);
    tri__nearest nearest = tri__nearest_of(value);
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (!strcmp(word, value))
            return NULL;
        tri__nearest_offer(&nearest, word);
    }
    if (nearest.best)
        return tri_fail(TRI_BAD_CALL, "--%s %s: did you mean %s? (one of: %s)", option->name, value, nearest.best, option->choices);
    return tri_fail(TRI_BAD_CALL, "--%s %s: must be one of: %s", option->name, value, option->choices);
}

static tri_status check_value(const tri__option *option, const char *value)
{
    if (option->kind != TRI_OPTION_FLAG && !*value)
        return tri_fail(TRI_BAD_CALL, "--%s needs %s that is not empty", option->name, option->argument);
    switch (option->kind) {
    case TRI_OPTION_INTEGER:
    case TRI_OPTION_NUMBER:
        return check_number(option, value);
    case TRI_OPTION_CHOICE:
        return check_choice(option, value);
    case TRI_OPTION_TEXT:
    case TRI_OPTION_FLAG:
        break;
    }
    return NULL;
}

static int find_option(const tri__command *command, const char *name, size_t length)
{
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(command, row)); row++)
        if (strlen(option->name) == length && !strncmp(option->name, name, length))
            return row;
    return -1;
}

/* The option for which other programs use this name; NULL where there is none. */
static const char *known_elsewhere(const tri__command *command, const char *name)
{
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(command, row)); row++)
        if (tri__words_have(option->elsewhere, name))
            return option->name;
    return NULL;
}

static tri_status unknown_option(const tri__command *command, const char *name, size_t length)
{
    char given[64];
    snprintf(given, sizeof given, "%.*s", (int)length, name);
    const char *here = known_elsewhere(command, given);
    if (here)
        return tri_fail(TRI_BAD_CALL, "%s has no option --%s; here it is called --%s", command->name, given, here);
    for (const tri__foreign_option *foreign = command->foreign; foreign->names; foreign++)
        if (tri__words_have(foreign->names, given))
            return tri_fail(TRI_BAD_CALL, "%s has no option --%s: %s", command->name, given, foreign->instead);
    tri__nearest nearest = tri__nearest_of(given);
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(command, row)); row++)
        if (!option->hidden)
            tri__nearest_offer(&nearest, option->name);
    if (nearest.best)
        return tri_fail(TRI_BAD_CALL, "%s has no option --%s; did you mean --%s?", command->name, given, nearest.best);
    return tri_fail(TRI_BAD_CALL, "%s has no option --%s ('trireme %s --help' lists them)", command->name, given, command->name);
}

/* --no-shuffle: sets the option to the value that its row has for that. */
static tri_status take_negation(tri__arguments *out, const char *name, size_t length, bool *taken)
{
    int row = length > 3 && !strncmp(name, "no-", 3) ? find_option(out->command, name + 3, length - 3) : -1;
    const tri__option *option = row >= 0 ? tri__command_option(out->command, row) : NULL;
    *taken = option && option->off;
    if (!*taken)
        return NULL;
    if (name[length] == '=')
        return tri_fail(TRI_BAD_CALL, "--%.*s takes no value", (int)length, name);
    out->values[row] = option->off;
    return NULL;
}

/* Whether the word after an option is its value. Where the value may be left out, only a number counts as one. */
static bool is_value(const tri__option *option, const char *word)
{
    return option->implied ? *word >= '0' && *word <= '9' : strncmp(word, "--", 2) != 0;
}

/* Set the option of this row. value: from the same word, "--name=value"; NULL: the next word may be the value, and then *at moves past
 * it. */
static tri_status take_row(tri__arguments *out, int row, const char *value, int count, const char *const *words, int *at)
{
    const tri__option *option = tri__command_option(out->command, row);
    if (option->kind == TRI_OPTION_FLAG && value)
        return tri_fail(TRI_BAD_CALL, "--%s takes no value", option->name);
    if (option->kind == TRI_OPTION_FLAG)
        value = "on";
    else if (!value && *at + 1 < count && is_value(option, words[*at + 1]))
        value = words[++*at];
    if (!value)
        value = option->implied;
    if (!value)
        return tri_fail(TRI_BAD_CALL, "--%s needs a value: --%s %s", option->name, option->name, option->argument);
    TRI_TRY(check_value(option, value));
    out->values[row] = value;
    return NULL;
}

/* One option at words[*at]: --name, --name=value, --no-name. */
static tri_status take_option(tri__arguments *out, int count, const char *const *words, int *at)
{
    const char *name = words[*at] + 2;
    size_t length = strcspn(name, "=");
    int row = find_option(out->command, name, length);
    if (row >= 0)
        return take_row(out, row, name[length] == '=' ? name + length + 1 : NULL, count, words, at);
    bool taken;
    TRI_TRY(take_negation(out, name, length, &taken));
    return taken ? NULL : unknown_option(out->command, name, length);
}

/* One short option at words[*at]: -b 64 or -b64. */
static tri_status take_letter(tri__arguments *out, int count, const char *const *words, int *at)
{
    const char *word = words[*at];
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(out->command, row)); row++)
        if (option->letter == word[1])
            return take_row(out, row, word[2] ? word + 2 : NULL, count, words, at);
    return tri_fail(TRI_BAD_CALL, "%s has no option -%c; most have two dashes and a whole word ('trireme %s --help' lists them)",
                    out->command->name, word[1], out->command->name);
}

static tri_status take_operand(tri__arguments *out, const char *word)
{
    const tri__command *command = out->command;
    if (out->count == command->most && command->most == 0)
        return tri_fail(TRI_BAD_CALL, "%s takes nothing but options, so '%s' is one word too many", command->name, word);
    if (out->count == command->most)
        return tri_fail(TRI_BAD_CALL, "%s: '%s' is one word too many (usage: trireme %s %s)", command->name, word, command->name,
                        command->usage);
    out->operands[out->count++] = word;
    return NULL;
}

static tri_status take_words(tri__arguments *out, int count, const char *const *words)
{
    bool only_operands = false;
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        if (out->command->takes_rest && out->count == out->command->most) {
            out->rest = words + at + !strcmp(word, "--"); /* it may stand before another program's command line */
            return NULL;
        }
        if (only_operands || word[0] != '-' || !word[1])
            TRI_TRY(take_operand(out, word));
        else if (!strcmp(word, "--"))
            only_operands = true;
        else if (!strcmp(word, "-h") || !strcmp(word, "--help"))
            out->help = true;
        else if (word[1] != '-')
            TRI_TRY(take_letter(out, count, words, &at));
        else
            TRI_TRY(take_option(out, count, words, &at));
    }
    return NULL;
}

/* Names and texts go into summaries and checkpoints, which are JSON and so UTF-8. A wrong one is reported now, not at the end of a run. */
static tri_status check_text(int count, const char *const *words)
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(words[i]), text = tri__utf8_length(words[i], length);
        if (text < length)
            return tri_fail(TRI_BAD_CALL,
                            "word %d, '%s', is not UTF-8 text: its byte %zu is 0x%02x (rename the file, or make a link to it)", i + 1,
                            words[i], text + 1, (unsigned char)words[i][text]);
    }
    return NULL;
}

tri_status tri__arguments_parse(int count, const char *const *words, tri__arguments *out)
{
    *out = (tri__arguments){0};
    TRI_TRY(check_text(count, words));
    int used = 0;
    TRI_TRY(tri__command_find(count, words, &out->command, &used));
    assert(!tri__command_option(out->command, TRI_MAX_OPTIONS));
    TRI_TRY(take_words(out, count - used, words + used));
    if (!out->help && out->count < out->command->least)
        return tri_fail(TRI_BAD_CALL, "%s needs %s (usage: trireme %s %s)", out->command->name, out->command->operands[out->count].name,
                        out->command->name, out->command->usage);
    return NULL;
}

static const char *value_of(const tri__arguments *arguments, const char *name, bool or_standard)
{
    int row = find_option(arguments->command, name, strlen(name));
    assert(row >= 0);
    const char *value = arguments->values[row];
    return value || !or_standard ? value : tri__command_option(arguments->command, row)->standard;
}

bool tri__command_has_option(const tri__command *command, const char *name)
{
    return find_option(command, name, strlen(name)) >= 0;
}

bool tri__argument_has(const tri__arguments *arguments, const char *name)
{
    return tri__command_has_option(arguments->command, name) && tri__argument_flag(arguments, name);
}

bool tri__argument_given(const tri__arguments *arguments, const char *name)
{
    return value_of(arguments, name, false);
}

const char *tri__argument_text(const tri__arguments *arguments, const char *name)
{
    return value_of(arguments, name, true);
}

int64_t tri__argument_integer(const tri__arguments *arguments, const char *name)
{
    const char *value = value_of(arguments, name, true);
    return value ? strtoll(value, NULL, 10) : 0;
}

double tri__argument_number(const tri__arguments *arguments, const char *name)
{
    const char *value = value_of(arguments, name, true);
    return value ? strtod(value, NULL) : 0;
}

bool tri__argument_flag(const tri__arguments *arguments, const char *name)
{
    const char *value = value_of(arguments, name, true);
    return value && !strcmp(value, "on");
}
