/* run_flows.h: how many bytes went from which task of a run to which, from what tasks counted by peer (peers.h). */
#ifndef TRI_WATCH_SAMPLE_RUN_FLOWS_H
#define TRI_WATCH_SAMPLE_RUN_FLOWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/file/json.h"
#include "trireme/status.h"
#include "watch/sample/peers.h"

typedef struct {
    char from[TRI_TRAFFIC_NAME], to[TRI_TRAFFIC_NAME];
    double bytes; /* a second, as long as the run goes on; in all when it has ended */
} tri__run_flow;

/* {0} is a list without any. */
typedef struct {
    tri__run_flow *flow; /* the most bytes first, after tri__run_flows_order */
    int count;
    int64_t room;
} tri__run_flows;

/* Add what a task exchanged with its peers, times scale. Both ends of a flow may have counted it. */
TRI_MUST_CHECK tri_status tri__run_flows_add(tri__run_flows *flows, const char *task, const tri__peer_sum *peers, int count, double scale);

/* Add what summary.json says of the tasks of a run that has ended. */
TRI_MUST_CHECK tri_status tri__run_flows_add_summary(tri__run_flows *flows, const json_t *summary);

/* Join what both ends counted, and sort. */
void tri__run_flows_order(tri__run_flows *flows);
void tri__run_flows_fini(tri__run_flows *flows);

/* The flows with the most bytes, as many as fit into a line of this many columns; "" where none do. Returns buffer. */
const char *tri__run_flows_line(const tri__run_flows *flows, const char *title, int columns, char *buffer, size_t size);

#endif
