/* config.c: a file of settings as words of a command line. */
#define _GNU_SOURCE /* asprintf */
#include "cli/table/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/yaml.h"
#include "base/memory/memory.h"
#include "cli/table/option.h"

typedef struct {
    const char *file;
    const tri__command *command;
    bool has_operand; /* on the command line */
    char **words;     /* owned, each */
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

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(text, *words))
            return true;
    return false;
}

static tri_status add_flag(expansion *self, const tri__option *option, const char *value)
{
    static const char *const yes[] = {"yes", "true", "on", NULL}, *const no[] = {"no", "false", "off", NULL};
    char *word = NULL;
    if (!is_one_of(value, yes) && !is_one_of(value, no))
        return tri_fail(TRI_BAD_DATA, "%s: %s: %s: expected yes or no", self->file, option->name, value);
    if (is_one_of(value, no) && !option->off)
        return NULL;
    return asprintf(&word, "--%s%s", is_one_of(value, no) ? "no-" : "", option->name) < 0 ? no_memory(self->file) : add(self, word);
}

static const tri__option *find_option(const tri__command *command, const char *name)
{
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(command, row)); row++)
        if (!option->hidden && !strcmp(option->name, name))
            return option;
    return NULL;
}

static tri_status add_entry(expansion *self, const char *key, const json_t *value)
{
    char *word = NULL;
    const char *text = json_string_value(value);
    const tri__option *option = find_option(self->command, key);
    if (!text)
        return tri_fail(TRI_BAD_DATA, "%s: %s: expected one value, not a list or a mapping", self->file, key);
    if (!strcmp(key, "config"))
        return tri_fail(TRI_BAD_DATA, "%s: config: a file of options cannot name another one", self->file);
    if (!strcmp(key, "model"))
        return self->has_operand ? NULL : add(self, strdup(text));
    if (option && option->kind == TRI_OPTION_FLAG)
        return add_flag(self, option, text);
    return asprintf(&word, "--%s=%s", key, text) < 0 ? no_memory(self->file) : add(self, word); /* the parser knows unknown names best */
}

static tri_status add_entries(expansion *self, json_t *entries)
{
    const char *key;
    json_t *value;
    if (!json_is_object(entries))
        return tri_fail(TRI_BAD_DATA, "%s: expected lines such as 'rate: 0.1'", self->file);
    json_object_foreach(entries, key, value) TRI_TRY(add_entry(self, key, value));
    return NULL;
}

/* Whether the command line names an operand. One that cannot be parsed is told of later. */
static bool has_operand(int count, const char *const *words)
{
    tri__arguments arguments;
    tri_status status = tri__arguments_parse(count, words, &arguments);
    const bool has = !status && arguments.count > 0;
    tri_status_free(status);
    return has;
}

/* Where --config stands among words from number `from` on, and its file; −1: nowhere. *taken: how many words it takes. */
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

/* The first words (the program and the command), those of the file, and the rest without the ones that --config takes. */
static tri_status expand(expansion *self, int count, const char *const *words, int first, int config, int taken)
{
    json_t *entries = NULL;
    TRI_TRY(tri__yaml_read(self->file, &entries));
    tri_status status = tri__allocate((size_t)count + json_object_size(entries) + 1, sizeof *self->words, "a command line", &self->words);
    for (int i = 0; !status && i < first; i++)
        status = add(self, strdup(words[i]));
    if (!status)
        status = add_entries(self, entries);
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
    tri_status status = expand(&self, count, words, 1 + used, at, taken);
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
