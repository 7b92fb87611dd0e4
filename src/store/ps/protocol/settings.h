/* settings.h: the settings that parameter servers and their workers share. */
#ifndef TRI_STORE_PS_PROTOCOL_SETTINGS_H
#define TRI_STORE_PS_PROTOCOL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

/* No job has steps or positions beyond this. Larger numbers are refused wherever they come from, so that sums cannot overflow. */
#define TRI_FURTHEST (INT64_MAX / 4)

/* Nanoseconds for which a thread that waits for a message spins before it sleeps: about as long as waking up takes. */
#define TRI_PS_PATIENCE INT64_C(100000)

typedef enum {
    TRI_PS_ASYNC,     /* a gradient is applied when it arrives */
    TRI_PS_SYNC,      /* a step is the mean, or the sum, of all workers' gradients */
    TRI_PS_STALENESS, /* as async, but nobody runs more than `staleness` steps ahead of the slowest */
} tri__ps_mode;

const char *tri__ps_mode_name(tri__ps_mode mode); /* "async", as summary.json spells it */

typedef struct {
    tri__ps_mode mode;
    int workers, servers;
    int staleness;              /* at least 1 in TRI_PS_STALENESS */
    bool fixed_parts;           /* async, staleness: every worker has its own steps (tokens.h), however fast it is */
    int backup;                 /* sync: how many of the workers a step does not wait for */
    bool sum;                   /* sync: divide by one worker's weight, not by that of all */
    bool half_rows;             /* rows of tables travel as 16 bits a number */
    bool dense_rows;            /* all rows of tables travel, not only those that a batch names */
    int replicas;               /* 2: the range of every server lives on two; 0, 1: on one */
    bool log_updates;           /* async, staleness: servers log which worker made each update, at TRI_LOG_DEBUG */
    int64_t timeout, heartbeat; /* nanoseconds. Connections have twice the timeout: a peer that waits for a straggler is not lost */
} tri__ps_settings;

enum { TRI_PS_WORDS = 160, TRI_TERMS = 1024 }; /* bytes of texts that tasks compare; TRI_TERMS: of the terms of workers */

/* What all servers and workers must agree on, in words: "--sync --backup 1 and 2 servers". */
void tri__ps_settings_words(const tri__ps_settings *settings, char text[TRI_PS_WORDS]);

/* TRI_BAD_CALL where a task ("worker:1") was started with other words than the job; NULL: with none. The message has both. */
TRI_MUST_CHECK tri_status tri__ps_settings_agree(const tri__ps_settings *job, const char *task, const char *theirs);

bool tri__ps_is_replicated(const tri__ps_settings *settings, int server); /* that server's range lives on two */

/* The server whose process runs the second server of that server's range: ps:1 for ps:0. For another server it is not ps:0, if there is a
 * third server. */
int tri__ps_second_host(const tri__ps_settings *settings, int server);

/* The server whose process that is: ps:server itself or, where `second`, the one that runs the second server of its range. */
int tri__ps_process(const tri__ps_settings *settings, int server, bool second);

#endif
