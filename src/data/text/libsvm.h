/* libsvm.h: LIBSVM and SVMlight text: a label, then index:value for every feature that is not zero.
 *
 *     +1 3:0.5 17:1 204:-2.25e-3  # a comment
 *
 * Labels are −1 and +1, class numbers, or others with an equal step between them, such as 2 and 4: the labels in the files decide
 * (data/source/labels.h). If the model learns numbers, or most labels cannot be classes, a label is a number. If the model learns sets of
 * labels, it is a list, "1,3,7", which may be empty. Indices count from 1 or, if an index 0 occurs, from 0; options->numbering overrides
 * this. qid:N, empty lines and lines of comment are skipped. */
#ifndef TRI_DATA_TEXT_LIBSVM_H
#define TRI_DATA_TEXT_LIBSVM_H

#include "data/source/file_format.h"

#define TRI_LIBSVM_LARGEST_INDEX INT32_MAX

/* What a line holds, besides the features themselves. */
typedef struct {
    float label;             /* the first label */
    int64_t labels;          /* how many labels there are */
    int64_t features;        /* how many features there are */
    int64_t lowest, highest; /* indices; INT64_MAX and −1 if there are none */
} tri__libsvm_line_facts;

/* Parse the line at *at. end: of the file, which may be behind the line. The first features, up to room, go to keys (index − base) and
 * values. Returns NULL, and moves *at to the end of the line or to its comment; or returns what is wrong, and *at is the place. */
const char *tri__libsvm_parse(const char **at, const char *end, int64_t base, int64_t room, int32_t *keys, float *values,
                              tri__libsvm_line_facts *seen);

enum { TRI_LIBSVM_FAULT = 224 };

/* Parse a line like tri__libsvm_parse, into an example of the source, and check labels and indices against the source. False if the line is
 * damaged: fault says how, and *at is the place. */
bool tri__libsvm_example(const tri_source *source, const char **at, const char *end, const tri__example_target *to,
                         char fault[TRI_LIBSVM_FAULT]);

/* Where the text of a line begins, after blanks; NULL if the line holds no example. */
const char *tri__libsvm_begin(const char *at, const char *end);

/* Whether a file is LIBSVM text; head is its beginning. */
bool tri__libsvm_is(const uint8_t *head, size_t size);

/* A sparse source over all files of a part. If options->features is set, an index beyond it is damage. */
extern const tri__file_format tri__libsvm_format;

#endif
