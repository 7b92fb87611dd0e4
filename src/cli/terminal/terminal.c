/* terminal.c: messages and the live line. The line is never left half drawn: the end of the session wipes it. */
#include "cli/terminal/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/thread/clock.h"

#define WIPE           "\r\033[K"
#define LIVE_INTERVAL  (TRI_SECOND / 10)
#define PLAIN_INTERVAL (5 * TRI_SECOND)

static void wipe_locked(tri__terminal *terminal)
{
    if (terminal->drawn)
        fputs(WIPE, terminal->file);
    terminal->drawn = false;
}

static void write_line(tri__log *log, tri__log_level level, const char *line)
{
    tri__terminal *terminal = (tri__terminal *)log;
    pthread_mutex_lock(&terminal->lock);
    wipe_locked(terminal);
    fprintf(terminal->file, "%s%s\n", level >= TRI_LOG_WARNING ? "trireme: " : "", line);
    fflush(terminal->file);
    pthread_mutex_unlock(&terminal->lock);
}

void tri__terminal_init(tri__terminal *terminal, FILE *file, bool plain)
{
    const bool is_terminal = isatty(fileno(file));
    *terminal = (tri__terminal){
        .log = {.write = write_line, .least = TRI_LOG_INFO},
        .file = file,
        .live = is_terminal && !plain,
        .colour = is_terminal && !plain,
    };
    pthread_mutex_init(&terminal->lock, NULL);
}

void tri__terminal_fini(tri__terminal *terminal)
{
    tri__terminal_wipe(terminal);
    pthread_mutex_destroy(&terminal->lock);
}

int tri__columns(FILE *file)
{
    struct winsize size = {0};
    if (ioctl(fileno(file), TIOCGWINSZ, &size) || !size.ws_col)
        return 80;
    return size.ws_col;
}

/* Bytes of line that fit into columns; a UTF-8 character is one column. */
static size_t fitting(const char *line, int columns)
{
    size_t length = 0;
    for (int column = 0; line[length]; length++)
        if ((line[length] & 0xC0) != 0x80 && ++column > columns)
            break;
    return length;
}

void tri__terminal_draw(tri__terminal *terminal, const char *line)
{
    if (!terminal->live)
        return;
    size_t length = fitting(line, tri__columns(terminal->file) - 1);
    pthread_mutex_lock(&terminal->lock);
    fprintf(terminal->file, "\r%.*s\033[K", (int)length, line);
    terminal->drawn = true;
    fflush(terminal->file);
    pthread_mutex_unlock(&terminal->lock);
}

void tri__terminal_wipe(tri__terminal *terminal)
{
    pthread_mutex_lock(&terminal->lock);
    wipe_locked(terminal);
    fflush(terminal->file);
    pthread_mutex_unlock(&terminal->lock);
}

void tri__terminal_say(tri__terminal *terminal, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&terminal->lock);
    wipe_locked(terminal);
    vfprintf(terminal->file, format, arguments);
    fputc('\n', terminal->file);
    fflush(terminal->file);
    pthread_mutex_unlock(&terminal->lock);
    va_end(arguments);
}

void tri__terminal_progress(tri__terminal *terminal, const char *line)
{
    if (terminal->live)
        tri__terminal_draw(terminal, line);
    else
        tri__terminal_say(terminal, "%s", line);
}

int64_t tri__terminal_interval(const tri__terminal *terminal)
{
    return terminal->live ? LIVE_INTERVAL : PLAIN_INTERVAL;
}
