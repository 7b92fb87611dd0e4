/* marks.c: writes and reads marks, one line of CSV each. The note is the last field, in quotes. */
#include "watch/sample/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/text/text.h"
#include "base/text/text_table.h"
#include "base/thread/clock.h"
#include "watch/sample/columns.h"

static const char header[] = "epoch,kind,task,step,seconds,note\n";

enum { LINE = 512, AT_ONCE = 100, A_SECOND = 10 };

const char *tri__mark_kind_name(tri__mark_kind kind)
{
    static const char *const names[] = {
        [TRI_MARK_EPOCH] = "epoch",     [TRI_MARK_EVALUATION] = "evaluation", [TRI_MARK_CHECKPOINT] = "checkpoint",
        [TRI_MARK_JOIN] = "join",       [TRI_MARK_STRAGGLER] = "straggler",   [TRI_MARK_DEATH] = "death",
        [TRI_MARK_RESTART] = "restart",
    };
    return names[kind];
}

/* ---- writing ---- */

struct tri__marks {
    int fd;
    pthread_mutex_t lock;         /* guards last and left */
    int64_t last[TRI_MARK_KINDS]; /* when the last mark of each kind came */
    double left[TRI_MARK_KINDS];  /* how many more marks of each kind may come at once */
};

/* The process that creates the file writes its header. */
static int open_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST)
        return open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd >= 0 && write(fd, header, sizeof header - 1) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

tri_status tri__marks_open(const char *path, tri__marks **out)
{
    *out = NULL;
    const int fd = open_file(path);
    if (fd < 0)
        return tri__path_failure(path, "write", errno);
    tri__marks *marks;
    tri_status status = tri__allocate(1, sizeof *marks, "the marks of a run", &marks);
    if (status) {
        close(fd);
        return status;
    }
    marks->fd = fd;
    pthread_mutex_init(&marks->lock, NULL);
    *out = marks;
    return NULL;
}

void tri__marks_close(tri__marks *marks)
{
    if (!marks)
        return;
    close(marks->fd);
    pthread_mutex_destroy(&marks->lock);
    free(marks);
}

/* Whether a mark must be left out. Of epochs, evaluations and checkpoints, AT_ONCE of each kind are kept in a burst, then A_SECOND per
 * second. */
static bool is_one_too_many(tri__marks *marks, tri__mark_kind kind)
{
    if (kind > TRI_MARK_CHECKPOINT)
        return false;
    const int64_t now = tri__clock_now();
    pthread_mutex_lock(&marks->lock);
    double *left = &marks->left[kind];
    *left = fmin(AT_ONCE, *left + A_SECOND * tri__clock_seconds(now - marks->last[kind]));
    marks->last[kind] = now;
    const bool refused = *left < 1;
    *left -= !refused;
    pthread_mutex_unlock(&marks->lock);
    return refused;
}

/* Replace characters that would end a note's line or its quotes. */
static void tame(char *note)
{
    for (char *at = note; *at; at++)
        if (*at == '"')
            *at = '\'';
        else if ((unsigned char)*at < ' ')
            *at = ' ';
}

void tri__marks_add(tri__marks *marks, tri__mark_kind kind, const char *task, int64_t step, double seconds, const char *format, ...)
{
    if (!marks || is_one_too_many(marks, kind))
        return;
    char note[TRI_MARK_NOTE], line[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
    tame(note);
    tri__text text;
    tri__text_init(&text, line, sizeof line);
    tri__text_add(&text, "%.3f,%s,%.63s,", tri__clock_wall() - seconds, tri__mark_kind_name(kind), task);
    if (step >= 0)
        tri__text_add(&text, "%" PRId64, step);
    if (seconds > 0)
        tri__text_add(&text, ",%.3f", seconds);
    else
        tri__text_add(&text, ",");
    tri__text_add(&text, ",\"%s\"\n", note);
    (void)!write(marks->fd, line, text.used); /* a run must not fail because of its marks */
}

/* ---- reading ---- */

static bool read_kind(const char *name, tri__mark_kind *kind)
{
    for (int i = 0; i < TRI_MARK_KINDS; i++)
        if (!strcmp(name, tri__mark_kind_name((tri__mark_kind)i))) {
            *kind = (tri__mark_kind)i;
            return true;
        }
    return false;
}

/* Parse a line. False if fields or the newline are missing: a killed run may leave an incomplete last line. */
static bool read_line(char *line, tri__mark *mark)
{
    enum { EPOCH, KIND, TASK, STEP, SECONDS, NOTE, FIELDS };
    char *field[FIELDS];
    bool last = false;
    int count = 0;
    *mark = (tri__mark){0};
    if (!strchr(line, '\n'))
        return false;
    for (tri__text_table_reader from = {.at = line}; !last && count < FIELDS; count++)
        field[count] = tri__text_table_next_field(&from, &last);
    if (!last || count < FIELDS || !read_kind(field[KIND], &mark->kind) || strlen(field[TASK]) >= sizeof mark->task)
        return false;
    mark->wall = strtod(field[EPOCH], NULL);
    mark->seconds = strtod(field[SECONDS], NULL);
    mark->step = *field[STEP] ? strtoll(field[STEP], NULL, 10) : -1;
    snprintf(mark->task, sizeof mark->task, "%s", field[TASK]);
    snprintf(mark->note, sizeof mark->note, "%s", field[NOTE]);
    return mark->wall >= 0 && mark->wall < TRI_LATEST_WALL && isfinite(mark->seconds);
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const tri__mark *)a)->wall, y = ((const tri__mark *)b)->wall;
    return (x > y) - (x < y);
}

static tri_status read_lines(FILE *file, tri__mark **out, int *count)
{
    char *line = NULL;
    size_t size = 0;
    int64_t room = 0;
    tri_status status = NULL;
    while (!status && *count < INT32_MAX && getline(&line, &size, file) > 0) {
        status = tri__grow(out, &room, *count + 1, sizeof **out, "the marks of a run");
        if (!status && read_line(line, &(*out)[*count]))
            (*count)++;
    }
    free(line);
    return status;
}

tri_status tri__marks_read(const char *path, tri__mark **out, int *count)
{
    *out = NULL;
    *count = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? NULL : tri_fail(TRI_IO, "%s: cannot be read: %s", path, strerror(errno));
    tri_status status = read_lines(file, out, count);
    fclose(file);
    if (*count > 1)
        qsort(*out, (size_t)*count, sizeof **out, by_time);
    if (!status)
        return NULL;
    free(*out);
    *out = NULL;
    *count = 0;
    return status;
}

const char *tri__mark_line(const tri__mark *mark, char *buffer, size_t size)
{
    const time_t wall = (time_t)mark->wall;
    struct tm parts;
    char when[16] = "", step[TRI_TEXT_SHORT];
    if (localtime_r(&wall, &parts))
        strftime(when, sizeof when, "%H:%M:%S", &parts);
    tri__text text;
    tri__text_init(&text, buffer, size);
    tri__text_add(&text, "%s  %s of %s", when, tri__mark_kind_name(mark->kind), mark->task);
    if (mark->step >= 0)
        tri__text_add(&text, " at step %s", tri__text_count(step, (double)mark->step));
    if (mark->seconds > 0)
        tri__text_add(&text, ", %.2f s", mark->seconds);
    if (*mark->note)
        tri__text_add(&text, ": %s", mark->note);
    return buffer;
}
