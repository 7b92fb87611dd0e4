/* error.h: libjpeg-turbo's errors as statuses.
 *
 * The library tells of an error by a call that must not return: here it jumps back into tri__jpeg_guard, which called the work that
 * called the library. Warnings that mean damage jump, too: the library would fill the rest with grey. Nothing is printed, nothing exits. */
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

/* Let the library report to errors; gives what the `err` of a decoder or encoder is set to. */
struct jpeg_error_mgr *tri__jpeg_errors_init(tri__jpeg_errors *errors);

/* The status of work(context), or, where the library jumped out of it, of the error that it told. Work holds nothing that would be
 * lost by that. */
TRI_MUST_CHECK tri_status tri__jpeg_guard(tri__jpeg_errors *errors, tri_status (*work)(void *context), void *context);

#endif
