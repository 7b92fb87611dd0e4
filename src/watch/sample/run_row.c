/* run_row.c: the table of a row's numbers. */
#include "watch/sample/run_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "watch/sample/columns.h"

#define OF_TASK(key, in_file, member)                                                                                                      \
    {                                                                                                                                      \
        .name = key, .column = in_file, .offset = offsetof(tri__run_row, member), .scale = 1                                               \
    }
#define COUNT(key, in_file, member)                                                                                                        \
    {                                                                                                                                      \
        .name = key, .column = in_file, .offset = offsetof(tri__run_row, member), .scale = 1, .counts = true                               \
    }
#define PHASE(key, phase)                                                                                                                  \
    {                                                                                                                                      \
        .name = key, .column = "phase:" key, .offset = offsetof(tri__run_row, share[phase]), .scale = 0.01                                 \
    }
#define OF_HOST(key, in_file, member)                                                                                                      \
    {                                                                                                                                      \
        .name = key, .column = in_file, .offset = offsetof(tri__run_row, host.member), .scale = 1, .owner = TRI_FIELD_OF_HOST              \
    }

const tri__run_field tri__run_fields[TRI_RUN_FIELDS] = {
    COUNT("wall", TRI_COLUMN_EPOCH, wall),
    COUNT("step", TRI_COLUMN_STEP, step),
    COUNT("examples", TRI_COLUMN_EXAMPLES, examples),
    OF_TASK("speed", TRI_COLUMN_SPEED, speed),
    COUNT("loss", TRI_COLUMN_LOSS, loss),
    OF_TASK("cpu", TRI_COLUMN_OWN_CPU, cpu),
    OF_TASK("resident", TRI_COLUMN_OWN_USED, resident),
    OF_TASK("sent", TRI_COLUMN_OWN_SENT, sent),
    OF_TASK("received", TRI_COLUMN_OWN_RECEIVED, received),
    PHASE("input", TRI_PHASE_INPUT),
    PHASE("compute", TRI_PHASE_COMPUTE),
    PHASE("send", TRI_PHASE_SEND),
    PHASE("server", TRI_PHASE_SERVER),
    PHASE("peers", TRI_PHASE_PEERS),
    PHASE("update", TRI_PHASE_UPDATE),
    PHASE("other", TRI_PHASE_OTHER),
    OF_HOST("user", TRI_COLUMN_USER, user),
    OF_HOST("system", TRI_COLUMN_SYSTEM, system),
    OF_HOST("used", TRI_COLUMN_USED, used),
    OF_HOST("sent", TRI_COLUMN_SENT, sent),
    OF_HOST("received", TRI_COLUMN_RECEIVED, received),
    OF_HOST("read", TRI_COLUMN_READ, read),
    OF_HOST("written", TRI_COLUMN_WRITTEN, written),
};

const char *tri__task_state_name(tri__task_state state)
{
    static const char *const names[] = {
        [TRI_TASK_ACTIVE] = "active", [TRI_TASK_SLOW] = "slow", [TRI_TASK_SILENT] = "silent", [TRI_TASK_ENDED] = "ended"};
    return names[state];
}

double tri__run_row_get(const tri__run_row *row, const tri__run_field *field)
{
    double value;
    memcpy(&value, (const char *)row + field->offset, sizeof value);
    return value;
}

void tri__run_row_set(tri__run_row *row, const tri__run_field *field, double value)
{
    memcpy((char *)row + field->offset, &value, sizeof value);
}

void tri__run_row_clear(tri__run_row *row)
{
    for (int i = 0; i < TRI_RUN_FIELDS; i++)
        tri__run_row_set(row, &tri__run_fields[i], NAN);
}

void tri__run_row_columns(const tri__sample_reader *reader, int column[TRI_RUN_FIELDS])
{
    for (int i = 0; i < TRI_RUN_FIELDS; i++)
        column[i] = tri__sample_reader_column(reader, tri__run_fields[i].column);
}

void tri__run_row_take(tri__run_row *row, const int column[TRI_RUN_FIELDS], const double *sample)
{
    for (int i = 0; i < TRI_RUN_FIELDS; i++)
        tri__run_row_set(row, &tri__run_fields[i], column[i] >= 0 ? tri__run_fields[i].scale * sample[column[i]] : NAN);
}
