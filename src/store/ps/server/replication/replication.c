/* replication.c: whether this server is the primary or the standby, and what ps:0 says about that. */
#include "store/ps/server/replication/replication.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/ps/server/peer.h"
#include "store/ps/server/replication/primary.h"
#include "store/ps/server/replication/standby.h"

const char *tri__range_server_name(bool is_second, int server, char text[TRI_RANGE_SERVER_NAME])
{
    snprintf(text, TRI_RANGE_SERVER_NAME, is_second ? "the second server of ps:%d" : "ps:%d", server);
    return text;
}

bool tri__replication_is_standby(const tri__server *server)
{
    return server->replication.state >= TRI_REPLICATION_STANDBY;
}

int tri__replication_other_process(const tri__server *server)
{
    return tri__ps_process(&server->options.settings, server->options.index, !server->options.second);
}

bool tri__replication_is_open(const tri__replication *replication)
{
    return replication->state >= TRI_REPLICATION_FILLING && replication->state <= TRI_REPLICATION_PAIRED;
}

void tri__replication_forget_states(tri__replication *replication)
{
    for (int i = 0; i < 2; i++) {
        json_decref(replication->states[i]);
        replication->states[i] = NULL;
    }
}

void tri__replication_fini(tri__server *server)
{
    free(server->replication.owed);
    free(server->replication.body);
    tri__row_list_fini(&server->replication.rows);
    tri__replication_forget_states(&server->replication);
}

void tri__replication_hang_up(tri__replication *replication)
{
    if (replication->stream)
        tri__peer_replaced(replication->stream);
    replication->stream = NULL;
    if (replication->state == TRI_REPLICATION_FILLING)
        replication->state = TRI_REPLICATION_REACHING;
    if (replication->state == TRI_REPLICATION_WHOLE)
        replication->state = TRI_REPLICATION_STANDBY;
    replication->filled = 0;
    replication->filled_rows = 0;
    replication->sent = replication->had = 0;
}

void tri__replication_stop(tri__server *server)
{
    tri__replication *replication = &server->replication;
    replication->first = replication->count = 0;
    if (!tri__replication_is_standby(server))
        tri__primary_lead_alone(server);
}

void tri__replication_welcomed(tri__server *server, bool leads, uint32_t pair)
{
    tri__replication *replication = &server->replication;
    if (!leads) {
        tri__standby_become(server, pair);
        return;
    }
    replication->pair = pair;
    tri__primary_lead_alone(server);
}

void tri__replication_closed(tri__peer *peer)
{
    tri__server *server = peer->server;
    if (server->replication.stream != peer)
        return;
    server->replication.stream = NULL;        /* it is closing already */
    if (!tri__replication_is_standby(server)) /* a standby keeps what it has: it may become the primary */
        tri__primary_stream_closed(server);
}

tri_status tri__replication_message(tri__peer *peer, const tri__message *message, const json_t *body)
{
    if (peer->server->replication.stream != peer)
        return NULL; /* it is being closed */
    return tri__replication_is_standby(peer->server) ? tri__standby_hear(peer, message, body) : tri__primary_hear(peer->server, message);
}

/* ---- what ps:0 says ---- */

void tri__replication_reach(tri__server *server, const char *host, uint16_t port, uint32_t pair)
{
    tri__replication *replication = &server->replication;
    tri__primary_lead_alone(server);
    snprintf(replication->host, sizeof replication->host, "%s", host);
    replication->standby = (tri__address){.host = replication->host, .port = port};
    replication->pair = pair;
    replication->attempt = 0;
    replication->state = TRI_REPLICATION_REACHING;
    tri__primary_tick(server);
}

static tri_status take_pair(tri__server *server, const json_t *body)
{
    tri__replication *replication = &server->replication;
    const char *host = json_string_value(json_object_get(body, "host"));
    int64_t port = tri__json_integer_of(body, "port", 0);
    uint32_t pair = (uint32_t)tri__json_integer_of(body, "pair", 0);
    if (tri__replication_is_standby(server)) {
        if (replication->pair != pair) /* if they are equal, its primary has connected already */
            tri__replication_hang_up(replication);
        replication->pair = pair;
        return NULL;
    }
    if (!host || strlen(host) >= sizeof replication->host || port < 1 || port > UINT16_MAX)
        return tri_fail(TRI_BAD_DATA, "a standby without an address");
    tri__replication_reach(server, host, (uint16_t)port, pair);
    return NULL;
}

tri_status tri__replication_told(tri__server *server, const tri__message *message, const json_t *body)
{
    tri__replication *replication = &server->replication;
    if (message->type == TRI_MSG_PAIR)
        return take_pair(server, body);
    if (message->type == TRI_MSG_PROMOTE)
        return tri__standby_promote(server, message->pair);
    if (!tri__replication_is_standby(server) && message->pair == replication->pair)
        tri__primary_lead_alone(server);
    return NULL;
}
