/* quote.h: words as a shell reads them. */
#ifndef TRI_BASE_TEXT_QUOTE_H
#define TRI_BASE_TEXT_QUOTE_H

/* program and the words behind it as one line that a shell splits into them again; free() it. NULL when memory is short. */
char *tri__quote_words(const char *program, int count, const char *const *words);

#endif
