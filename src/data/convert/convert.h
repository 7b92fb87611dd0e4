/* convert.h: a source written as TFRecord files, in partitions that threads and processes share.
 *
 * What a partition holds follows from the request alone: the records, shuffled by the seed, are dealt out to the files, whose sizes
 * differ by one record at most. So any number of threads and processes write the same bytes, and a conversion that was killed goes on:
 * partitions that are there are kept. A file has its final name only when it is whole. */
#ifndef TRI_DATA_CONVERT_CONVERT_H
#define TRI_DATA_CONVERT_CONVERT_H

#include <signal.h>

#include "trireme/dataset.h"

typedef enum { TRI_ENCODE_RAW, TRI_ENCODE_JPEG } tri__encoding; /* of pictures */

typedef struct {
    const char *spec;
    tri_source_options source; /* with the size that pictures are brought to */
    const char *out;
    int64_t partitions; /* of each part */
    tri__encoding encoding;
    uint64_t seed;
    int64_t skip_bad;                                           /* so many damaged records are left out; one more is an error */
    int workers;                                                /* threads */
    const volatile sig_atomic_t *stop;                          /* looked at between records; not 0: end, TRI_STOPPED. May be NULL */
    void (*progress)(void *context, int64_t done, int64_t all); /* records, those of others included; from any thread; may be NULL */
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

/* Returns when every partition is finished, whoever wrote it. TRI_BAD_CALL where the folder holds something else than this conversion. */
TRI_MUST_CHECK tri_status tri__data_convert(const tri__convert_request *request, tri__convert_result *out);
void tri__convert_result_fini(tri__convert_result *result);

#endif
