/* quote.h: words as a shell reads them. */
#ifndef TRI_BASE_TEXT_QUOTE_H
#define TRI_BASE_TEXT_QUOTE_H

/* One line that a shell splits into program and the words behind it; free() it. NULL when memory is short. */
char *tri__quote_words(const char *program, int count, const char *const *words);

#endif
