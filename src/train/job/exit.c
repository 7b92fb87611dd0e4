/* exit.c: describes how a process ended. */
#include "train/job/exit.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_WRONG_CALL = 2 }; /* the exit status of every command after a wrong call */

bool tri__exit_is_good(tri__exit ending)
{
    return ending.status == 0 && ending.signal == 0;
}

const char *tri__exit_text(tri__exit ending, const char *complaint, char text[TRI_EXIT_SIZE])
{
    if (ending.signal)
        snprintf(text, TRI_EXIT_SIZE, "was killed by signal %d (%s)", ending.signal, strsignal(ending.signal));
    else if (complaint)
        snprintf(text, TRI_EXIT_SIZE, "failed: %s", complaint);
    else
        snprintf(text, TRI_EXIT_SIZE, "failed with exit status %d", ending.status);
    return text;
}

tri_code tri__exit_code(tri__exit ending)
{
    return ending.status == EXIT_WRONG_CALL ? TRI_BAD_CALL : TRI_INTERNAL;
}
