/* quote.c: words as a shell reads them: plain where they may be, in single quotes otherwise. */
#include "base/text/quote.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *word)
{
    const char *safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    return *word && !word[strspn(word, safe)];
}

/* Each ' ends the quotes, stands escaped, and begins them again. */
static char *append(char *at, const char *word)
{
    if (is_plain(word))
        return stpcpy(at, word);
    *at++ = '\'';
    for (; *word; word++)
        at = *word == '\'' ? stpcpy(at, "'\\''") : (*at = *word, at + 1);
    *at++ = '\'';
    *at = 0;
    return at;
}

char *tri__quote_words(const char *program, int count, const char *const *words)
{
    size_t most = strlen(program) + 1;
    for (int i = 0; i < count; i++)
        most += 4 * strlen(words[i]) + 3;
    char *line = malloc(most), *at = line;
    if (!line)
        return NULL;
    at = stpcpy(at, program);
    for (int i = 0; i < count; i++) {
        *at++ = ' ';
        at = append(at, words[i]);
    }
    return line;
}
