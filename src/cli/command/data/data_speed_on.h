/* data_speed_on.h: data speed --on: each host reads its part of every combination. */
#ifndef TRI_CLI_COMMAND_DATA_DATA_SPEED_ON_H
#define TRI_CLI_COMMAND_DATA_DATA_SPEED_ON_H

#include "cli/command/data/data_spread.h"
#include "lab/speed/speed.h"

/* What a host did in all measurements. */
typedef struct {
    int64_t items;
    double seconds, cpu_seconds;
} tri__speed_host;

typedef struct {
    tri__data_spread on;
    const tri__arguments *arguments;
    int64_t repeat;
    tri__speed_host host[TRI_MOST_HOSTS];
} tri__speed_on;

/* Sets request->measure. *out points into itself: it must not move as long as request is used. */
TRI_MUST_CHECK tri_status tri__speed_on_open(tri__session *session, const tri__arguments *arguments, tri__speed_request *request,
                                             tri__speed_on *out);
json_t *tri__speed_on_json(const tri__speed_on *on); /* [{"host", "items", "seconds", "items_per_second", "cpu_percent"}] */

#endif
