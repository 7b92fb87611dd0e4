/* nearest.h: which known name was probably meant by a name that is not known. */
#ifndef TRI_CLI_NEAREST_H
#define TRI_CLI_NEAREST_H

typedef struct {
    const char *given;
    const char *name; /* the nearest name offered so far that is near enough to suggest, or NULL */
    char copy[32];    /* the same name, for those who offer names that do not last */
    int distance;
} tri__suggestion;

tri__suggestion tri__suggestion_of(const char *given);
void tri__suggestion_offer(tri__suggestion *nearest, const char *name);

/* Letters to insert, drop, change or swap with a neighbour, to turn one word into the other. */
int tri__edit_distance(const char *a, const char *b);

#endif
