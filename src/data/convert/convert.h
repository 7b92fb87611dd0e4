/* convert.h: writes a source as TFRecord files, in partitions that threads and processes share.
 *
 * What a partition holds follows from the request alone: the seed shuffles the records, and each file takes an equal share of them, give
 * or take one record. So any number of threads and processes write the same bytes. A conversion that was killed can continue: finished
 * partitions are kept. A file gets its final name only when it is complete. */
#ifndef TRI_DATA_CONVERT_CONVERT_H
#define TRI_DATA_CONVERT_CONVERT_H

#include <signal.h>

#include "trireme/dataset.h"

typedef enum { TRI_ENCODE_RAW, TRI_ENCODE_JPEG } tri__encoding; /* of pictures */

typedef struct {
    const char *spec;
    tri_source_options source; /* also says to which size pictures are resized */
    const char *out;
    int64_t partitions; /* of each part */
    tri__encoding encoding;
    uint64_t seed;
    int64_t skip_bad;                  /* up to this many damaged records are left out; more are an error */
    int workers;                       /* threads */
    const volatile sig_atomic_t *stop; /* checked before each record: if not 0, the call returns TRI_STOPPED. May be NULL */
    void (*progress)(void *context, int64_t done, int64_t all); /* records, also of other processes; any thread calls it; may be NULL */
    void *context;
} tri__convert_request;

typedef struct {
    int64_t records, partitions, bytes; /* of the whole conversion */
    int64_t written;                    /* records, by this process */
    int64_t damaged;                    /* records left out */
    int64_t classes;                    /* 0 where unknown */
    int64_t *class_counts;              /* [classes] */
    char **class_names;                 /* [classes], or NULL */
} tri__convert_result;

/* Returns when every partition is finished, by this process or another. TRI_BAD_CALL if the folder holds anything but this conversion. */
TRI_MUST_CHECK tri_status tri__data_convert(const tri__convert_request *request, tri__convert_result *out);
void tri__convert_result_fini(tri__convert_result *result);

#endif
