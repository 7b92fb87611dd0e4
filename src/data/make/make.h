/* make.h: synthetic data sets written as files, for trying a pipeline at any size. What is written follows from the request alone,
 * whatever the number of threads. */
#ifndef TRI_DATA_MAKE_MAKE_H
#define TRI_DATA_MAKE_MAKE_H

#include <signal.h>

#include "base/thread/pool.h"
#include "trireme/dataset.h"

typedef struct {
    const char *out;       /* the folder; for a maker: one that is there and empty */
    int64_t count;         /* training examples; tri__source_test_share as many test examples come with them */
    int64_t classes;       /* … and what else a maker's row says that it heeds */
    int64_t height, width; /* of pictures */
    int64_t features;      /* of clicks */
    int64_t partitions;    /* files that the training examples are spread over */
    const char *format;    /* of those files */
    uint64_t seed;
    tri__pool *pool;
    const volatile sig_atomic_t *stop;                          /* looked at between examples; not 0: end, TRI_STOPPED. May be NULL */
    void (*progress)(void *context, int64_t done, int64_t all); /* in examples; called from any thread; may be NULL */
    void *context;
} tri__make_request;

typedef struct {
    int64_t records, files, bytes;
} tri__make_result;

/* A kind of data that can be made: one row of the table in make.c. */
typedef struct {
    const char *name;           /* "images" */
    const char *options;        /* of the command line that it heeds beside count, seed and workers: "classes size" */
    tri__make_request standard; /* where the request has 0 */
    tri_status (*make)(const tri__make_request *request, tri__make_result *out);
} tri__make_kind;

/* For makers: reports how many examples are done. Returns TRI_STOPPED where the work should end. Any thread may call it. */
TRI_MUST_CHECK tri_status tri__make_tell(const tri__make_request *request, int64_t done, int64_t all);

TRI_MUST_CHECK tri_status tri__make_find(const char *name, const tri__make_kind **out); /* TRI_BAD_CALL names those there are */

/* Make the data set under a temporary name beside request->out, and rename it when it is whole. What a killed call left of
 * the same data set is removed. TRI_BAD_CALL where there is something at request->out already. */
TRI_MUST_CHECK tri_status tri__data_make(const tri__make_kind *kind, const tri__make_request *request, tri__make_result *out);

#endif
