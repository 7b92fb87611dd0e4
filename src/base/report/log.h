/* log.h: messages for people, through a sink that the caller owns. No room but cli decides where they go. */
#ifndef TRI_BASE_REPORT_LOG_H
#define TRI_BASE_REPORT_LOG_H

#include "trireme/status.h"

typedef enum { TRI_LOG_DEBUG, TRI_LOG_INFO, TRI_LOG_WARNING, TRI_LOG_ERROR } tri__log_level;

/* Receives whole lines without their newline. Must be safe to call from any thread. */
typedef struct tri__log {
    void (*write)(struct tri__log *log, tri__log_level level, const char *line);
    tri__log_level least; /* lines below this level are not made */
} tri__log;

/* log may be NULL: then nothing happens. */
void tri__log_line(tri__log *log, tri__log_level level, const char *format, ...) TRI_FORMAT(3, 4);

#endif
