/* run_list.c: reads the summaries of runs. A summary that cannot be read makes its run BROKEN; it is not a failure of the list. */
#include "train/folder/run_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "train/folder/folder_lock.h"
#include "train/folder/run_folder.h"
#include "watch/sample/run_files.h"

enum { LONGEST_COMMANDS = 1 << 20 };

/* ---- reading ---- */

/* The first line of RUN/command, which repeats the run. Each resumption adds a line, as a comment. */
static tri_status read_command(const char *path, char **out)
{
    char *text = NULL, *file = tri__path_join(path, TRI_RUN_COMMAND);
    size_t end = 0;
    if (!file)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory to read its command", path);
    tri_status_free(tri__file_read(file, LONGEST_COMMANDS, &text, &end)); /* if it cannot be read, the command is not known */
    free(file);
    *out = end > 0 ? strndup(text, strcspn(text, "\n")) : strdup("");
    free(text);
    return *out ? NULL : tri_fail(TRI_NO_MEMORY, "%s: no memory to read its command", path);
}

static bool has_checkpoint(const char *path)
{
    char *folder = tri__path_join(path, TRI_RUN_CHECKPOINTS), **names = NULL;
    size_t count = 0;
    tri_status status = folder ? tri__folder_list(folder, &names, &count) : tri_fail(TRI_NO_MEMORY, "no memory for a path");
    bool found = false;
    for (size_t i = 0; !status && i < count; i++)
        found = found || !strncmp(names[i], "step-", 5);
    if (!status)
        tri__folder_free(names, count);
    tri_status_free(status);
    free(folder);
    return found;
}

static tri_status read_run(tri__listed_run *run)
{
    char *summary = tri__path_join(run->path, TRI_RUN_SUMMARY);
    if (!summary)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory to read its summary", run->path);
    tri_status unread = tri__json_read(summary, &run->summary);
    free(summary);
    run->state = tri__folder_lock_is_held(run->path) ? TRI_RUN_LISTED_RUNNING
                 : !unread                           ? TRI_RUN_LISTED_ENDED
                 : has_checkpoint(run->path)         ? TRI_RUN_LISTED_BROKEN
                                                     : TRI_RUN_LISTED_LOST;
    tri_status_free(unread);
    return read_command(run->path, &run->command);
}

/* Takes path. */
static tri_status add(tri__run_list *list, char *path)
{
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for a list of runs");
    tri__listed_run *run = &list->run[list->count++];
    *run = (tri__listed_run){.path = path};
    return read_run(run);
}

static tri_status add_all(tri__run_list *list, const char *folder, char **names, size_t count)
{
    TRI_TRY(tri__allocate(count + 1, sizeof *list->run, "a list of runs", &list->run));
    if (tri__run_folder_is_one(folder))
        return add(list, strdup(folder));
    for (size_t i = 0; i < count; i++) {
        char *path = tri__path_join(folder, names[i]);
        if (path && !tri__run_folder_is_one(path))
            free(path);
        else
            TRI_TRY(add(list, path));
    }
    return NULL;
}

tri_status tri__run_list_read(const char *folder, tri__run_list *out)
{
    char **names;
    size_t count;
    *out = (tri__run_list){0};
    TRI_TRY(tri__folder_list(folder, &names, &count));
    tri_status status = add_all(out, folder, names, count);
    tri__folder_free(names, count);
    if (status)
        tri__run_list_fini(out);
    return status;
}

void tri__run_list_fini(tri__run_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->run[i].path);
        free(list->run[i].command);
        json_decref(list->run[i].summary);
    }
    free(list->run);
    *list = (tri__run_list){0};
}

const json_t *tri__listed_value(const tri__listed_run *run, const char *key)
{
    const json_t *value = json_object_get(run->summary, key);
    return value ? value : json_object_get(json_object_get(run->summary, "options"), key);
}

/* ---- sorting ---- */

static int compare(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return (json_number_value(a) > json_number_value(b)) - (json_number_value(a) < json_number_value(b));
    return json_is_string(a) && json_is_string(b) ? strcmp(json_string_value(a), json_string_value(b)) : 0;
}

static bool has(const json_t *value)
{
    return json_is_number(value) || json_is_string(value);
}

/* Whether a belongs after b. */
static bool is_after(const tri__listed_run *a, const tri__listed_run *b, const char *key, bool falling)
{
    const json_t *first = tri__listed_value(a, key), *second = tri__listed_value(b, key);
    if (!has(first) || !has(second))
        return !has(first) && has(second);
    return falling ? compare(first, second) < 0 : compare(first, second) > 0;
}

/* By insertion: stable, and there are not many runs. */
tri_status tri__run_list_sort(tri__run_list *list, const char *key, bool falling)
{
    bool known = list->count == 0;
    for (size_t i = 0; i < list->count; i++) {
        known = known || has(tri__listed_value(&list->run[i], key));
        for (size_t k = i; k > 0 && is_after(&list->run[k - 1], &list->run[k], key, falling); k--) {
            tri__listed_run run = list->run[k];
            list->run[k] = list->run[k - 1];
            list->run[k - 1] = run;
        }
    }
    return known ? NULL
                 : tri_fail(TRI_BAD_CALL, "no summary here has a figure '%s' (test_accuracy, seconds and their like: see a summary.json)",
                            key);
}
