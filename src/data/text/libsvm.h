/* libsvm.h: LIBSVM and SVMlight text: a label, then index:value for every feature that is not zero.
 *
 *     +1 3:0.5 17:1 204:-2.25e-3  # a comment
 *
 * Labels are −1 and +1, class numbers, or others with one step between them, such as 2 and 4: what the files show decides
 * (data/source/labels.h). For a model that learns numbers, or where most labels are no classes, a label is a number. For a model that
 * learns sets of labels it is a list, "1,3,7", which may be empty. Indices count from 1, unless an index 0 occurs: then they count from 0
 * (options->numbering says otherwise). qid:N is passed over, and so are empty lines and lines of comment. */
#ifndef TRI_DATA_TEXT_LIBSVM_H
#define TRI_DATA_TEXT_LIBSVM_H

#include "data/source/file_format.h"

#define TRI_LIBSVM_LARGEST_INDEX INT32_MAX

/* What a line holds, besides the features themselves. */
typedef struct {
    float label;             /* the first … */
    int64_t labels;          /* … of so many */
    int64_t features;        /* in the line */
    int64_t lowest, highest; /* of its indices; INT64_MAX and −1 where it has none */
} tri__libsvm_line_facts;

/* Read the line at *at, with the rest of the file up to end behind it; its first room features go to keys (index − base) and values. NULL
 * where all is well: *at is the end of the line or its comment then. Otherwise what is wrong there. */
const char *tri__libsvm_parse(const char **at, const char *end, int64_t base, int64_t room, int32_t *keys, float *values,
                              tri__libsvm_line_facts *seen);

enum { TRI_LIBSVM_FAULT = 160 };

/* As tri__libsvm_parse, into an example of the source, which has bounds for all that stands in it. False where it is damaged: fault says
 * how, at *at. */
bool tri__libsvm_example(const tri_source *source, const char **at, const char *end, const tri__example_target *to,
                         char fault[TRI_LIBSVM_FAULT]);

/* Where the text of a line begins, behind its blanks; NULL where it holds no example. */
const char *tri__libsvm_begin(const char *at, const char *end);

/* Whether a file begins so; head is its beginning. */
bool tri__libsvm_is(const uint8_t *head, size_t size);

/* A sparse source over all files of a part. options->features bounds the features: more is damage. */
extern const tri__file_format tri__libsvm_format;

#endif
