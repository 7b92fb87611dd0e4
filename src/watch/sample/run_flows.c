/* run_flows.c: flows are collected from both ends, sorted by their ends and joined, then sorted by their bytes. */
#include "watch/sample/run_flows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/text/task.h"
#include "base/text/text.h"

/* ---- collecting ---- */

static tri_status add(tri__run_flows *flows, const char *from, const char *to, double bytes)
{
    if (!(bytes > 0))
        return NULL;
    TRI_TRY(tri__grow(&flows->flow, &flows->room, flows->count + 1, sizeof *flows->flow, "the traffic between tasks"));
    tri__run_flow *flow = &flows->flow[flows->count++];
    *flow = (tri__run_flow){.bytes = bytes};
    snprintf(flow->from, sizeof flow->from, "%s", from);
    snprintf(flow->to, sizeof flow->to, "%s", to);
    return NULL;
}

tri_status tri__run_flows_add(tri__run_flows *flows, const char *task, const tri__peer_sum *peers, int count, double scale)
{
    for (int i = 0; i < count; i++) {
        TRI_TRY(add(flows, task, peers[i].name, scale * peers[i].sent));
        TRI_TRY(add(flows, peers[i].name, task, scale * peers[i].received));
    }
    return NULL;
}

tri_status tri__run_flows_add_summary(tri__run_flows *flows, const json_t *summary)
{
    const json_t *stats, *peer;
    size_t index, number;
    json_array_foreach(json_object_get(summary, "task_stats"), index, stats)
    {
        const char *task = json_string_value(json_object_get(stats, "task"));
        json_array_foreach(json_object_get(stats, "peers"), number, peer)
        {
            const char *name = json_string_value(json_object_get(peer, "peer"));
            if (!task || !name)
                continue;
            TRI_TRY(add(flows, task, name, tri__json_number_of(peer, "bytes_sent")));
            TRI_TRY(add(flows, name, task, tri__json_number_of(peer, "bytes_received")));
        }
    }
    return NULL;
}

static int by_ends(const void *a, const void *b)
{
    const tri__run_flow *x = a, *y = b;
    const int order = tri__task_name_order(x->from, y->from);
    return order ? order : tri__task_name_order(x->to, y->to);
}

static int by_bytes(const void *a, const void *b)
{
    const tri__run_flow *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : by_ends(a, b);
}

/* Two ends that sample at different moments count a little more or less: the larger number is shown. */
static void join(tri__run_flows *flows)
{
    int kept = 0;
    for (int i = 0; i < flows->count; i++) {
        tri__run_flow *last = kept > 0 ? &flows->flow[kept - 1] : NULL;
        if (last && !strcmp(last->from, flows->flow[i].from) && !strcmp(last->to, flows->flow[i].to))
            last->bytes = fmax(last->bytes, flows->flow[i].bytes);
        else
            flows->flow[kept++] = flows->flow[i];
    }
    flows->count = kept;
}

void tri__run_flows_order(tri__run_flows *flows)
{
    if (flows->count == 0)
        return;
    qsort(flows->flow, (size_t)flows->count, sizeof *flows->flow, by_ends);
    join(flows);
    qsort(flows->flow, (size_t)flows->count, sizeof *flows->flow, by_bytes);
}

void tri__run_flows_fini(tri__run_flows *flows)
{
    free(flows->flow);
    *flows = (tri__run_flows){0};
}

/* ---- a line ---- */

enum { ONE = 3 * TRI_TRAFFIC_NAME };

const char *tri__run_flows_line(const tri__run_flows *flows, const char *title, int columns, char *buffer, size_t size)
{
    tri__text text;
    size_t used = strlen(title);
    tri__text_init(&text, buffer, size);
    for (int i = 0; i < flows->count; i++) {
        char one[ONE], bytes[TRI_TEXT_SHORT];
        const tri__run_flow *flow = &flows->flow[i];
        const int length =
            snprintf(one, sizeof one, "%s %s to %s %s", i > 0 ? "," : ":", flow->from, flow->to, tri__text_brief(bytes, flow->bytes));
        used += (size_t)length;
        if (used > (size_t)columns || used >= size)
            break;
        tri__text_add(&text, "%s%s", i > 0 ? "" : title, one);
    }
    return buffer;
}
