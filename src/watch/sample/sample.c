/* sample.c: writes header and lines from one table of columns. */
#include "watch/sample/sample.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/thread/clock.h"

typedef struct {
    const char *group; /* "": the same as that of the column before */
    const char *name;
    size_t offset; /* of a double in tri__sample */
    int digits;    /* after the decimal point */
} column;

#define HOST(member)    offsetof(tri__sample, host.member)
#define PROCESS(member) offsetof(tri__sample, process.member)
#define TASK(member)    offsetof(tri__sample, task.member)

static const column host_columns[] = {
    {"epoch", TRI_COLUMN_EPOCH, HOST(wall), 3},
    {"total cpu usage", TRI_COLUMN_USER, HOST(user), 3},
    {"", TRI_COLUMN_SYSTEM, HOST(system), 3},
    {"", "idl", HOST(idle), 3},
    {"", "wai", HOST(wait), 3},
    {"", TRI_COLUMN_STOLEN, HOST(steal), 3},
    {"memory usage", TRI_COLUMN_USED, HOST(used), 0},
    {"", "free", HOST(free), 0},
    {"", "buff", HOST(buffers), 0},
    {"", "cach", HOST(cached), 0},
    {"dsk/total", TRI_COLUMN_READ, HOST(read), 0},
    {"", TRI_COLUMN_WRITTEN, HOST(written), 0},
    {"io/total", TRI_COLUMN_READ, HOST(reads), 3},
    {"", TRI_COLUMN_WRITTEN, HOST(writes), 3},
    {"net/total", TRI_COLUMN_RECEIVED, HOST(received), 0},
    {"", TRI_COLUMN_SENT, HOST(sent), 0},
    {"system", "int", HOST(interrupts), 0},
    {"", "csw", HOST(switches), 0},
};

static const column task_columns[] = {
    {"sample", TRI_COLUMN_SECONDS, HOST(seconds), 3},
    {"process", TRI_COLUMN_OWN_CPU, PROCESS(cpu), 3},
    {"", TRI_COLUMN_OWN_USED, PROCESS(resident), 0},
    {"", TRI_COLUMN_OWN_READ, PROCESS(read), 0},
    {"", TRI_COLUMN_OWN_WRITTEN, PROCESS(written), 0},
    {"", "process:csw", PROCESS(switches), 0},
    {"training", TRI_COLUMN_STEP, TASK(step), 0},
    {"", TRI_COLUMN_EXAMPLES, TASK(examples), 0},
    {"", TRI_COLUMN_SPEED, TASK(speed), 1},
    {"", TRI_COLUMN_LOSS, TASK(loss), 6},
    {"", TRI_COLUMN_OWN_SENT, TASK(sent), 0},
    {"", TRI_COLUMN_OWN_RECEIVED, TASK(received), 0},
    {"phases", "phase:input", TASK(phase[TRI_PHASE_INPUT]), 2},
    {"", "phase:compute", TASK(phase[TRI_PHASE_COMPUTE]), 2},
    {"", "phase:send", TASK(phase[TRI_PHASE_SEND]), 2},
    {"", "phase:server", TASK(phase[TRI_PHASE_SERVER]), 2},
    {"", "phase:peers", TASK(phase[TRI_PHASE_PEERS]), 2},
    {"", "phase:update", TASK(phase[TRI_PHASE_UPDATE]), 2},
    {"", "phase:other", TASK(phase[TRI_PHASE_OTHER]), 2},
};

enum { HOST_COLUMNS = sizeof host_columns / sizeof *host_columns, TASK_COLUMNS = sizeof task_columns / sizeof *task_columns };

/* ---- the header ---- */

static void write_origin(FILE *file, int64_t every, const char *command)
{
    char host[256] = "localhost", date[64];
    time_t now = (time_t)tri__clock_wall();
    struct tm parts;
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%d %b %Y %H:%M:%S %Z", localtime_r(&now, &parts));
    fprintf(file, "\"Trireme CSV output\"\n\"Layout:\",\"dstat\",,,,\"Every:\",\"%.3f\"\n\"Host:\",\"%s\"\n", tri__clock_seconds(every),
            host);
    fputs("\"Cmdline:\",\"", file);
    for (; *command; command++) {
        if (*command == '"')
            fputc('"', file);
        fputc(*command == '\n' ? ' ' : *command, file);
    }
    fprintf(file, "\",,,,\"Date:\",\"%s\"\n", date);
}

static void write_groups(FILE *file, const column *columns, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(file, *columns[i].group ? "%s\"%s\"" : "%s%s", i > 0 ? "," : "", columns[i].group);
}

static void write_names(FILE *file, const column *columns, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(file, "%s\"%s\"", i > 0 ? "," : "", columns[i].name);
}

static void write_all_groups(FILE *file, const tri__host *host, bool task)
{
    write_groups(file, host_columns, HOST_COLUMNS);
    for (int i = 0; i < tri__host_links(host); i++)
        fprintf(file, ",\"net/%s\",,", tri__host_link_name(host, i));
    for (int i = 0; i < tri__host_cores(host); i++)
        fprintf(file, "%s", i > 0 ? "," : ",\"busy\"");
    if (task) {
        fputc(',', file);
        write_groups(file, task_columns, TASK_COLUMNS);
    }
    fputc('\n', file);
}

void tri__sample_names(FILE *file, const tri__host *host, bool task)
{
    write_names(file, host_columns, HOST_COLUMNS);
    for (int i = 0; i < tri__host_links(host); i++)
        for (int part = 0; part < TRI_LINK_PARTS; part++) {
            char name[TRI_LINK_COLUMN];
            fprintf(file, ",\"%s\"", tri__link_column(tri__host_link_name(host, i), (tri__link_part)part, name));
        }
    for (int i = 0; i < tri__host_cores(host); i++)
        fprintf(file, ",\"cpu%d\"", i);
    if (task) {
        fputc(',', file);
        write_names(file, task_columns, TASK_COLUMNS);
    }
    fputc('\n', file);
}

void tri__sample_header(FILE *file, const tri__host *host, bool task, int64_t every, const char *command)
{
    write_origin(file, every, command);
    write_all_groups(file, host, task);
    tri__sample_names(file, host, task);
}

/* ---- a line ---- */

/* Write the values; one that is not known is left empty. */
static void write_values(FILE *file, const column *columns, int count, const tri__sample *sample)
{
    for (int i = 0; i < count; i++) {
        double value;
        memcpy(&value, (const char *)sample + columns[i].offset, sizeof value);
        if (i > 0)
            fputc(',', file);
        if (isfinite(value))
            fprintf(file, "%.*f", columns[i].digits, value);
    }
}

static void write_link(FILE *file, const tri__link_rate *link)
{
    fprintf(file, ",%.0f,%.0f,", link->received, link->sent);
    if (link->most > 0)
        fprintf(file, "%.0f", link->most);
}

void tri__sample_line(FILE *file, const tri__sample *sample, bool task)
{
    write_values(file, host_columns, HOST_COLUMNS, sample);
    for (int i = 0; i < sample->host.links; i++)
        write_link(file, &sample->host.link[i]);
    for (int i = 0; i < sample->host.cores; i++)
        fprintf(file, ",%.3f", sample->host.core[i]);
    if (task) {
        fputc(',', file);
        write_values(file, task_columns, TASK_COLUMNS, sample);
    }
    fputc('\n', file);
}
