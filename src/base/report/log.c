/* log.c: makes a line and hands it to the sink. */
#include "base/report/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void tri__log_line(tri__log *log, tri__log_level level, const char *format, ...)
{
    if (!log || level < log->least)
        return;
    char small[512];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    char *large = length >= (int)sizeof small ? malloc((size_t)length + 1) : NULL;
    if (large)
        vsnprintf(large, (size_t)length + 1, format, again);
    va_end(again);
    if (length >= 0)
        log->write(log, level, large ? large : small); /* where memory is short, only the beginning of the line */
    free(large);
}
