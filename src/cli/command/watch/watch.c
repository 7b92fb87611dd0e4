/* watch.c: trireme watch: prints a line each second about this host, or a table of a run's tasks, which is redrawn. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/duration.h"
#include "base/text/text.h"
#include "base/thread/clock.h"
#include "cli/command/watch/watch.h"
#include "cli/process/session.h"
#include "cli/process/signals.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "train/folder/folder_lock.h"
#include "watch/sample/run_files.h"
#include "watch/sample/run_view.h"
#include "watch/sample/sample.h"

enum {
    HEADER_EVERY = 20,
    LINE = 256,
    MARKS = 5,          /* how many are shown */
    MARK_TEXT = 10,     /* where the text of a mark begins, after its time */
    AFTER_SUMMARY = 10, /* seconds that tasks need to end */
};

typedef struct {
    tri__session *session;
    int64_t every, count; /* count 0: until Ctrl-C */
    int drawn;            /* lines of the table that is on the terminal */
    int marks;            /* how many marks earlier JSON objects had */
    double late;          /* seconds to wait after each multiple of the pace: a run's samples are taken at the multiples */
    const volatile sig_atomic_t *stop;
} watch;

/* Sleep until the next multiple of the pace, or `late` seconds later; false where a signal came. */
static bool wait_for_next(const watch *w)
{
    const double pace = (double)w->every * 1e-9, left = pace - fmod(tri__clock_wall() - w->late, pace);
    struct timespec time = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - floor(left)) * 1e9)};
    while (!*w->stop && nanosleep(&time, &time) && errno == EINTR)
        ;
    return !*w->stop;
}

/* ---- this host ---- */

/* 80 columns at most: the narrowest terminal that people use. */
static void print_host_header(FILE *out)
{
    fputs("              cpu %           memory             disk/s   network/s     system/s\n"
          "time     usr sys idl wai  used cache  free   read  writ  recv  send    int   csw\n",
          out);
}

static void print_host_line(FILE *out, const tri__host_sample *host)
{
    char used[TRI_TEXT_SHORT], cached[TRI_TEXT_SHORT], free[TRI_TEXT_SHORT], read[TRI_TEXT_SHORT], written[TRI_TEXT_SHORT],
        received[TRI_TEXT_SHORT], sent[TRI_TEXT_SHORT], interrupts[TRI_TEXT_SHORT], switches[TRI_TEXT_SHORT], when[16];
    time_t wall = (time_t)host->wall;
    struct tm parts;
    strftime(when, sizeof when, "%H:%M:%S", localtime_r(&wall, &parts));
    fprintf(out, "%s %3.0f %3.0f %3.0f %3.0f %5s %5s %5s  %5s %5s %5s %5s  %5s %5s\n", when, host->user, host->system + host->steal,
            host->idle, host->wait, tri__text_brief(used, host->used), tri__text_brief(cached, host->cached + host->buffers),
            tri__text_brief(free, host->free), tri__text_brief(read, host->read), tri__text_brief(written, host->written),
            tri__text_brief(received, host->received), tri__text_brief(sent, host->sent), tri__text_brief(interrupts, host->interrupts),
            tri__text_brief(switches, host->switches));
}

static json_t *host_json(const tri__host_sample *host)
{
    json_t *cores = json_array(), *links = json_object();
    for (int i = 0; i < host->cores; i++)
        json_array_append_new(cores, json_real(host->core[i]));
    for (int i = 0; i < host->links; i++)
        json_object_set_new(links, host->link[i].name,
                            json_pack("{s:f, s:f, s:o}", "received", host->link[i].received, "sent", host->link[i].sent, "most",
                                      host->link[i].most > 0 ? json_real(host->link[i].most) : json_null()));
    return json_pack(
        "{s:I, s:{s:f, s:f, s:f, s:f, s:f}, s:o, s:{s:f, s:f, s:f, s:f}, s:{s:f, s:f, s:f, s:f}, s:{s:f, s:f}, s:o, s:{s:f, s:f}}",
        "time_ms", (json_int_t)(host->wall * 1e3), "cpu_percent", "user", host->user, "system", host->system, "idle", host->idle, "wait",
        host->wait, "steal", host->steal, "core_percent", cores, "memory", "used", host->used, "free", host->free, "buffers", host->buffers,
        "cached", host->cached, "disk", "read", host->read, "written", host->written, "reads", host->reads, "writes", host->writes,
        "network", "received", host->received, "sent", host->sent, "interfaces", links, "system", "interrupts", host->interrupts,
        "switches", host->switches);
}

static tri_status tell_host(const watch *w, int64_t number, const tri__sample *sample, FILE *csv)
{
    if (csv) {
        tri__sample_line(csv, sample, false);
        fflush(csv);
    }
    if (w->session->json) {
        TRI_TRY(tri__session_print_json(w->session, host_json(&sample->host)));
    } else if (!w->session->quiet) {
        if (number % HEADER_EVERY == 0)
            print_host_header(w->session->out);
        print_host_line(w->session->out, &sample->host);
    }
    return NULL;
}

static tri_status watch_host(const watch *w, tri__host *host, FILE *csv)
{
    for (int64_t number = 0; (w->count == 0 || number < w->count) && wait_for_next(w); number++) {
        tri__sample sample;
        TRI_TRY(tri__host_take(host, &sample.host));
        TRI_TRY(tell_host(w, number, &sample, csv));
        TRI_TRY(tri__session_flush(w->session));
    }
    return NULL;
}

/* The command line as it was typed, for the header of the file. */
static const char *typed(const tri__session *session, char *buffer, size_t size)
{
    tri__text text;
    tri__text_init(&text, buffer, size);
    for (int i = 0; i < session->argc; i++)
        tri__text_add(&text, "%s%s", i > 0 ? " " : "", i > 0 ? session->argv[i] : "trireme");
    return buffer;
}

static tri_status watch_this_host(const watch *w, const char *path)
{
    FILE *csv = NULL;
    char command[1024];
    tri__host *host;
    if (path && tri__file_exists(path))
        return tri_fail(TRI_BAD_CALL, "--csv %s: is there already; give a new name", path);
    TRI_TRY(tri__host_open(&host));
    if (path && !(csv = fopen(path, "wxe"))) {
        tri__host_close(host);
        return tri_fail(TRI_IO, "--csv %s: cannot write: %s%s", path, strerror(errno), tri__path_advice(errno));
    }
    if (csv)
        tri__sample_header(csv, host, false, w->every, typed(w->session, command, sizeof command));
    tri_status status = watch_host(w, host, csv);
    if (csv && fclose(csv) && !status)
        status = tri_fail(TRI_IO, "--csv %s: cannot write: %s%s", path, strerror(errno), tri__path_advice(errno));
    tri__host_close(host);
    return status;
}

/* ---- a run ---- */

static json_t *row_json(const tri__run_row *row)
{
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "task", row->task, "state",
                     tri__task_state_name(row->state), "time_ms", (json_int_t)(row->wall * 1e3), "step", tri__json_number(row->step),
                     "examples", tri__json_number(row->examples), "examples_per_second", tri__json_number(row->speed), "loss",
                     tri__json_number(row->loss), "cpu_percent", tri__json_number(row->cpu), "rss_mb",
                     tri__json_number(row->resident / 1e6), "sent_per_second", tri__json_number(row->sent), "received_per_second",
                     tri__json_number(row->received), "phases", tri__phases_json(row->share));
}

static json_t *mark_json(const tri__mark *mark)
{
    return json_pack("{s:I, s:s, s:s, s:o, s:f, s:s}", "time_ms", (json_int_t)(mark->wall * 1e3), "kind", tri__mark_kind_name(mark->kind),
                     "task", mark->task, "step", mark->step >= 0 ? json_integer(mark->step) : json_null(), "seconds", mark->seconds, "note",
                     mark->note);
}

/* Bytes: a second, or in all when the run has ended. */
static json_t *flows_json(const tri__run_flows *flows)
{
    json_t *all = json_array();
    for (int i = 0; i < flows->count; i++)
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:f}", "from", flows->flow[i].from, "to", flows->flow[i].to, "bytes", flows->flow[i].bytes));
    return all;
}

/* The present tasks, and the marks that no earlier object had. */
static json_t *run_json(watch *w, const tri__run_view *view, const char *verdict)
{
    json_t *rows = json_array(), *marks = json_array();
    for (int i = 0; i < view->count; i++)
        json_array_append_new(rows, row_json(&view->row[i]));
    for (; w->marks < view->marks; w->marks++)
        json_array_append_new(marks, mark_json(&view->mark[w->marks]));
    return json_pack("{s:b, s:o, s:o, s:o, s:s?}", "running", view->running, "tasks", rows, "flows", flows_json(&view->flows), "marks",
                     marks, "verdict", verdict);
}

/* Print the text, on a terminal no wider than that, on as many lines as it takes; further lines are indented. Returns their number. */
static int print_wrapped(FILE *out, const char *text, int columns)
{
    const int width = columns > 2 * MARK_TEXT ? columns : 2 * MARK_TEXT;
    int lines = 1;
    for (int indent = 0; (int)strlen(text) + indent > width; indent = MARK_TEXT, lines++) {
        int end = width - indent;
        while (end > MARK_TEXT && text[end] != ' ')
            end--;
        if (text[end] != ' ') /* one long word */
            end = width - indent;
        fprintf(out, "%*s%.*s\n", indent, "", end, text);
        text += end + (text[end] == ' ');
    }
    fprintf(out, "%*s%s\n", lines > 1 ? MARK_TEXT : 0, "", text);
    return lines;
}

/* Print the table, on a terminal no wider than that: a line that wraps would count as two when the table is redrawn. Returns the number
 * of lines. */
static int print_rows(FILE *out, const tri__run_view *view, int columns)
{
    char line[LINE];
    fprintf(out, "%.*s\n", columns, tri__run_view_header(columns, line, sizeof line));
    for (int i = 0; i < view->count; i++)
        fprintf(out, "%.*s\n", columns, tri__run_view_line(&view->row[i], columns, line, sizeof line));
    const bool legend = *tri__run_view_legend(columns, line, sizeof line);
    if (legend)
        fprintf(out, "%.*s\n", columns, line);
    const bool flows = *tri__run_view_flows(view, columns, line, sizeof line);
    if (flows)
        fprintf(out, "%s\n", line);
    int lines = 1 + view->count + legend + flows;
    for (int i = view->marks > MARKS ? view->marks - MARKS : 0; i < view->marks; i++)
        lines += print_wrapped(out, tri__mark_line(&view->mark[i], line, sizeof line), columns);
    return lines;
}

/* On a terminal a long sentence is wrapped between words. */
static void print_verdict(const tri__page *page, const char *verdict)
{
    static const char title[] = "verdict: ";
    fputs(title, page->out);
    if (page->terminal)
        tri__page_wrap(page, verdict, (int)strlen(title), (int)strlen(title));
    else
        fprintf(page->out, "%s\n", verdict);
}

/* summary: of a run that has ended; NULL: it goes on, or has none. */
static tri_status tell_run(watch *w, const tri__run_view *view, const json_t *summary)
{
    const char *verdict = json_string_value(json_object_get(summary, "verdict"));
    tri__session *session = w->session;
    const tri__page page = tri__session_page(session);
    if (session->json) {
        return tri__session_print_json(session, run_json(w, view, verdict));
    }
    if (w->drawn > 0 && page.terminal) /* replace the last table: go up, and clear to the end of the screen */
        fprintf(session->out, "\033[%dA\033[J", w->drawn);
    w->drawn = print_rows(session->out, view, page.terminal ? page.width : LINE);
    if (summary)
        fputs("The run has ended: the table has its means, and the most memory.\n", session->out);
    if (verdict)
        print_verdict(&page, verdict);
    return NULL;
}

bool tri__watch_run_has_ended(const char *path, const tri__run_view *view)
{
    char *summary = tri__path_join(path, TRI_RUN_SUMMARY);
    struct stat about = {0};
    bool ended = summary && !tri__folder_lock_is_held(path) && !stat(summary, &about);
    for (int i = 0; i < view->count; i++)
        ended &= (double)about.st_mtim.tv_sec + AFTER_SUMMARY > view->row[i].wall;
    free(summary);
    return ended;
}

/* The summary of a run that has ended; NULL if it has none that can be read. */
static json_t *read_summary(const char *folder)
{
    char *path = tri__path_join(folder, TRI_RUN_SUMMARY);
    json_t *summary = NULL;
    tri_status_free(path ? tri__json_read(path, &summary) : NULL);
    free(path);
    return summary;
}

static tri_status watch_run(watch *w, const char *path)
{
    bool running = true;
    for (int64_t number = 0; running && (w->count == 0 || number < w->count); number++) {
        tri__run_view view;
        TRI_TRY(tri__run_view_read(path, &view));
        if (tri__watch_run_has_ended(path, &view))
            tri__run_view_end(&view);
        running = view.running;
        json_t *summary = running ? NULL : read_summary(path);
        tri_status status = summary ? tri__run_view_sum_up(&view, summary) : NULL;
        if (!status)
            status = tell_run(w, &view, summary);
        json_decref(summary);
        tri__run_view_fini(&view);
        TRI_TRY(status);
        TRI_TRY(tri__session_flush(w->session));
        if (running && (w->count == 0 || number + 1 < w->count) && !wait_for_next(w))
            break;
    }
    return NULL;
}

static tri_status run_watch(tri__session *session, const tri__arguments *arguments)
{
    const char *every = tri__argument_text(arguments, "every"), *csv = tri__argument_text(arguments, "csv");
    watch w = {.session = session, .count = tri__argument_integer(arguments, "count"), .stop = tri__signals_catch(1)};
    if (!tri__duration_parse(every, &w.every) || w.every < 10 * TRI_MILLISECOND)
        return tri_fail(TRI_BAD_CALL, "--every %s: should be a time such as 1s or 500ms, at least 10ms", every);
    TRI_TRY(tri__watch_check_probe(arguments));
    if (tri__argument_given(arguments, "probe"))
        return tri__watch_probe(session, arguments, w.stop);
    if (tri__argument_given(arguments, "answer"))
        return tri__watch_answer(session, arguments, w.stop);
    TRI_TRY(tri__watch_check_web(arguments));
    if (arguments->count == 0)
        return watch_this_host(&w, csv);
    if (csv)
        return tri_fail(TRI_BAD_CALL, "--csv: belongs to samples of this host; those of a run are in %s/samples already",
                        arguments->operands[0]);
    if (tri__argument_given(arguments, "web"))
        return tri__watch_web(session, arguments, w.every, w.stop);
    w.late = fmin(0.2, (double)w.every * 1e-9 / 2);
    return watch_run(&w, arguments->operands[0]);
}

static const tri__option watch_options[] = {
    {.name = "every",
     .argument = "TIME",
     .kind = TRI_OPTION_TEXT,
     .group = "Samples",
     .standard = "1s",
     .meaning = "time between two of them"},
    {.name = "count",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .otherwise = "until Ctrl-C, or the end of the run",
     .meaning = "end after N of them"},
    {.name = "csv",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "also write them to a new file, in the layout of dstat's CSV"},
    {.name = "web",
     .argument = "[PORT]",
     .kind = TRI_OPTION_INTEGER,
     .most = 65535,
     .implied = "0",
     .group = "Live page of a run",
     .meaning = "serve it to browsers, until Ctrl-C; a free port where none is given",
     .detail =
         "The page shows curves, tasks, hosts, phases, the verdict and the graph, of a run that goes on or has ended; /metrics is for "
         "Prometheus, /run.json for programs. On loopback only your own programs and root are admitted."},
    {.name = "bind",
     .argument = "ADDRESS",
     .kind = TRI_OPTION_TEXT,
     .standard = "127.0.0.1",
     .meaning = "address of this machine to serve it on; beyond loopback a token is needed",
     .detail = "The address that is printed then carries a token. The traffic is not encrypted: across networks that others can read, "
               "leave the page on loopback and take an SSH tunnel."},
    {.name = "token",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "made anew where one is needed",
     .meaning = "file with the token, also on loopback; other users may read the page with it",
     .completion = "file"},
    {.name = "probe",
     .argument = "HOST:PORT",
     .kind = TRI_OPTION_TEXT,
     .group = "What a link carries",
     .meaning = "measure the link to a host that answers: its rate in both directions, and the round trip"},
    {.name = "answer",
     .argument = "[PORT]",
     .kind = TRI_OPTION_INTEGER,
     .most = 65535,
     .implied = "0",
     .meaning = "answer probes, until Ctrl-C, on --bind; a free port where none is given"},
    {.name = "key",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "the cluster's identity ('trireme keygen'), which both sides show; needed beyond loopback"},
    {.name = "insecure", .meaning = "probe beyond loopback without an identity"},
    {.name = "quiet", .group = "Output", .meaning = "print no table"},
    {.name = "json", .meaning = "print one JSON object a sample"},
    HELP_ROW,
    {0},
};

const tri__command tri__command_watch = {
    .name = "watch",
    .usage = "[RUN] [options]",
    .run = run_watch,
    .most = 1,
    .options = watch_options,
    .meaning = "this host, or the tasks of a run, as they work",
    .detail =
        "Without RUN it prints a line a second about this host: CPU, memory, disks, network. On a virtual host of `cluster` these are "
        "the host's own. With RUN it shows the tasks of a run, live or ended: step, speed, loss, CPU, memory, traffic, and where the "
        "time of the last second went. A worker that lags behind the others is marked slow, a task without samples silent. Of a run "
        "that has ended it shows the means and the verdict. Any terminal that sees the run folder can do so, whoever started the run.",
    .operands = {{"RUN", "a run folder", "folder"}},
    .examples = {{"trireme watch", "as dstat does"},
                 {"trireme watch --every 500ms --csv host.csv", "and keep the samples"},
                 {"trireme watch runs/lenet-2026-11-15-1", "a run from another terminal"},
                 {"trireme watch --probe node2:7000 --key cluster.pem",
                  "a link; node2: trireme watch --answer 7000 --bind 0.0.0.0 --key cluster.pem"}},
};
