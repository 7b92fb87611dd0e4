/* words.c: looks for a word in a list of words. */
#include "base/text/words.h"

#include <string.h>

bool tri__words_have(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strspn(at, " ")) {
        const size_t here = strcspn(at, " ");
        if (here == length && !strncmp(at, word, length))
            return true;
        at += here;
    }
    return false;
}

bool tri__words_among(const char *const *words, const char *word)
{
    for (; words && *words; words++)
        if (!strcmp(*words, word))
            return true;
    return false;
}
