/* socket_owner.c: one line of /proc/net/tcp or tcp6: "sl local remote state queues timer retransmits uid …", addresses in hexadecimal.
 *
 * Only an established connection counts: one whose process has closed it is listed as root's until it is forgotten, and what it sent may
 * still be read. */
#include "net/socket_owner.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/address.h"

enum { WORDS = 4, ESTABLISHED = 1, LINE_SIZE = 512 };

/* An end of a connection, as the kernel's tables write it: words of the address in the machine's byte order; IPv4 has one. */
typedef struct {
    int words;
    uint32_t word[WORDS];
    uint32_t port;
} end_point;

static end_point end_of(const struct sockaddr_storage *address)
{
    end_point end = {0};
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        end = (end_point){.words = 1, .word = {v4->sin_addr.s_addr}, .port = ntohs(v4->sin_port)};
        return end;
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    memcpy(end.word, &v6->sin6_addr, sizeof end.word);
    end.port = ntohs(v6->sin6_port);
    end.words = WORDS;
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) { /* the other end has a plain IPv4 socket */
        end.words = 1;
        end.word[0] = end.word[WORDS - 1];
    }
    return end;
}

/* "0100007F:1F90" at *text; moves *text behind it. */
static bool read_end(const char **text, int words, end_point *out)
{
    out->words = words;
    for (int i = 0; i < words; i++) {
        int used = 0;
        if (sscanf(*text, "%8x%n", &out->word[i], &used) != 1 || used != 8)
            return false;
        *text += used;
    }
    int used = 0;
    if (sscanf(*text, ":%4x%n", &out->port, &used) != 1)
        return false;
    *text += used;
    *text += **text == ' ';
    return true;
}

static bool same_end(const end_point *a, const end_point *b)
{
    return a->port == b->port && memcmp(a->word, b->word, (size_t)a->words * sizeof *a->word) == 0;
}

/* Whether a line is of the established connection from its own end `theirs` to `ours`, and whose it is. */
static bool read_line(const char *line, const end_point *theirs, const end_point *ours, unsigned *user)
{
    const char *at = strchr(line, ':');
    end_point local, remote;
    unsigned state;
    if (!at)
        return false;
    at += 2;
    if (!read_end(&at, theirs->words, &local) || !read_end(&at, theirs->words, &remote))
        return false;
    return same_end(&local, theirs) && same_end(&remote, ours) && sscanf(at, "%x %*s %*s %*s %u", &state, user) == 2 &&
           state == ESTABLISHED;
}

static tri_status find_user(const end_point *theirs, const end_point *ours, unsigned *user)
{
    const char *path = theirs->words == 1 ? "/proc/net/tcp" : "/proc/net/tcp6";
    FILE *table = fopen(path, "re");
    if (!table)
        return tri_fail(TRI_IO, "%s cannot be read (%s), so nobody can tell whose connection this is: give --key, as beyond loopback", path,
                        strerror(errno));
    char line[LINE_SIZE];
    bool found = false;
    while (!found && fgets(line, sizeof line, table))
        found = read_line(line, theirs, ours, user);
    fclose(table);
    return found ? NULL : tri_fail(TRI_IO, "the connection has ended already");
}

tri_status tri__socket_owner_check(int fd, const struct sockaddr_storage *peer)
{
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    if (!tri__socket_is_loopback(peer))
        return NULL;
    if (getsockname(fd, (struct sockaddr *)&own, &size))
        return tri_fail(TRI_IO, "the address of a connection cannot be found: %s", strerror(errno));
    const end_point theirs = end_of(peer), ours = end_of(&own);
    unsigned user = 0;
    TRI_TRY(find_user(&theirs, &ours, &user));
    if (user == 0 || user == geteuid())
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "it belongs to another user of this machine (%u): only the user who started the job can join it, or give all "
                    "tasks the same --key",
                    user);
}
