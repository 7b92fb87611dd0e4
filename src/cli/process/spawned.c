/* spawned.c: sends reports to the supervisor, and has a thread that notices when the supervisor is gone. */
#include "cli/process/spawned.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "cli/process/signals.h"
#include "train/job/process_report.h"
#include "watch/progress/progress_json.h"

enum { GRACE = 10 };       /* seconds in which to end in good order */
#define READING TRI_SECOND /* time in which a running supervisor reads the result */

/* A supervisor on another host sends signals as bytes. End of file means that the supervisor is gone; a failed read does not. */
static void *wait_for_end(void *argument)
{
    int fd = (int)(intptr_t)argument;
    unsigned char signal;
    ssize_t got;
    while ((got = read(fd, &signal, 1)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            kill(getpid(), signal);
    if (got < 0)
        return NULL;
    kill(getpid(), SIGTERM);
    sleep(GRACE);
    _exit(1);
}

tri_status tri__spawned_watch(int fd)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, wait_for_end, (void *)(intptr_t)fd);
    if (error)
        return tri_fail(TRI_NO_MEMORY, "no thread to watch the supervisor: %s", strerror(error));
    pthread_detach(thread);
    return NULL;
}

static tri_status report(tri__session *session, tri__report_kind kind, json_t *value)
{
    tri_status status = tri__session_print_json(session, tri__process_report_make(kind, value));
    fflush(session->out);
    return status;
}

void tri__spawned_started(tri__session *session)
{
    tri_status_free(report(session, TRI_REPORT_STARTED, json_true()));
}

void tri__spawned_began(tri__session *session)
{
    tri_status_free(report(session, TRI_REPORT_BEGAN, json_true()));
}

void tri__spawned_progress(tri__session *session, const tri__progress *progress)
{
    if (session->relay && tri__relay_is_behind(session->relay))
        return;
    tri_status_free(
        report(session, TRI_REPORT_PROGRESS, tri__progress_json(progress))); /* a lost report does not matter: the next one follows soon */
}

tri_status tri__spawned_result(tri__session *session, const tri__run_result *result)
{
    return report(session, TRI_REPORT_RESULT,
                  json_pack("{s:O, s:s, s:i}", "summary", result->summary, "table", result->table, "exit_status", tri__signals_status()));
}

/* A supervisor that is stopped (Ctrl-Z) reads nothing. We do not wait for it: it reads the result when it continues. */
tri_status tri__spawned_conclude(tri__session *session, const tri__run_result *result)
{
    TRI_TRY(tri__spawned_result(session, result));
    if (session->relay)
        tri__relay_drain_until(session->relay, tri__clock_now() + READING);
    return NULL;
}

void tri__spawned_failure(tri__session *session, tri_status failure)
{
    const tri__report_kind kind = tri_status_code(failure) == TRI_BAD_DATA ? TRI_REPORT_DAMAGE : TRI_REPORT_FAILURE;
    tri_status unsaid = report(session, kind, json_string(tri_status_message(failure)));
    session->told = !unsaid;
    tri_status_free(unsaid);
}

tri_status tri__spawned_leave_to_rank_0(tri__session *session, tri_status failure)
{
    session->told = true;
    tri_status_free(failure);
    return NULL;
}

void tri__spawned_drain(tri__session *session)
{
    fflush(session->terminal.file);
    if (session->relay)
        tri__relay_drain(session->relay);
}
