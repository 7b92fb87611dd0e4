/* config.c: turns a file of settings into words of a command line. */
#define _GNU_SOURCE /* asprintf */
#include "cli/table/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/yaml.h"
#include "base/memory/memory.h"
#include "base/text/words.h"
#include "cli/table/option.h"

#define NO "no-"

enum { MOST_COMMAND_WORDS = 4 };

typedef struct {
    const char *file;
    const tri__command *command;
    bool has_operand; /* the command line has an operand */
    char **words;     /* each is owned */
    int count;
} expansion;

static tri_status no_memory(const char *file)
{
    return tri_fail(TRI_NO_MEMORY, "--config %s: no memory for its options", file);
}

/* Takes word. */
static tri_status add(expansion *self, char *word)
{
    if (!word)
        return no_memory(self->file);
    self->words[self->count++] = word;
    return NULL;
}

static tri_status add_word(expansion *self, const char *prefix, const char *name)
{
    char *word = NULL;
    return asprintf(&word, "--%s%s", prefix, name) < 0 ? no_memory(self->file) : add(self, word);
}

static const tri__option *find_option(const tri__command *command, const char *name)
{
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(command, row)); row++)
        if (!option->hidden && !strcmp(option->name, name))
            return option;
    return NULL;
}

/* The option of which the key is the negation, as "no-shuffle" is of shuffle; NULL: it is none. */
static const tri__option *find_negated(const tri__command *command, const char *key)
{
    const tri__option *option = strncmp(key, NO, strlen(NO)) != 0 ? NULL : find_option(command, key + strlen(NO));
    return option && option->off ? option : NULL;
}

/* `sync: yes` is --sync; `no-events: yes` is --no-events, and `no-events: no` says what holds anyway. */
static tri_status add_flag(expansion *self, const char *key, bool negatable, const char *value)
{
    static const char *const yes[] = {"yes", "true", "on", NULL}, *const no[] = {"no", "false", "off", NULL};
    if (!tri__words_among(yes, value) && !tri__words_among(no, value))
        return tri_fail(TRI_BAD_DATA, "%s: %s: expected yes or no", key, value);
    if (tri__words_among(yes, value))
        return add_word(self, "", key);
    return negatable ? add_word(self, NO, key) : NULL;
}

static tri_status add_entry(expansion *self, const char *key, const json_t *value)
{
    char *word = NULL;
    const char *text = json_string_value(value);
    const tri__option *option = find_option(self->command, key);
    if (!text)
        return tri_fail(TRI_BAD_DATA, "%s: expected one value, not a list or a mapping", key);
    if (!*text)
        return tri_fail(TRI_BAD_DATA, "%s: has no value (write 'key: value', or leave the line out)", key);
    if (!strcmp(key, "config"))
        return tri_fail(TRI_BAD_DATA, "config: a file of options cannot name another one");
    if (!strcmp(key, "model"))
        return self->has_operand ? NULL : add(self, strdup(text));
    if (option && option->kind == TRI_OPTION_FLAG)
        return add_flag(self, key, option->off, text);
    if (!option && find_negated(self->command, key))
        return add_flag(self, key, false, text);
    return asprintf(&word, "--%s=%s", key, text) < 0 ? no_memory(self->file) : add(self, word); /* the parser reports unknown names */
}

/* Parse the word that was added last, alone after the command's own words, so that the message about a mistake can name its line. */
static tri_status check_last(const expansion *self, int own)
{
    const char *words[MOST_COMMAND_WORDS + 2] = {NULL};
    tri__arguments arguments;
    for (int i = 0; i < own && i < MOST_COMMAND_WORDS; i++)
        words[i] = self->words[1 + i];
    words[own] = self->words[self->count - 1];
    return tri__arguments_parse(own + 1, words, &arguments);
}

/* own: how many words the command's name has; they follow the program's name. */
static tri_status add_entries(expansion *self, json_t *entries, int own)
{
    const char *key;
    json_t *value;
    if (!json_is_object(entries))
        return tri_fail(TRI_BAD_DATA, "%s: expected lines such as 'rate: 0.1'", self->file);
    json_object_foreach(entries, key, value)
    {
        const int before = self->count;
        tri_status status = add_entry(self, key, value);
        if (!status && self->count > before)
            status = check_last(self, own);
        if (status)
            return tri_wrap(status, "%s: line %zu", self->file, tri__yaml_line_of(self->file, key));
    }
    return NULL;
}

/* Whether the command line has an operand. A command line that cannot be parsed is reported later. */
static bool has_operand(int count, const char *const *words)
{
    tri__arguments arguments;
    tri_status status = tri__arguments_parse(count, words, &arguments);
    const bool has = !status && arguments.count > 0;
    tri_status_free(status);
    return has;
}

/* The index of --config among words, from number `from` on, and its file; −1: it is not there. *taken: how many words it takes. */
static int find_config(int from, int count, const char *const *words, const char **file, int *taken)
{
    for (int i = from; i < count; i++) {
        const bool apart = !strcmp(words[i], "--config");
        if (!apart && strncmp(words[i], "--config=", strlen("--config=")) != 0)
            continue;
        *taken = apart ? 2 : 1;
        *file = !apart ? words[i] + strlen("--config=") : i + 1 < count ? words[i + 1] : "";
        return i;
    }
    return -1;
}

/* A mistake in the file counts as a wrong call, as if it had been typed. */
static tri_status as_bad_call(tri_status status)
{
    if (tri_status_code(status) != TRI_BAD_DATA)
        return status;
    tri_status call = tri_fail(TRI_BAD_CALL, "%s", tri_status_message(status));
    tri_status_free(status);
    return call;
}

/* Put together the first words (the program and the command), the words of the file, and the rest without the words of --config. */
static tri_status expand(expansion *self, int count, const char *const *words, int first, int config, int taken)
{
    json_t *entries = NULL;
    TRI_TRY(tri__yaml_read(self->file, &entries));
    tri_status status = tri__allocate((size_t)count + json_object_size(entries) + 1, sizeof *self->words, "a command line", &self->words);
    for (int i = 0; !status && i < first; i++)
        status = add(self, strdup(words[i]));
    if (!status)
        status = add_entries(self, entries, first - 1);
    for (int i = first; !status && i < count; i++)
        if (i < config || i >= config + taken)
            status = add(self, strdup(words[i]));
    json_decref(entries);
    return status;
}

tri_status tri__config_expand(int count, const char *const *words, tri__expanded_words *out)
{
    expansion self = {0};
    int used = 0, taken = 0, more = 0, at = find_config(0, count, words, &self.file, &taken);
    const char *another;
    *out = (tri__expanded_words){.words = words, .count = count};
    if (at < 2)
        return NULL;
    TRI_TRY(tri__command_find(count - 1, words + 1, &self.command, &used));
    if (!tri__command_has_option(self.command, "config"))
        return NULL;
    if (!*self.file)
        return tri_fail(TRI_BAD_CALL, "--config needs a value: --config FILE");
    if (find_config(at + taken, count, words, &another, &more) >= 0)
        return tri_fail(TRI_BAD_CALL, "--config %s and --config %s: give one file", self.file, another);
    self.has_operand = has_operand(count - 1, words + 1);
    tri_status status = as_bad_call(expand(&self, count, words, 1 + used, at, taken));
    *out = (tri__expanded_words){.words = (const char *const *)self.words, .count = self.count, .own = self.words};
    if (status)
        tri__expanded_words_fini(out);
    return status;
}

void tri__expanded_words_fini(tri__expanded_words *expanded)
{
    for (int i = 0; expanded->own && i < expanded->count; i++)
        free(expanded->own[i]);
    free(expanded->own);
    *expanded = (tri__expanded_words){0};
}
