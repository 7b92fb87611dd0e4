/* error.h: turns libjpeg-turbo's errors into statuses.
 *
 * The library reports an error with a call that must not return. Our function for that call jumps back into tri__jpeg_guard, which called
 * the work that called the library. It also jumps on warnings that mean damage, where the library would fill the rest with grey. Nothing
 * is printed, and the program never exits. */
#ifndef TRI_DATA_PHOTO_JPEG_ERROR_H
#define TRI_DATA_PHOTO_JPEG_ERROR_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

#include "trireme/status.h"

typedef struct {
    struct jpeg_error_mgr base; /* first: the library knows this part */
    jmp_buf escape;
    bool out_of_memory;
    char message[JMSG_LENGTH_MAX];
} tri__jpeg_errors;

/* Let the library report to errors. Set the `err` of a decoder or encoder to the returned pointer. */
struct jpeg_error_mgr *tri__jpeg_errors_init(tri__jpeg_errors *errors);

/* Returns the status of work(context) or, if the library jumped out of it, a status with the library's error. When the library jumps, work
 * must not own anything that would be lost. */
TRI_MUST_CHECK tri_status tri__jpeg_guard(tri__jpeg_errors *errors, tri_status (*work)(void *context), void *context);

#endif
