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

typedef enum { TRI_FEATURE_NONE, TRI_FEATURE_BYTES, TRI_FEATURE_FLOATS, TRI_FEATURE_INTEGERS } tri__feature_kind; /* as numbered above */

typedef struct {
    tri__feature_kind kind; /* TRI_FEATURE_NONE: the record does not have it */
    tri__wire_reader list;  /* its values, as they stand in the record … */
    bool several;           /* … in several lists, one after another: then list holds these */
} tri__feature;

enum { TRI_TF_EXAMPLE_WANTED = 16 }; /* the most features that can be asked for at once */

/* The features that somebody wants of many records. It remembers which feature stood at which position in the last record: in files that
 * one program wrote they all have the same order, and each name is compared once. One thread uses it. */
typedef struct {
    const char *names[TRI_TF_EXAMPLE_WANTED];
    size_t lengths[TRI_TF_EXAMPLE_WANTED]; /* of the names */
    int count;
    int last[TRI_TF_EXAMPLE_WANTED]; /* by position in the record: which it was */
} tri__tf_example_query;

/* names are borrowed; they end in NULL. */
void tri__tf_example_query_init(tri__tf_example_query *query, const char *const *names);

/* Find the wanted features of a record: found[i] is what names[i] asked for. False where the bytes are no tf.Example. */
bool tri__tf_example_find(tri__tf_example_query *query, const uint8_t *data, size_t size, tri__feature *found);

/* The values of a list. At most room are stored; how many there are is returned, −1 where the list is damaged or of another kind. */
int64_t tri__feature_integers(const tri__feature *feature, int64_t *out, int64_t room);
int64_t tri__feature_floats(const tri__feature *feature, float *out, int64_t room);
bool tri__feature_bytes(const tri__feature *feature, const uint8_t **data, size_t *size); /* the first value; false: there is none */

/* A record being made; zeroed, it is ready. Its memory serves one record after another. */
typedef struct {
    tri__wire_buffer features; /* behind room for their head */
} tri__tf_example_writer;

void tri__tf_example_begin(tri__tf_example_writer *example); /* a new record; what was there is gone */
void tri__tf_example_add_integers(tri__tf_example_writer *example, const char *name, const int64_t *values, size_t count);
void tri__tf_example_add_floats(tri__tf_example_writer *example, const char *name, const float *values, size_t count);
void tri__tf_example_add_bytes(tri__tf_example_writer *example, const char *name, const void *data, size_t size);

/* The whole record, valid until the next begin. Fails only where memory ran out. */
TRI_MUST_CHECK tri_status tri__tf_example_finish(tri__tf_example_writer *example, const uint8_t **data, size_t *size);
void tri__tf_example_fini(tri__tf_example_writer *example);

#endif
