/* clicks.h: synthetic click records like Criteo's: 13 numbers, 26 categories, and a label that a hidden model draws.
 *
 * Sizes of vocabularies, largest numbers and shares of empty fields are those of Criteo's published log, with the vocabularies scaled to
 * the number of features. Values follow Zipf's law: the n-th most frequent value occurs 1/n as often as the first. The hidden model is a
 * logistic regression with a weight for each value of each field, and a bias that makes a quarter of all records clicks. A record depends
 * on the seed, the part and its number alone; the model depends on the seed alone. */
#ifndef TRI_DATA_MAKE_CLICKS_H
#define TRI_DATA_MAKE_CLICKS_H

#include "data/text/criteo.h"

#define TRI_CLICKS_MOST_FEATURES INT32_MAX

enum { TRI_CLICKS_OCTAVES = 32 };

/* Zipf's law over 1 … size. A draw chooses an octave first, the numbers from 2^k to 2^(k+1) − 1, then a number within it. */
typedef struct {
    uint64_t size;
    int octaves;
    uint64_t until[TRI_CLICKS_OCTAVES]; /* probability of this octave or one before it, times 2³² */
} tri__zipf;

typedef struct {
    uint64_t records, model; /* keys of their random numbers */
    int64_t features;
    double bias;
    tri__zipf fields[TRI_CRITEO_FIELDS];
} tri__clicks;

typedef struct {
    int64_t numbers[TRI_CRITEO_NUMBERS];
    uint32_t categories[TRI_CRITEO_CATEGORIES]; /* in text: 8 hexadecimal digits */
    uint64_t empty;                             /* bit i: field i is empty */
    int32_t label;
    double chance; /* the hidden model's probability that the label is 1 */
} tri__click;

/* features: 1 … TRI_CLICKS_MOST_FEATURES */
void tri__clicks_init(tri__clicks *clicks, uint64_t seed, tri_part part, int64_t features);
void tri__clicks_make(const tri__clicks *clicks, int64_t record, tri__click *out);

/* The features of a click: the same that its text would have. */
void tri__click_keys(const tri__click *click, int64_t features, int32_t keys[TRI_CRITEO_FIELDS]);

/* Write a click as a line of Criteo text, with its newline. Returns its length in bytes. */
#define TRI_CLICK_LONGEST 600
size_t tri__click_text(const tri__click *click, char out[TRI_CLICK_LONGEST]);

/* The source clicks:FEATURES[:N]. */
TRI_MUST_CHECK tri_status tri__clicks_open(const char *arguments, tri_part part, const tri_source_options *options, tri_source **out);

#endif
