/* address.c: turns "host:port" into sockets. */
#include "net/address/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tri_status no_address(const char *text)
{
    return tri_fail(TRI_BAD_CALL, "'%s' is no address: write host:port, such as 10.0.0.2:4000 or [fe80::1]:4000", text);
}

/* Decimal digits only, up to 65535. */
static bool parse_port(const char *text, uint16_t *port)
{
    uint32_t value = 0;
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 5 || text[length])
        return false;
    for (; *text; text++)
        value = value * 10 + (uint32_t)(*text - '0');
    *port = (uint16_t)value;
    return value <= UINT16_MAX;
}

tri_status tri__address_parse(const char *text, tri__address *out)
{
    *out = (tri__address){0};
    bool bracketed = text[0] == '[';
    const char *colon = strrchr(text, ':');
    if (!colon || !parse_port(colon + 1, &out->port))
        return no_address(text);
    const char *first = text + bracketed, *end = colon - bracketed; /* the host's name */
    if (end <= first || (bracketed && *end != ']'))
        return no_address(text);
    size_t length = (size_t)(end - first);
    if (strcspn(first, " \t\r\n/@]") < length)
        return no_address(text);
    if (!bracketed && memchr(first, ':', length)) /* where would the port of ::1:4000 begin? */
        return tri_fail(TRI_BAD_CALL, "'%s': write the host of an IPv6 address in brackets: [%.*s]:%s", text, (int)length, first,
                        colon + 1);
    out->host = strndup(first, length);
    return out->host ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the address %s", text);
}

void tri__address_fini(tri__address *address)
{
    free(address->host);
    *address = (tri__address){0};
}

static tri_status look_up(const tri__address *address, struct addrinfo **list)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    char port[8];
    snprintf(port, sizeof port, "%" PRIu16, address->port);
    int error = getaddrinfo(address->host, port, &hints, list);
    if (!error)
        return NULL;
    *list = NULL;
    return tri_fail(TRI_NOT_FOUND, "the host %s cannot be found: %s (check the name, and that this machine can resolve it)", address->host,
                    error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
}

tri_status tri__address_resolve(const tri__address *address, struct sockaddr_storage *out, socklen_t *size)
{
    struct addrinfo *list = NULL;
    TRI_TRY(look_up(address, &list));
    const struct addrinfo *found = list;
    while (found && found->ai_family != AF_INET)
        found = found->ai_next;
    if (!found)
        found = list;
    assert(found); /* a successful look_up gives at least one address */
    *out = (struct sockaddr_storage){0};
    memcpy(out, found->ai_addr, found->ai_addrlen);
    *size = found->ai_addrlen;
    freeaddrinfo(list);
    return NULL;
}

void tri__address_write(const struct sockaddr_storage *socket_address, char text[TRI_ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "?";
    if (socket_address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)socket_address;
        inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
        snprintf(text, TRI_ADDRESS_TEXT, "[%s]:%" PRIu16, host, ntohs(v6->sin6_port));
    } else {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)socket_address;
        inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
        snprintf(text, TRI_ADDRESS_TEXT, "%s:%" PRIu16, host, ntohs(v4->sin_port));
    }
}

static bool is_loopback(const struct sockaddr *any)
{
    if (any->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)any)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    if (any->sa_family != AF_INET6)
        return false;
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)any)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == IN_LOOPBACKNET);
}

bool tri__socket_is_loopback(const struct sockaddr_storage *socket_address)
{
    return is_loopback((const struct sockaddr *)socket_address);
}

bool tri__address_is_loopback(const tri__address *address)
{
    struct addrinfo *list = NULL;
    tri_status_free(look_up(address, &list)); /* an unknown name is not this machine's */
    bool all = list != NULL;
    for (const struct addrinfo *one = list; one; one = one->ai_next)
        all = all && is_loopback(one->ai_addr);
    if (list)
        freeaddrinfo(list);
    return all;
}

static const char *listen_advice(int error)
{
    switch (error) {
    case EADDRINUSE:
        return " (the port is in use: choose another one, or end the program that has it)";
    case EADDRNOTAVAIL:
        return " (this machine has no such address)";
    case EACCES:
        return " (ports below 1024 need rights: choose a higher one)";
    default:
        return "";
    }
}

/* Bind and listen, and find out the port. 0, or −1 and errno. */
static int listen_on(int fd, struct sockaddr_storage *where, socklen_t size)
{
    const int yes = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) || bind(fd, (const struct sockaddr *)where, size) ||
        listen(fd, SOMAXCONN))
        return -1;
    return getsockname(fd, (struct sockaddr *)where, &size);
}

tri_status tri__address_listen(const tri__address *address, int *fd, uint16_t *port)
{
    *fd = -1;
    struct sockaddr_storage where;
    socklen_t size = 0;
    TRI_TRY(tri__address_resolve(address, &where, &size));
    int made = socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0 || listen_on(made, &where, size)) {
        int error = errno;
        if (made >= 0)
            close(made);
        return tri_fail(TRI_IO, "cannot listen on %s:%" PRIu16 ": %s%s", address->host, address->port, strerror(error),
                        listen_advice(error));
    }
    *fd = made;
    /* the port stands at the same place in both kinds of address */
    *port = ntohs(((const struct sockaddr_in *)&where)->sin_port);
    return NULL;
}
