/* tasks.c: the user's words on another task's command line, less those that are each task's own. */
#define _GNU_SOURCE
#include "cli/process/tasks.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "train/ps/supervise.h"
#include "train/ps/task.h"
#include "train/ranks/launch.h"

enum { OWN_WORDS = 8 }; /* before the user's */

static const char *const supervised[] = {"workers", "servers", "threads", "out", "json", NULL};
static const char *const launched[] = {"workers", "threads", "out", "resume", "json", NULL};
static const char *const companion_s[] = {"task", "threads", "out", "json", NULL};

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}

/* The words of options, in memory of their own, in words[count …]. */
typedef struct {
    char *words[TRI_MAX_OPTIONS + 1]; /* ends with NULL */
    int count;
} word_list;

static tri_status word_of(const tri__option *option, const char *value, char **out)
{
    bool flag = option->kind == TRI_OPTION_FLAG, off = flag && strcmp(value, "on");
    size_t size = sizeof "--no-=" + strlen(option->name) + strlen(value);
    TRI_TRY(tri__allocate(size, 1, "a command line", out));
    snprintf(*out, size, "%s%s%s%s", off ? "--no-" : "--", option->name, flag ? "" : "=", flag ? "" : value);
    return NULL;
}

static tri_status list_words(const tri__arguments *arguments, const char *const *without, word_list *out)
{
    const tri__option *option;
    *out = (word_list){.count = 0};
    for (int row = 0; (option = tri__command_option(arguments->command, row)); row++)
        if (arguments->values[row] && !is_among(option->name, without))
            TRI_TRY(word_of(option, arguments->values[row], &out->words[out->count++]));
    return NULL;
}

static void free_words(word_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->words[i]);
}

static tri_status find_program(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 1)
        return tri_fail(TRI_IO, "/proc/self/exe: %s (it tells where this program is)", strerror(errno));
    path[length] = 0;
    return NULL;
}

tri_status tri__tasks_supervise(const tri__arguments *arguments, const tri__run_request *request, const tri__ps_settings *ps,
                                tri__run_result *out)
{
    char program[PATH_MAX];
    word_list list;
    TRI_TRY(find_program(program));
    tri_status status = list_words(arguments, supervised, &list);
    if (!status) {
        const tri__supervision supervision = {
            .run = request,
            .program = program,
            .words = (const char *const *)list.words,
            .ps = *ps,
            .threads = request->options->threads > 0 ? (int)request->options->threads : 0,
        };
        status = tri__supervise(&supervision, out);
    }
    free_words(&list);
    return status;
}

tri_status tri__tasks_launch(const tri__arguments *arguments, const tri__run_request *request, int workers, const char *hosts,
                             tri__run_result *out)
{
    char program[PATH_MAX];
    word_list list;
    const tri__train_options *options = request->options;
    TRI_TRY(find_program(program));
    tri_status status = list_words(arguments, launched, &list);
    if (!status) {
        const tri__launching launching = {
            .run = request,
            .program = program,
            .words = (const char *const *)list.words,
            .workers = workers,
            .threads = options->threads > 0 ? (int)options->threads : 0,
            .restarts = options->restarts > 0 ? (int)options->restarts : 0,
            .min_workers = options->min_workers > 0 ? (int)options->min_workers : workers,
            .hosts = hosts,
            .as_root = geteuid() == 0,
        };
        status = tri__launch(&launching, out);
    }
    free_words(&list);
    return status;
}

tri_status tri__tasks_accompany(const tri__arguments *arguments, tri__log *log, tri__companion **out)
{
    char program[PATH_MAX], life[16];
    const char *argv[OWN_WORDS + TRI_MAX_OPTIONS + 3] = {program, "train", "--task", "evaluator:0", "--threads", "1", "--parent-fd", life};
    word_list list;
    *out = NULL;
    snprintf(life, sizeof life, "%d", TRI_COMPANION_FD);
    TRI_TRY(find_program(program));
    tri_status status = list_words(arguments, companion_s, &list);
    memcpy(argv + OWN_WORDS, list.words, (size_t)list.count * sizeof *argv);
    if (arguments->count) {
        argv[OWN_WORDS + list.count] = "--";
        argv[OWN_WORDS + list.count + 1] = arguments->operands[0];
    }
    if (!status)
        status = tri__companion_start("evaluator:0", program, argv, TRI_NO_EVALUATOR, log, out);
    free_words(&list);
    return status;
}
