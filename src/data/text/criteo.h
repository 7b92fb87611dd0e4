/* criteo.h: Criteo's click logs, as text: label, 13 whole numbers, 26 categories, with tabs between them; a field may be empty.
 *
 * Each field of a line becomes one feature of value 1. Its key is a hash of the field's number and its content, below options->features.
 * Numbers above 2 are put into buckets first, ⌊ln(x)²⌋, as the winners of Criteo's contest did; an empty field is a category of its own.
 * So every example has 39 features. */
#ifndef TRI_DATA_TEXT_CRITEO_H
#define TRI_DATA_TEXT_CRITEO_H

#include "data/source/file_format.h"

enum { TRI_CRITEO_NUMBERS = 13, TRI_CRITEO_CATEGORIES = 26, TRI_CRITEO_FIELDS = TRI_CRITEO_NUMBERS + TRI_CRITEO_CATEGORIES };

#define TRI_CRITEO_FEATURES INT64_C(1048576) /* where nobody says how many */

/* The content of a field as one word: equal words of one field are the same feature. */
#define TRI_CRITEO_EMPTY (UINT64_C(1) << 33)
uint64_t tri__criteo_number(int64_t number);
uint64_t tri__criteo_category(const char *text, size_t size);

/* The key of a field (0 … 38) that holds word; it is below features. */
int32_t tri__criteo_key(int field, uint64_t word, int64_t features);

/* Parse the line at *at. end: of the file, which may be behind the line. Returns NULL, or what is wrong; then *at is the place. */
const char *tri__criteo_parse(const char **at, const char *end, int64_t features, int32_t keys[TRI_CRITEO_FIELDS], int32_t *label);

/* Parse a line like tri__criteo_parse, into an example of the source. */
const char *tri__criteo_example(const tri_source *source, const char **at, const char *end, const tri__example_target *to);

/* Whether a file is Criteo text; head is its beginning. */
bool tri__criteo_is(const uint8_t *head, size_t size);

/* A sparse source over all files of a part, with options->features features. */
extern const tri__file_format tri__criteo_format;

#endif
