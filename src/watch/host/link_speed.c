/* link_speed.c: asks the kernel over a netlink socket for the interface's queueing disciplines, and reads /sys for the driver's speed. */
#include "watch/host/link_speed.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER = 1 << 15 };

typedef struct {
    struct nlmsghdr head;
    struct tcmsg what;
} request;

static bool ask(int fd, int interface)
{
    const request all = {.head = {.nlmsg_len = sizeof all, .nlmsg_type = RTM_GETQDISC, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                         .what = {.tcm_family = AF_UNSPEC, .tcm_ifindex = interface}};
    return send(fd, &all, sizeof all, 0) == sizeof all;
}

/* The attribute of this type among those at `first`; NULL if there is none. */
static const struct rtattr *find(const struct rtattr *first, size_t left, int type)
{
    for (const struct rtattr *at = first; RTA_OK(at, left); at = RTA_NEXT(at, left))
        if ((at->rta_type & NLA_TYPE_MASK) == type)
            return at;
    return NULL;
}

static double bucket_rate(const struct nlmsghdr *message)
{
    const struct tcmsg *about = NLMSG_DATA(message);
    const size_t left = message->nlmsg_len - NLMSG_LENGTH(sizeof *about);
    const struct rtattr *first = (const struct rtattr *)((const char *)about + NLMSG_ALIGN(sizeof *about));
    const struct rtattr *kind = find(first, left, TCA_KIND), *options = find(first, left, TCA_OPTIONS);
    if (!kind || !options || strcmp(RTA_DATA(kind), "tbf") != 0)
        return 0;
    const struct rtattr *wide = find(RTA_DATA(options), RTA_PAYLOAD(options), TCA_TBF_RATE64);
    const struct rtattr *plain = find(RTA_DATA(options), RTA_PAYLOAD(options), TCA_TBF_PARMS);
    uint64_t rate = 0;
    struct tc_tbf_qopt bucket;
    if (wide && RTA_PAYLOAD(wide) >= sizeof rate)
        memcpy(&rate, RTA_DATA(wide), sizeof rate);
    else if (plain && RTA_PAYLOAD(plain) >= sizeof bucket) {
        memcpy(&bucket, RTA_DATA(plain), sizeof bucket);
        rate = bucket.rate.rate;
    }
    return (double)rate;
}

/* Read all answers. Returns the rate of the interface's token bucket filter, or 0 if it has none. */
static double read_answers(int fd, int interface)
{
    union {
        struct nlmsghdr head; /* for its alignment */
        char bytes[ANSWER];
    } answer;
    double rate = 0;
    for (;;) {
        ssize_t size = recv(fd, answer.bytes, sizeof answer.bytes, 0);
        if (size <= 0)
            return rate;
        size_t left = (size_t)size;
        for (const struct nlmsghdr *at = &answer.head; NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
            if (at->nlmsg_type == NLMSG_DONE || at->nlmsg_type == NLMSG_ERROR)
                return rate;
            const struct tcmsg *about = NLMSG_DATA(at);
            if (at->nlmsg_type == RTM_NEWQDISC && about->tcm_ifindex == interface && !(rate > 0))
                rate = bucket_rate(at);
        }
    }
}

static double shaped_rate(const char *name)
{
    const int interface = (int)if_nametoindex(name), fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    const struct timeval patience = {.tv_sec = 1};
    double rate = 0;
    if (fd >= 0 && interface > 0 && !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) && ask(fd, interface))
        rate = read_answers(fd, interface);
    if (fd >= 0)
        close(fd);
    return rate;
}

static double driver_speed(const char *name)
{
    char path[64];
    double megabits = 0;
    snprintf(path, sizeof path, "/sys/class/net/%.15s/speed", name);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%lf", &megabits) < 1)
        megabits = 0;
    if (file)
        fclose(file);
    return megabits > 0 ? megabits * 1e6 / 8 : 0; /* the driver gives −1 if it does not know */
}

double tri__link_speed(const char *name)
{
    const double rate = shaped_rate(name);
    return rate > 0 ? rate : driver_speed(name);
}
