/* socket_owner.c: asks the kernel's sock_diag who owns the socket with just these two ends. * Only an established connection counts. When a
 * process has closed its end, the kernel reports root as its owner until it forgets the socket, while what the process sent may still be
 * read. */
#include "net/address/socket_owner.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "net/address/address.h"

enum { ESTABLISHED = 1, ANSWER_SIZE = 8192, ALL_STATES = 0xFFF };

typedef struct {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
} question;

static bool is_mapped(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

/* The address as sock_diag wants it, in network order. A mapped IPv4 address belongs to a plain IPv4 socket at the other end. */
static void fill_end(const struct sockaddr_storage *address, __be32 out[4], __be16 *port)
{
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        out[0] = v4->sin_addr.s_addr;
        *port = v4->sin_port;
        return;
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    *port = v6->sin6_port;
    if (is_mapped(address))
        memcpy(out, &v6->sin6_addr.s6_addr[12], sizeof *out);
    else
        memcpy(out, &v6->sin6_addr, sizeof v6->sin6_addr);
}

static question ask(const struct sockaddr_storage *theirs, const struct sockaddr_storage *ours)
{
    question q = {
        .head = {.nlmsg_len = sizeof q, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = is_mapped(theirs) ? AF_INET : (__u8)theirs->ss_family,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = ALL_STATES,
                 .id = {.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
    };
    fill_end(theirs, q.body.id.idiag_src, &q.body.id.idiag_sport);
    fill_end(ours, q.body.id.idiag_dst, &q.body.id.idiag_dport);
    return q;
}

/* The kernel answers before send returns, so that there is nothing to wait for. */
static tri_status read_answer(int fd, struct inet_diag_msg *out)
{
    union {
        struct nlmsghdr head;
        char bytes[ANSWER_SIZE];
    } answer;
    ssize_t size = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
    bool whole = size >= (ssize_t)NLMSG_LENGTH(sizeof *out) && answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY;
    if (whole)
        memcpy(out, NLMSG_DATA(&answer.head), sizeof *out);
    return whole ? NULL : tri_fail(TRI_IO, "the connection has ended already");
}

static tri_status find_socket(const question *q, struct inet_diag_msg *out)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0 || send(fd, q, sizeof *q, 0) < 0) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return tri_fail(TRI_IO, "the kernel does not tell whose connection this is (%s): give --key, as beyond loopback", strerror(error));
    }
    tri_status status = read_answer(fd, out);
    close(fd);
    return status;
}

tri_status tri__socket_owner_check(int fd, const struct sockaddr_storage *peer)
{
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    if (!tri__socket_is_loopback(peer))
        return NULL;
    if (getsockname(fd, (struct sockaddr *)&own, &size))
        return tri_fail(TRI_IO, "the address of a connection cannot be found: %s", strerror(errno));
    const question q = ask(peer, &own);
    struct inet_diag_msg found;
    TRI_TRY(find_socket(&q, &found));
    if (found.idiag_state != ESTABLISHED)
        return tri_fail(TRI_IO, "the connection has ended already");
    if (found.idiag_uid == 0 || found.idiag_uid == geteuid())
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "it belongs to another user of this machine (%u): only the user who started the job can join it, or give all tasks the "
                    "same --key",
                    found.idiag_uid);
}
