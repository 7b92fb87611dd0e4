/* make.h: writes synthetic data sets as files, to try a pipeline at any size. What is written follows from the request alone,
 * whatever the number of threads. */
#ifndef TRI_DATA_MAKE_MAKE_H
#define TRI_DATA_MAKE_MAKE_H

#include <signal.h>

#include "base/thread/pool.h"
#include "trireme/dataset.h"

typedef struct {
    const char *out;       /* the folder to make; a maker gets a temporary one, which is empty */
    int64_t count;         /* training examples; tri__source_test_share(count) test examples are added */
    int64_t classes;       /* this and the fields down to format: only if the maker's row lists the option */
    int64_t height, width; /* of pictures */
    int64_t features;      /* of clicks */
    int64_t partitions;    /* number of files for the training examples */
    const char *format;    /* of those files */
    uint64_t seed;
    tri__pool *pool;
    const volatile sig_atomic_t *stop; /* checked between examples: if not 0, the call returns TRI_STOPPED. May be NULL */
    void (*progress)(void *context, int64_t done, int64_t all); /* counts examples; any thread calls it; may be NULL */
    void *context;
} tri__make_request;

typedef struct {
    int64_t records, files, bytes;
} tri__make_result;

/* A kind of data that can be made: one row of the table in make.c. */
typedef struct {
    const char *name;           /* "images" */
    const char *options;        /* command-line options that it uses, besides count, seed and workers: "classes size" */
    tri__make_request standard; /* the value for each field that is 0 in the request */
    tri_status (*make)(const tri__make_request *request, tri__make_result *out);
} tri__make_kind;

/* For makers: reports how many examples are done. Returns TRI_STOPPED where the work should end. Any thread may call it. */
TRI_MUST_CHECK tri_status tri__make_tell(const tri__make_request *request, int64_t done, int64_t all);

TRI_MUST_CHECK tri_status tri__make_find(const char *name, const tri__make_kind **out); /* the message of TRI_BAD_CALL lists the kinds */

/* Make the data set under a temporary name beside request->out, and rename it when it is complete. Remove what a killed call for
 * the same folder left behind. TRI_BAD_CALL if request->out exists and is not an empty folder. */
TRI_MUST_CHECK tri_status tri__data_make(const tri__make_kind *kind, const tri__make_request *request, tri__make_result *out);

#endif
