/* hosts.c: runs mpirun once for each host, to start `true` there. A host where that fails, or does not end in time, is gone.
 *
 * Of each line, only the first word (the host) and "slots=N" are read. mpirun reads the rest. */
#include "train/ranks/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "train/job/watcher.h"
#include "train/ranks/mpirun.h"

#define CLEARING (10 * TRI_SECOND) /* time that an mpirun which was asked to end has to remove its files */

enum { LARGEST_FILE = 1 << 20, LONGEST_NAME = 256 };

typedef struct {
    const char *line; /* within the file's text; not NUL-terminated */
    int length;
    char name[LONGEST_NAME]; /* empty: the line is a comment, or blank */
    int slots;               /* 0: the line does not say */
    tri__process mpirun;
} host;

typedef struct {
    host *list;
    int count;
    int64_t room;
    tri__watcher watcher;
} roll;

static void read_line(const char *line, int length, host *out)
{
    *out = (host){.line = line, .length = length};
    char text[1024];
    snprintf(text, sizeof text, "%.*s", length, line);
    text[strcspn(text, "#\r")] = 0;
    sscanf(text, " %255s", out->name);
    const char *slots = strstr(text, "slots=");
    while (slots && slots > text && slots[-1] != ' ' && slots[-1] != '\t') /* skip max_slots=N */
        slots = strstr(slots + 1, "slots=");
    out->slots = slots ? atoi(slots + strlen("slots=")) : 0;
}

static tri_status read_lines(const char *text, roll *out)
{
    for (const char *line = text; *line;) {
        int length = (int)strcspn(line, "\n");
        TRI_TRY(tri__grow(&out->list, &out->room, out->count + 1, sizeof *out->list, "a list of hosts"));
        read_line(line, length, &out->list[out->count++]);
        line += length + (line[length] == '\n');
    }
    return NULL;
}

static void on_line(void *context, tri__process *process, bool error, const char *line)
{
    (void)context, (void)process, (void)error, (void)line; /* the mpirun of the ranks has reported it already */
}

static void on_stop_request(void *context, int times)
{
    roll *hosts = context;
    (void)times;
    tri__watcher_hurry(&hosts->watcher);
}

static tri_status call(roll *hosts, const tri__hosts_request *request, host *one)
{
    const char *const words[] = {"-n",
                                 "1",
                                 "--oversubscribe",
                                 "--host",
                                 one->name,
                                 request->as_root ? "--allow-run-as-root" : "true",
                                 request->as_root ? "true" : NULL,
                                 NULL};
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    tri__mpirun_begin(&line, request->job_hosts);
    tri__command_line_add_all(&line, words);
    tri_status status = tri__process_init(&one->mpirun, &hosts->watcher, one->name);
    if (!status)
        status = tri__mpirun_start(&one->mpirun, request->job_hosts, &line);
    tri__command_line_fini(&line);
    return status;
}

static tri_status call_all(const tri__hosts_request *request, roll *hosts)
{
    for (int i = 0; i < hosts->count; i++)
        if (*hosts->list[i].name)
            TRI_TRY(call(hosts, request, &hosts->list[i]));
    return NULL;
}

static void sum_up(const roll *hosts, tri__hosts *out)
{
    size_t at = 0, said = 0;
    bool told = true;
    for (int i = 0; i < hosts->count; i++) {
        const host *one = &hosts->list[i];
        if (*one->name && !tri__process_ended_well(&one->mpirun)) {
            if (said < sizeof out->gone)
                said += (size_t)snprintf(out->gone + said, sizeof out->gone - said, "%s%s", said ? ", " : "", one->name);
            continue;
        }
        memcpy(out->lines + at, one->line, (size_t)one->length);
        at += (size_t)one->length;
        out->lines[at++] = '\n';
        out->left += *one->name != 0;
        out->slots += one->slots;
        told = told && (one->slots > 0 || !*one->name);
    }
    out->lines[at] = 0;
    out->slots = told ? out->slots : 0;
}

static tri_status probe(const tri__hosts_request *request, roll *hosts, tri__hosts *out)
{
    const tri__watcher_options options = {.stop = request->stop, .said = on_line, .asked = on_stop_request, .context = hosts};
    TRI_TRY(tri__watcher_init(&hosts->watcher, &options));
    TRI_TRY(call_all(request, hosts));
    tri__watcher_leave(&hosts->watcher, request->timeout, request->timeout + CLEARING);
    tri__watcher_run(&hosts->watcher);
    if (!hosts->watcher.asked)
        sum_up(hosts, out);
    return NULL;
}

tri_status tri__hosts_probe(const tri__hosts_request *request, tri__hosts *out)
{
    char *text = NULL;
    size_t size;
    roll hosts = {.watcher = {.life = {-1, -1}}};
    *out = (tri__hosts){0};
    TRI_TRY(tri__file_read(request->file, LARGEST_FILE, &text, &size));
    tri_status status = tri__allocate(size + 2, 1, "a list of hosts", &out->lines);
    if (!status)
        status = read_lines(text, &hosts);
    if (!status)
        status = probe(request, &hosts, out);
    for (int i = 0; i < hosts.count; i++)
        tri__process_fini(&hosts.list[i].mpirun);
    tri__watcher_fini(&hosts.watcher);
    free(hosts.list);
    free(text);
    if (status)
        tri__hosts_fini(out);
    return status;
}

void tri__hosts_fini(tri__hosts *hosts)
{
    free(hosts->lines);
    *hosts = (tri__hosts){0};
}
