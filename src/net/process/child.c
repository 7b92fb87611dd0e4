/* child.c: child processes by libuv.
 *
 * A child leads a session of its own, unless it is to stay in our group: the terminal's Ctrl-C does not reach it, and a signal to its group
 * also reaches what it started. A child has ended when it is reaped and both its outputs have ended. Where a process that it left behind
 * keeps an output open, we wait only a short time for that. */
#include "net/process/child.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "net/loop/loop_uv.h"

enum {
    LONGEST_LINE = 1 << 20, /* bytes; a longer line comes in pieces */
    CHUNK = 4096,
    PIPES = 2,
    LINGER = 1000, /* milliseconds for outputs that are still open when the child has ended */
};

/* One of the child's outputs. */
typedef struct {
    uv_pipe_t uv;
    tri__child *child;
    bool ended;
    char *line; /* the line so far: size bytes, in memory of capacity bytes, one of them for the NUL */
    size_t size, capacity;
    char chunk[CHUNK]; /* what libuv reads into */
} output;

struct tri__child {
    tri__loop *loop;
    tri__child_options options; /* only the handlers and context are kept */
    uv_process_t process;
    uv_timer_t linger;
    uv_pipe_t input;
    output outputs[PIPES]; /* standard output, standard error */
    int handles;           /* libuv handles that are not closed yet */
    bool reaped, told, destroyed;
    int status, signal;
};

static void tell_end(tri__child *child)
{
    bool all_read = child->outputs[0].ended && child->outputs[1].ended;
    if (!child->reaped || !all_read || child->told || child->destroyed)
        return;
    child->told = true;
    tri__loop_happened(child->loop);
    child->options.ended(child->options.context, child, child->status, child->signal);
}

/* Hand the line so far to the handler. */
static void tell_line(output *from)
{
    tri__child *child = from->child;
    if (from->size > 0 && from->line[from->size - 1] == '\r')
        from->size--;
    from->line[from->size] = '\0';
    from->size = 0;
    tri__loop_happened(child->loop);
    child->options.line(child->options.context, child, from == &child->outputs[1], from->line);
}

/* Where a line that is too long is cut: not within a character of UTF-8. */
static size_t cut_of(const char *line, size_t size)
{
    size_t cut = size;
    while (cut > size - 4 && ((unsigned char)line[cut - 1] & 0xc0) == 0x80)
        cut--; /* back to the character's first byte */
    bool begins = ((unsigned char)line[cut - 1] & 0xc0) == 0xc0;
    return begins ? cut - 1 : size; /* the first byte goes with the bytes that follow */
}

static void tell_piece(output *from)
{
    size_t cut = cut_of(from->line, from->size), rest = from->size - cut;
    char kept[4];
    memcpy(kept, from->line + cut, rest);
    from->size = cut;
    tell_line(from);
    memcpy(from->line, kept, rest);
    from->size = rest;
}

/* Make room for one more byte and the NUL. Where there is no memory for a line, it comes in pieces. */
static void make_room(output *from)
{
    if (from->size + 1 < from->capacity)
        return;
    size_t larger = 2 * from->capacity;
    char *line = larger <= LONGEST_LINE ? realloc(from->line, larger) : NULL;
    if (line) {
        from->line = line;
        from->capacity = larger;
    } else {
        tell_piece(from);
    }
}

static void take(output *from, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count && !from->child->destroyed; i++) {
        if (bytes[i] == '\n') {
            tell_line(from);
            continue;
        }
        from->line[from->size++] = bytes[i] ? bytes[i] : ' ';
        make_room(from);
    }
}

/* Nothing more comes from this output. */
static void end_output(output *from)
{
    if (from->ended)
        return;
    from->ended = true;
    uv_read_stop((uv_stream_t *)&from->uv);
    if (from->size > 0 && !from->child->destroyed)
        tell_line(from);
    tell_end(from->child);
}

static void give_chunk(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)suggested;
    output *from = handle->data;
    *buffer = uv_buf_init(from->chunk, sizeof from->chunk);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    output *from = stream->data;
    if (count > 0)
        take(from, buffer->base, (size_t)count);
    else if (count < 0) /* the end, or a failure, which is the end too */
        end_output(from);
}

static void on_linger(uv_timer_t *timer)
{
    tri__child *child = timer->data;
    uv_stop(&child->loop->uv);
    for (int i = 0; i < PIPES && !child->destroyed; i++)
        end_output(&child->outputs[i]);
}

static void on_exit_of(uv_process_t *process, int64_t status, int signal)
{
    tri__child *child = process->data;
    child->reaped = true;
    child->status = (int)status;
    child->signal = signal;
    uv_update_time(&child->loop->uv);
    uv_timer_start(&child->linger, on_linger, LINGER, 0);
    tell_end(child);
}

static bool has_name(const char *setting, const char *name)
{
    size_t length = strlen(name);
    return strncmp(setting, name, length) == 0 && setting[length] == '=';
}

static bool is_replaced(const char *const *settings, const char *name)
{
    for (; settings && *settings; settings++)
        if (has_name(*settings, name))
            return true;
    return false;
}

static void free_environment(char **list)
{
    for (char **one = list; one && *one; one++)
        free(*one);
    free(list);
}

static char *join_setting(const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *setting = malloc(size);
    if (setting)
        snprintf(setting, size, "%s=%s", name, value);
    return setting;
}

/* This process's environment with some settings replaced. */
static tri_status make_environment(const char *const *settings, char ***out)
{
    uv_env_item_t *items = NULL;
    int count = 0, own = 0, used = 0;
    *out = NULL;
    while (settings && settings[own])
        own++;
    if (uv_os_environ(&items, &count))
        return tri_fail(TRI_NO_MEMORY, "no memory for a child's environment");
    char **list = NULL;
    tri_status status = tri__allocate((size_t)count + (size_t)own + 1, sizeof *list, "a child's environment", &list);
    bool fine = !status;
    for (int i = 0; i < count && fine; i++)
        if (!is_replaced(settings, items[i].name))
            fine = (list[used++] = join_setting(items[i].name, items[i].value)) != NULL;
    for (int i = 0; i < own && fine; i++)
        fine = (list[used++] = strdup(settings[i])) != NULL;
    uv_os_free_environ(items, count);
    if (!fine) {
        free_environment(list);
        return status ? status : tri_fail(TRI_NO_MEMORY, "no memory for a child's environment");
    }
    *out = list;
    return NULL;
}

static void free_child(tri__child *child)
{
    for (int i = 0; i < PIPES; i++)
        free(child->outputs[i].line);
    free(child);
}

static void free_when_all_closed(uv_handle_t *handle)
{
    tri__child *child = handle->data;
    if (--child->handles == 0)
        free_child(child);
}

static void close_handles(tri__child *child)
{
    uv_handle_t *const handles[] = {(uv_handle_t *)&child->process, (uv_handle_t *)&child->linger, (uv_handle_t *)&child->input,
                                    (uv_handle_t *)&child->outputs[0].uv, (uv_handle_t *)&child->outputs[1].uv};
    child->destroyed = true;
    child->handles = sizeof handles / sizeof *handles;
    for (int i = 0; i < child->handles; i++) {
        handles[i]->data = child;
        uv_close(handles[i], free_when_all_closed);
    }
}

static void end_process(tri__child *child)
{
    tri__child_signal(child, SIGKILL);
    while (waitpid(child->process.pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* 0, or libuv's error: then there is no process. */
static int spawn(tri__child *child, const tri__child_options *options, char **environment, uv_stdio_container_t *channels)
{
    channels[0].flags = options->attached ? UV_CREATE_PIPE | UV_READABLE_PIPE : UV_IGNORE;
    channels[0].data.stream = (uv_stream_t *)&child->input;
    for (int i = 0; i < PIPES; i++) {
        channels[i + 1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
        channels[i + 1].data.stream = (uv_stream_t *)&child->outputs[i].uv;
    }
    for (int i = 0; i < options->fd_count; i++) {
        channels[i + 1 + PIPES].flags = UV_INHERIT_FD;
        channels[i + 1 + PIPES].data.fd = options->fds[i];
    }
    const uv_process_options_t how = {
        .exit_cb = on_exit_of,
        .file = options->path,
        .args = (char **)(uintptr_t)options->argv,
        .env = environment,
        .cwd = options->folder,
        .flags = options->in_group ? 0 : UV_PROCESS_DETACHED,
        .stdio_count = 1 + PIPES + options->fd_count,
        .stdio = channels,
    };
    int error = uv_spawn(&child->loop->uv, &child->process, &how);
    if (error)
        return error;
    for (int i = 0; i < PIPES && !error; i++)
        error = uv_read_start((uv_stream_t *)&child->outputs[i].uv, give_chunk, on_read);
    if (error)
        end_process(child);
    return error;
}

static void init_handles(tri__child *child)
{
    uv_timer_init(&child->loop->uv, &child->linger);
    child->linger.data = child->process.data = child;
    uv_pipe_init(&child->loop->uv, &child->input, 0);
    for (int i = 0; i < PIPES; i++) {
        uv_pipe_init(&child->loop->uv, &child->outputs[i].uv, 0);
        child->outputs[i].uv.data = &child->outputs[i];
        child->outputs[i].child = child;
    }
}

static tri_status allocate_child(tri__child **out)
{
    TRI_TRY(tri__allocate(1, sizeof **out, "a child process", out));
    for (int i = 0; i < PIPES; i++) {
        output *from = &(*out)->outputs[i];
        TRI_TRY(tri__allocate(CHUNK, 1, "a child's lines", &from->line));
        from->capacity = CHUNK;
    }
    return NULL;
}

tri_status tri__child_start(tri__loop *loop, const tri__child_options *options, tri__child **out)
{
    assert(options->line && options->ended);
    *out = NULL;
    char **environment = NULL;
    tri__child *child = NULL;
    uv_stdio_container_t *channels = NULL;
    TRI_TRY(make_environment(options->env, &environment));
    tri_status status = allocate_child(&child);
    if (!status)
        status = tri__allocate((size_t)(1 + PIPES + options->fd_count), sizeof *channels, "a child process", &channels);
    if (!status) {
        child->loop = loop;
        child->options = *options;
        init_handles(child);
        int error = spawn(child, options, environment, channels);
        if (error)
            status = tri_fail(error == UV_ENOENT ? TRI_NOT_FOUND : TRI_IO, "cannot start %s: %s", options->path, uv_strerror(error));
        else
            *out = child;
        if (error)
            close_handles(child);
    } else if (child) {
        free_child(child);
    }
    free(channels);
    free_environment(environment);
    return status;
}

void tri__child_signal(tri__child *child, int signal)
{
    if (!child->reaped)
        kill(child->options.in_group ? child->process.pid : -child->process.pid, signal);
}

/* For short messages, which a pipe takes whole. */
void tri__child_write(tri__child *child, const char *bytes, size_t size)
{
    const uv_buf_t buffer = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)size);
    if (!child->reaped && child->options.attached)
        uv_try_write((uv_stream_t *)&child->input, &buffer, 1);
}

void tri__child_destroy(tri__child *child)
{
    if (!child)
        return;
    if (!child->reaped)
        end_process(child);
    close_handles(child);
}

/* ---- a child that is run to its end ---- */

typedef struct {
    const tri__child_options *options; /* the caller's */
    tri__child_end end;
} child_run;

static void forward_line(void *context, tri__child *child, bool error, const char *line)
{
    const child_run *run = context;
    run->options->line(run->options->context, child, error, line);
}

static void keep_end(void *context, tri__child *child, int status, int signal)
{
    child_run *run = context;
    (void)child;
    run->end = (tri__child_end){.in_time = true, .status = status, .signal = signal};
}

static tri_status run_on(tri__loop *loop, child_run *run, int64_t patience)
{
    tri__child_options options = *run->options;
    options.line = forward_line;
    options.ended = keep_end;
    options.context = run;
    tri__child *child;
    TRI_TRY(tri__child_start(loop, &options, &child));
    int64_t deadline = tri__clock_now() + patience;
    while (!run->end.in_time && tri__clock_now() < deadline)
        tri__loop_turn(loop, deadline);
    tri__child_destroy(child);
    return NULL;
}

tri_status tri__child_run(const tri__child_options *options, int64_t patience, tri__child_end *out)
{
    assert(options->line && !options->ended);
    child_run run = {.options = options};
    tri__loop *loop;
    TRI_TRY(tri__loop_create(&loop));
    tri_status status = run_on(loop, &run, patience);
    tri__loop_destroy(loop);
    *out = run.end;
    return status;
}
