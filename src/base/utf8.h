/* utf8.h: is it text? What goes into JSON must be UTF-8, so whatever comes from outside and ends there is checked as it comes in. */
#ifndef TRI_BASE_UTF8_H
#define TRI_BASE_UTF8_H

#include <stddef.h>

/* How many of the first bytes are text: size where all are, otherwise the place of the first that is NUL or no UTF-8. */
size_t tri__utf8_length(const char *text, size_t size);

#endif
