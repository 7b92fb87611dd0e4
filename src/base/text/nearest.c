/* nearest.c: edit distance in which exchanging two neighbours counts once, since that is how people mistype. */
#include "base/text/nearest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 64 /* longer words are not compared */

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and exchanges of neighbours that turn a into b. Both have at most LONGEST characters. */
static int edits_between(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int rows[3][LONGEST + 1]; /* three rows of the table d[i][j]: edits between the first i characters of a and the first j of b */
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *oldest = before;
        before = above, above = row, row = oldest;
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int change = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least_of(change, least_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least_of(row[j], before[j - 2] + 1);
        }
    }
    return row[b_length];
}

tri__nearest tri__nearest_of(const char *word)
{
    return (tri__nearest){.word = word, .edits = INT_MAX};
}

void tri__nearest_offer(tri__nearest *nearest, const char *candidate)
{
    size_t length = strlen(nearest->word), other = strlen(candidate);
    if (length == 0 || length > LONGEST || other > LONGEST)
        return;
    int edits = edits_between(nearest->word, length, candidate, other);
    int allowed = 1 + (int)length / 4;
    if (edits <= allowed && edits < (int)other && edits < nearest->edits) {
        nearest->best = candidate;
        nearest->edits = edits;
    }
}

const char *tri__nearest_hint(const tri__nearest *nearest, char buffer[TRI_NEAREST_HINT])
{
    buffer[0] = '\0';
    if (nearest->best)
        snprintf(buffer, TRI_NEAREST_HINT, " (did you mean '%s'?)", nearest->best);
    return buffer;
}
