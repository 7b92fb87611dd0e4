/* nearest.c: suggestions by edit distance. */
#include "cli/nearest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 31 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Three rows of the usual table are enough: row i needs i − 1, and i − 2 for a swap. */
int tri__edit_distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1], columns = (int)strnlen(b, LONGEST), length = (int)strnlen(a, LONGEST);
    for (int i = 0; i <= length; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        for (int j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                row[j] = i + j;
                continue;
            }
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[length % 3][columns];
}

tri__suggestion tri__suggestion_of(const char *given)
{
    return (tri__suggestion){.given = given, .distance = INT_MAX};
}

void tri__suggestion_offer(tri__suggestion *nearest, const char *name)
{
    int distance = tri__edit_distance(nearest->given, name);
    int near_enough = 1 + (int)strlen(nearest->given) / 4;
    if (distance > near_enough || distance >= nearest->distance)
        return;
    nearest->distance = distance;
    snprintf(nearest->copy, sizeof nearest->copy, "%s", name);
    nearest->name = name;
}
