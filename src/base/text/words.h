/* words.h: looks for a word in a list of words. */
#ifndef TRI_BASE_TEXT_WORDS_H
#define TRI_BASE_TEXT_WORDS_H

#include <stdbool.h>

bool tri__words_have(const char *list, const char *word);          /* list: words with spaces between them; NULL has none */
bool tri__words_among(const char *const *words, const char *word); /* words: ends with NULL; NULL has none */

#endif
