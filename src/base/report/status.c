/* status.c: errors as values. An error owns its cause and one line of text that already contains the cause's, so reading it never fails. */
#include "trireme/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tri_error {
    tri_code code;
    struct tri_error *cause;
    char message[];
};

/* What tri_fail returns when there is no memory for the error itself. Never freed, never changed. */
static struct {
    tri_code code;
    struct tri_error *cause;
    char message[16];
} no_memory = {TRI_NO_MEMORY, NULL, "out of memory"};

static tri_status shared_no_memory(void)
{
    return (tri_status)(void *)&no_memory;
}

tri_code tri_status_code(tri_status status)
{
    return status ? status->code : TRI_OK;
}

const char *tri_status_message(tri_status status)
{
    return status ? status->message : "";
}

tri_status tri_status_cause(tri_status status)
{
    return status ? status->cause : NULL;
}

void tri_status_free(tri_status status)
{
    while (status && status != shared_no_memory()) {
        tri_status cause = status->cause;
        free(status);
        status = cause;
    }
}

const char *tri_code_name(tri_code code)
{
    static const char *const names[] = {
        [TRI_OK] = "ok",
        [TRI_BAD_CALL] = "bad call",
        [TRI_BAD_DATA] = "bad data",
        [TRI_NOT_FOUND] = "not found",
        [TRI_IO] = "input or output failed",
        [TRI_NO_MEMORY] = "out of memory",
        [TRI_UNSUPPORTED] = "not supported",
        [TRI_DIVERGED] = "diverged",
        [TRI_STOPPED] = "stopped",
        [TRI_TIMEOUT] = "timed out",
        [TRI_INTERNAL] = "internal error",
    };
    return (size_t)code < sizeof names / sizeof *names ? names[code] : "unknown";
}

/* An error whose message is the formatted text, then ": " and the cause's message where there is a cause. */
static tri_status make(tri_code code, tri_status cause, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t tail = cause ? strlen(cause->message) + 2 : 0;
    tri_status status = length < 0 ? NULL : malloc(sizeof *status + (size_t)length + tail + 1);
    if (!status) {
        tri_status_free(cause);
        return shared_no_memory();
    }
    status->code = code;
    status->cause = cause;
    vsnprintf(status->message, (size_t)length + 1, format, arguments);
    if (cause)
        snprintf(status->message + length, tail + 1, ": %s", cause->message);
    return status;
}

tri_status tri_fail(tri_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tri_status status = make(code, NULL, format, arguments);
    va_end(arguments);
    return status;
}

tri_status tri_wrap(tri_status cause, const char *format, ...)
{
    if (!cause)
        return NULL;
    va_list arguments;
    va_start(arguments, format);
    tri_status status = make(cause->code, cause, format, arguments);
    va_end(arguments);
    return status;
}
