/* wrong_line.h: lines of text that a parser must refuse, where it stops, and what it says. */
#ifndef TESTS_DATA_TEXT_WRONG_LINE_H
#define TESTS_DATA_TEXT_WRONG_LINE_H

#include <string.h>

#include "support.h"

typedef struct {
    const char *line;
    size_t stopped; /* the byte of the line */
    const char *wrong;
} wrong_line;

static inline void assert_wrong(const wrong_line *expected, const char *wrong, size_t stopped)
{
    if (!wrong || !strstr(wrong, expected->wrong) || stopped != expected->stopped)
        fail_msg("'%s': %s, at %zu", expected->line, wrong ? wrong : "nothing wrong", stopped);
}

#endif
