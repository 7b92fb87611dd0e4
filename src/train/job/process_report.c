/* process_report.c: reads and makes reports, which are lines of JSON. */
#include "train/job/process_report.h"

#include <string.h>

static const char *const names[] = {[TRI_REPORT_STARTED] = "started", [TRI_REPORT_BEGAN] = "began",     [TRI_REPORT_PROGRESS] = "progress",
                                    [TRI_REPORT_RESULT] = "result",   [TRI_REPORT_FAILURE] = "failure", [TRI_REPORT_DAMAGE] = "damage"};

tri__report_kind tri__process_report_read(const char *line, json_t **value)
{
    *value = NULL;
    json_t *report = *line == '{' ? json_loads(line, 0, NULL) : NULL;
    tri__report_kind kind = TRI_REPORT_NONE;
    for (tri__report_kind one = TRI_REPORT_STARTED; report && one <= TRI_REPORT_DAMAGE && !kind; one++) {
        json_t *found = json_object_get(report, names[one]);
        if (!found || (one >= TRI_REPORT_FAILURE && !json_is_string(found)))
            continue;
        kind = one;
        *value = json_incref(found);
    }
    json_decref(report);
    return kind;
}

json_t *tri__process_report_make(tri__report_kind kind, json_t *value)
{
    return value ? json_pack("{s:o}", names[kind], value) : NULL;
}

const char *tri__process_line_read(const char *line, tri__log_level *level)
{
    static const char mark[] = "trireme: ";
    bool warning = !strncmp(line, mark, sizeof mark - 1);
    *level = warning ? TRI_LOG_WARNING : TRI_LOG_INFO;
    return warning ? line + sizeof mark - 1 : line;
}
