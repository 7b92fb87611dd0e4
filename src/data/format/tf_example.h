/* tf_example.h: tf.Example, the message that TFRecord files usually hold: named features, each a list of bytes, floats or 64-bit integers.
 *
 *   Example   { Features features = 1; }
 *   Features  { map<string, Feature> feature = 1; }   an entry is { string key = 1; Feature value = 2; }
 *   Feature   { oneof { BytesList = 1; FloatList = 2; Int64List = 3; } }
 *   …List     { repeated … value = 1; }               numbers are packed, or one by one in old files
 *
 * Reading copies nothing and allocates nothing. It trusts nothing: lists are checked when they are read. */
#ifndef TRI_DATA_FORMAT_TF_EXAMPLE_H
#define TRI_DATA_FORMAT_TF_EXAMPLE_H

#include "base/bytes/wire.h"

/* The numbers are those of the fields of Feature. */
typedef enum { TRI_FEATURE_NONE, TRI_FEATURE_BYTES, TRI_FEATURE_FLOATS, TRI_FEATURE_INTEGERS } tri__feature_kind;

typedef struct {
    tri__feature_kind kind; /* TRI_FEATURE_NONE: the record does not have it */
    tri__wire_reader list;  /* the values, in the bytes of the record; if `several`, the lists of values */
    bool several;           /* the values are in several lists, one after another */
} tri__feature;

enum { TRI_TF_EXAMPLE_WANTED = 16 }; /* the most features that can be asked for at once */

/* The features that a caller wants from many records. The query remembers which feature was at which position in the last record: files
 * that one program wrote have the same order in every record, so each name is compared only once. One thread uses a query. */
typedef struct {
    const char *names[TRI_TF_EXAMPLE_WANTED];
    size_t lengths[TRI_TF_EXAMPLE_WANTED]; /* of the names */
    int count;
    int last[TRI_TF_EXAMPLE_WANTED]; /* by position in the last record: which feature was there */
} tri__tf_example_query;

/* names end with NULL, and are borrowed as long as the query is used. */
void tri__tf_example_query_init(tri__tf_example_query *query, const char *const *names);

/* Find the wanted features of a record: found[i] is the feature called names[i]. False if the bytes are not a tf.Example. */
bool tri__tf_example_find(tri__tf_example_query *query, const uint8_t *data, size_t size, tri__feature *found);

/* Store the values of a list, at most room. Returns how many there are, or −1 if the list is damaged or of another kind. */
int64_t tri__feature_integers(const tri__feature *feature, int64_t *out, int64_t room);
int64_t tri__feature_floats(const tri__feature *feature, float *out, int64_t room);

/* Whether all values of a list of this kind are one packed run of fewer than 16,384 bytes, as is usual; *run is then these bytes. */
bool tri__feature_packed(const tri__feature *feature, tri__feature_kind kind, tri__wire_reader *run);
bool tri__feature_bytes(const tri__feature *feature, const uint8_t **data, size_t *size); /* the first value; false if there is none */

/* Makes records, one after another, in the same memory. A zeroed writer is ready. */
typedef struct {
    tri__wire_buffer features; /* the features, after room for the head that finish writes */
} tri__tf_example_writer;

void tri__tf_example_begin(tri__tf_example_writer *example); /* start a new record; the last one is gone */
void tri__tf_example_add_integers(tri__tf_example_writer *example, const char *name, const int64_t *values, size_t count);
void tri__tf_example_add_floats(tri__tf_example_writer *example, const char *name, const float *values, size_t count);
void tri__tf_example_add_bytes(tri__tf_example_writer *example, const char *name, const void *data, size_t size);

/* The complete record, valid until the next begin. Fails only if memory ran out. */
TRI_MUST_CHECK tri_status tri__tf_example_finish(tri__tf_example_writer *example, const uint8_t **data, size_t *size);
void tri__tf_example_fini(tri__tf_example_writer *example);

#endif
