/* placement.c: what differs between a process on this machine and one on another host. */
#include "train/job/placement.h"

#include <stddef.h>

void tri__placement_add(const tri__placement *placement, const char *host, tri__command_line *line)
{
    if (!placement)
        return;
    tri__command_line_add_all(line, placement->reach);
    tri__command_line_add(line, host);
}

tri_status tri__placement_listen(const tri__placement *placement, tri__address *address, int *fd)
{
    return placement ? placement->listen(placement->context, address, fd) : tri__address_listen(address, fd, &address->port);
}
