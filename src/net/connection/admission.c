/* admission.c: the newcomers of a listener, in the order in which they came. */
#include "net/connection/admission.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

enum { NEWCOMERS = 128 };

struct tri__admission {
    int references; /* the listener and each connection */
    int most, connections;
    int most_newcomers, newcomer_count;
    tri__connection *newcomers[NEWCOMERS]; /* in the order in which they came */
};

tri_status tri__admission_create(int most, tri__admission **out)
{
    *out = NULL;
    tri__admission *admission = NULL;
    TRI_TRY(tri__allocate(1, sizeof *admission, "a listener", &admission));
    *admission = (tri__admission){.references = 1, .most = most, .most_newcomers = most < NEWCOMERS ? most : NEWCOMERS};
    *out = admission;
    return NULL;
}

void tri__admission_release(tri__admission *admission)
{
    if (admission && --admission->references == 0)
        free(admission);
}

void tri__admission_entered(tri__admission *admission, tri__connection *connection, bool newcomer)
{
    admission->references++;
    admission->connections++;
    if (newcomer)
        admission->newcomers[admission->newcomer_count++] = connection;
}

void tri__admission_passed(tri__admission *admission, tri__connection *connection)
{
    for (int i = 0; i < admission->newcomer_count; i++) {
        if (admission->newcomers[i] != connection)
            continue;
        admission->newcomer_count--;
        memmove(&admission->newcomers[i], &admission->newcomers[i + 1],
                (size_t)(admission->newcomer_count - i) * sizeof *admission->newcomers);
        return;
    }
}

void tri__admission_left(tri__admission *admission, tri__connection *connection)
{
    tri__admission_passed(admission, connection);
    admission->connections--;
    tri__admission_release(admission);
}

bool tri__admission_make_room(tri__admission *admission)
{
    if (admission->newcomer_count < admission->most_newcomers && admission->connections < admission->most)
        return true;
    if (admission->newcomer_count == 0)
        return false;
    tri__connection *oldest = admission->newcomers[0];
    tri__connection_end(oldest, tri_fail(TRI_TIMEOUT, "peer %s: too many newcomers, and it was the slowest to show who it is",
                                         tri__connection_peer(oldest)));
    return true;
}
