/* error.c: libjpeg-turbo's errors as statuses. */
#include "data/photo/jpeg/error.h"

#include <jerror.h>

static void escape(j_common_ptr common)
{
    tri__jpeg_errors *errors = (tri__jpeg_errors *)common->err;
    errors->out_of_memory = errors->base.msg_code == JERR_OUT_OF_MEMORY;
    errors->base.format_message(common, errors->message);
    longjmp(errors->escape, 1);
}

/* Some cameras write a few extra bytes between segments, or odd version numbers. Such a photo is still complete. */
static bool is_harmless(int code)
{
    return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
}

static void emit_message(j_common_ptr common, int level)
{
    if (level < 0 && !is_harmless(common->err->msg_code))
        escape(common);
}

static void output_nothing(j_common_ptr common)
{
    (void)common;
}

struct jpeg_error_mgr *tri__jpeg_errors_init(tri__jpeg_errors *errors)
{
    struct jpeg_error_mgr *base = jpeg_std_error(&errors->base);
    base->error_exit = escape;
    base->emit_message = emit_message;
    base->output_message = output_nothing;
    return base;
}

tri_status tri__jpeg_guard(tri__jpeg_errors *errors, tri_status (*work)(void *context), void *context)
{
    if (setjmp(errors->escape) == 0)
        return work(context);
    return tri_fail(errors->out_of_memory ? TRI_NO_MEMORY : TRI_BAD_DATA, "%s", errors->message);
}
