/* template.c: makes a command from a template and values. */
#include "lab/study/template.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = 4096, LONGEST_NAME = 64 };

typedef struct {
    tri__template_value *value;
    void *context;
    tri__command_line *line;
    const char *text; /* the whole template, for messages */
    char word[LONGEST_WORD];
    size_t used;
    bool begun; /* a word has begun; it may still be empty */
} filler;

static tri_status put(filler *self, const char *text, size_t size)
{
    if (self->used + size >= sizeof self->word)
        return tri_fail(TRI_BAD_DATA, "a word of the command '%s' is longer than %d characters", self->text, LONGEST_WORD - 1);
    memcpy(self->word + self->used, text, size);
    self->used += size;
    self->begun = true;
    return NULL;
}

static void end_word(filler *self)
{
    self->word[self->used] = 0;
    if (self->begun)
        tri__command_line_add(self->line, self->word);
    self->used = 0;
    self->begun = false;
}

static tri_status look_up(filler *self, const char **at, const char **value)
{
    char name[LONGEST_NAME];
    const char *end = strchr(*at, '}');
    if (!end || end - *at - 1 >= LONGEST_NAME)
        return tri_fail(TRI_BAD_DATA, "the command '%s' has { without its }", self->text);
    snprintf(name, sizeof name, "%.*s", (int)(end - *at - 1), *at + 1);
    *at = end + 1;
    *value = self->value(self->context, name);
    if (!*value)
        return tri_fail(TRI_BAD_DATA, "the command has {%s}, and there is no factor or setting of that name", name);
    return NULL;
}

static tri_status fill_words(filler *self, const char *text, bool values);

/* Fill in {name} at *at. Where it is a whole word, its value may become several words, or none. */
static tri_status put_value(filler *self, const char **at)
{
    bool starts = !self->begun;
    const char *value;
    TRI_TRY(look_up(self, at, &value));
    if (starts && (**at == ' ' || !**at))
        return fill_words(self, value, false);
    return put(self, value, strlen(value));
}

static tri_status fill_words(filler *self, const char *text, bool values)
{
    char quote = 0;
    for (const char *at = text; *at;) {
        if (values && *at == '{') {
            TRI_TRY(put_value(self, &at));
            continue;
        }
        if (!quote && (*at == ' ' || *at == '\n'))
            end_word(self);
        else if (*at == quote)
            quote = 0;
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at, self->begun = true;
        else
            TRI_TRY(put(self, at, 1));
        at++;
    }
    if (quote)
        return tri_fail(TRI_BAD_DATA, "the command '%s' has %c without its end", self->text, quote);
    end_word(self);
    return NULL;
}

tri_status tri__template_fill(const char *text, tri__template_value *value, void *context, tri__command_line *line)
{
    filler self = {.value = value, .context = context, .line = line, .text = text};
    TRI_TRY(fill_words(&self, text, true));
    return tri__command_line_check(line);
}
