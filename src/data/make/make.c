/* make.c: the table of makers, and what they share: a folder that appears complete or not at all. */
#define _GNU_SOURCE /* asprintf */
#include "data/make/make.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/text.h"
#include "data/make/make_clicks.h"
#include "data/make/make_digits.h"
#include "data/make/make_images.h"
#include "data/text/criteo.h"

#define MARK ".tmp-" /* in a temporary name, between the folder's final name and the number of the process */

static const tri__make_kind kinds[] = {
    {"clicks",
     "features partitions format",
     {.count = 1000000, .features = TRI_CRITEO_FEATURES, .partitions = 8, .format = "tfrecord"},
     tri__make_clicks},
    {"digits", "", {.count = 60000}, tri__make_digits},
    {"images", "classes size", {.count = 3000, .classes = 5, .height = 240, .width = 320}, tri__make_images},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

tri_status tri__make_find(const char *name, const tri__make_kind **out)
{
    char names[128];
    tri__text list;
    tri__text_init(&list, names, sizeof names);
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *out = &kinds[i];
            return NULL;
        }
        tri__text_list(&list, i, KINDS, "or", kinds[i].name);
    }
    return tri_fail(TRI_BAD_CALL, "data make %s: there is no maker of that name; give %s", name, names);
}

tri_status tri__make_tell(const tri__make_request *request, int64_t done, int64_t all)
{
    if (request->progress)
        request->progress(request->context, done, all);
    const bool stopped = request->stop && __atomic_load_n(request->stop, __ATOMIC_RELAXED); /* any thread of the pool may ask */
    return stopped ? tri_fail(TRI_STOPPED, "stopped; nothing is left of it") : NULL;
}

static tri_status check_out(const char *path)
{
    if (tri__file_exists(path))
        return tri_fail(TRI_BAD_CALL, "%s: is a file; give the name of a new folder", path);
    if (!tri__folder_exists(path))
        return NULL;
    char **names;
    size_t count;
    TRI_TRY(tri__folder_list(path, &names, &count));
    tri__folder_free(names, count);
    if (count > 0)
        return tri_fail(TRI_BAD_CALL, "%s: is already there and not empty (choose a new folder, or remove it)", path);
    return NULL;
}

static tri_status publish(const char *temporary, const char *path)
{
    if (rename(temporary, path)) /* replaces an empty folder */
        return tri_fail(TRI_IO, "%s: cannot be given its final name %s: %s", temporary, path, strerror(errno));
    return tri__folder_sync(path);
}

static void fill_in(tri__make_request *request, const tri__make_request *standard)
{
    request->count = request->count ? request->count : standard->count;
    request->classes = request->classes ? request->classes : standard->classes;
    request->height = request->height ? request->height : standard->height;
    request->width = request->width ? request->width : standard->width;
    request->features = request->features ? request->features : standard->features;
    request->partitions = request->partitions ? request->partitions : standard->partitions;
    request->format = request->format ? request->format : standard->format;
}

static tri_status make_at(const tri__make_kind *kind, tri__make_request request, const char *temporary, tri__make_result *out)
{
    const char *path = request.out;
    request.out = temporary;
    fill_in(&request, &kind->standard);
    TRI_TRY(tri__folder_create_new(temporary));
    tri_status status = kind->make(&request, out);
    if (!status)
        status = publish(temporary, path);
    if (status)
        tri_status_free(tri__folder_remove(temporary));
    return status;
}

/* The process that makes a data set under this temporary name, name.tmp-PROCESS; 0 if it is not a temporary name of name. */
static pid_t maker_of(const char *temporary, const char *name, size_t length)
{
    if (strncmp(temporary, name, length) != 0 || strncmp(temporary + length, MARK, strlen(MARK)) != 0)
        return 0;
    char *end;
    long process = strtol(temporary + length + strlen(MARK), &end, 10);
    return process > 0 && process <= INT_MAX && !*end ? (pid_t)process : 0;
}

/* Remove what killed calls for the same folder left behind. What cannot be removed stays. Only the first length characters of path
 * count. */
static void sweep(const char *path, size_t length)
{
    const char *name = path + length;
    while (name > path && name[-1] != '/')
        name--;
    char *parent = name > path ? strndup(path, (size_t)(name - path)) : strdup("."), **names = NULL;
    size_t count = 0;
    if (parent)
        tri_status_free(tri__folder_list(parent, &names, &count));
    for (size_t i = 0; i < count; i++) {
        pid_t maker = maker_of(names[i], name, length - (size_t)(name - path));
        bool is_gone = maker > 0 && kill(maker, 0) && errno == ESRCH;
        char *left = is_gone ? tri__path_join(parent, names[i]) : NULL;
        if (left)
            tri_status_free(tri__folder_remove(left));
        free(left);
    }
    tri__folder_free(names, count);
    free(parent);
}

tri_status tri__data_make(const tri__make_kind *kind, const tri__make_request *request, tri__make_result *out)
{
    size_t length = strlen(request->out);
    while (length > 1 && request->out[length - 1] == '/')
        length--;
    char *temporary;
    *out = (tri__make_result){0};
    TRI_TRY(check_out(request->out));
    sweep(request->out, length);
    if (asprintf(&temporary, "%.*s" MARK "%d", (int)length, request->out, (int)getpid()) < 0)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of %s", request->out);
    tri_status status = make_at(kind, *request, temporary, out);
    free(temporary);
    return status;
}
