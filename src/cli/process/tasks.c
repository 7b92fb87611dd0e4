/* tasks.c: builds the command lines of other tasks from the user's options, without those that differ from task to task. */
#include "cli/process/tasks.h"

#include <string.h>
#include <unistd.h>

#include "base/text/task.h"
#include "base/text/words.h"
#include "cli/process/program.h"
#include "train/job/process.h"
#include "train/ps/task/task.h"

/* Options that ps:0 does not hand on to its evaluator. */
static const char *const not_for_evaluator[] = {"task", "threads", "out", "json", NULL};

static void add_option(tri__command_line *line, const tri__option *option, const char *value)
{
    if (option->kind == TRI_OPTION_FLAG)
        tri__command_line_add_format(line, "--%s%s", strcmp(value, "on") ? "no-" : "", option->name);
    else
        tri__command_line_add_format(line, "--%s=%s", option->name, value);
}

static void add_options(tri__command_line *line, const tri__arguments *arguments, const char *const *without)
{
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(arguments->command, row)); row++)
        if (arguments->values[row] && !tri__words_among(without, option->name))
            add_option(line, option, arguments->values[row]);
}

tri_status tri__tasks_launch(const tri__arguments *arguments, const tri__run_request *request, const char *hosts,
                             const tri__job_hosts *job_hosts, tri__run_result *out)
{
    char program[PATH_MAX];
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    TRI_TRY(tri__program_find(program));
    add_options(&line, arguments, request->strategy->launcher_options);
    tri_status status = tri__command_line_check(&line);
    if (!status) {
        const tri__launch_request launch = {
            .run = request,
            .program = program,
            .words = tri__command_line_words(&line),
            .hosts = hosts,
            .job_hosts = job_hosts,
            .as_root = geteuid() == 0,
        };
        status = request->strategy->launch(&launch, out);
    }
    tri__command_line_fini(&line);
    return status;
}

tri_status tri__tasks_start_evaluator(const tri__arguments *arguments, tri__log *log, tri__supervised **out)
{
    static const char name[] = TRI_ONE_EVALUATOR;
    char program[PATH_MAX];
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    *out = NULL;
    TRI_TRY(tri__program_find(program));
    const char *const own[] = {program, "train", "--task", name, "--threads", "1", NULL};
    tri__command_line_add_all(&line, own);
    tri__command_line_add_number(&line, "--parent-fd", TRI_LIFE_FD);
    add_options(&line, arguments, not_for_evaluator);
    if (arguments->count)
        tri__command_line_add(&line, "--"), tri__command_line_add(&line, arguments->operands[0]);
    tri_status status = tri__command_line_check(&line);
    if (!status)
        status = tri__supervised_start(name, &line, TRI_NO_EVALUATOR, log, out);
    tri__command_line_fini(&line);
    return status;
}
