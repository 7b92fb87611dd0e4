/* utf8.h: checks that bytes are UTF-8 text. JSON must be UTF-8, so text from outside that may end up in JSON is checked when it comes
 * in. */
#ifndef TRI_BASE_TEXT_UTF8_H
#define TRI_BASE_TEXT_UTF8_H

#include <stddef.h>

/* How many of the first bytes are text: size where all are, otherwise the index of the first byte that is NUL or not UTF-8. */
size_t tri__utf8_length(const char *text, size_t size);

#endif
