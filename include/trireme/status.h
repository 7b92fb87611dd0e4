/* status.h: how every call that can fail says so.
 *
 * A tri_status is NULL on success. Otherwise it is an error that the receiver owns: hand it on with `return`, give it context with
 * tri_wrap, or end it with tri_status_free. The message says what was being done, to what, and what to do about it; a cause, where
 * there is one, is the error that lay underneath. A status may travel between threads: nothing about it is global. */
#ifndef TRIREME_STATUS_H
#define TRIREME_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define TRI_MUST_CHECK          __attribute__((warn_unused_result))
#define TRI_FORMAT(text, first) __attribute__((format(printf, text, first)))

typedef enum {
    TRI_OK,
    TRI_BAD_CALL,  /* the caller's mistake: a wrong option, shape or name */
    TRI_BAD_DATA,  /* a file or message that is damaged or of another kind */
    TRI_NOT_FOUND, /* a file, data set, model or name that is not there */
    TRI_IO,        /* the operating system refused: disk full, no permission, … */
    TRI_NO_MEMORY,
    TRI_UNSUPPORTED, /* right, but not available in this build or on this machine */
    TRI_DIVERGED,    /* the loss is no longer a number */
    TRI_STOPPED,     /* asked to stop, by a signal or by another task */
    TRI_TIMEOUT,     /* a wait reached its deadline */
    TRI_INTERNAL,    /* a library failed in a way that the caller cannot mend */
} tri_code;

typedef struct tri_error *tri_status;

tri_code tri_status_code(tri_status status);       /* TRI_OK for NULL */
const char *tri_status_message(tri_status status); /* the whole chain as one line, "" for NULL; lives as long as status */
tri_status tri_status_cause(tri_status status);    /* borrowed; NULL where there is none */
void tri_status_free(tri_status status);           /* accepts NULL */
const char *tri_code_name(tri_code code);          /* "bad data", as messages and tests use it */

/* Make an error. Never returns NULL: when memory is short it returns a static out-of-memory error. */
TRI_MUST_CHECK tri_status tri_fail(tri_code code, const char *format, ...) TRI_FORMAT(2, 3) __attribute__((returns_nonnull));

/* Put context before an error: "format…: message of cause". Takes ownership of cause and keeps its code. NULL stays NULL. */
TRI_MUST_CHECK tri_status tri_wrap(tri_status cause, const char *format, ...) TRI_FORMAT(2, 3);

/* Return from the calling function if expression failed. */
#define TRI_TRY(expression)                                                                                                                \
    do {                                                                                                                                   \
        tri_status tri_try_status = (expression);                                                                                          \
        if (tri_try_status)                                                                                                                \
            return tri_try_status;                                                                                                         \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
