/* duration.h: spans of time as users type them: "500ms", "60s", "2m", "1h". */
#ifndef TRI_BASE_TEXT_DURATION_H
#define TRI_BASE_TEXT_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number above 0 and its unit; false where text is anything else, or longer than 73 years. */
bool tri__duration_parse(const char *text, int64_t *nanoseconds);

#endif
