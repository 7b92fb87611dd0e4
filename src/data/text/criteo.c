/* criteo.c: a source over Criteo's click logs. The index of a file holds where its lines begin; a line is parsed only when it is read. */
#include "data/text/criteo.h"

#include <math.h>
#include <string.h>

#include "data/source/file_source.h"
#include "data/source/key_hash.h"
#include "data/text/lines.h"
#include "data/text/number.h"

#define LARGEST_PLAIN 2                   /* numbers up to it are not put into buckets */
#define BUCKETS       (UINT64_C(1) << 32) /* the bit that marks a bucket; plain numbers do not have it */
#define CONTROL_CODES UINT64_C(0x2020202020202020)
#define HIGH_BITS     UINT64_C(0x8080808080808080)

uint64_t tri__criteo_number(int64_t number)
{
    if (number <= LARGEST_PLAIN)
        return (uint64_t)number;
    double logarithm = log((double)number);
    return BUCKETS | (uint64_t)(logarithm * logarithm);
}

static inline uint64_t keep_bytes(uint64_t word, int count)
{
    return count < 8 ? word & ~(UINT64_MAX << (8 * count)) : word;
}

uint64_t tri__criteo_category(const char *text, size_t size)
{
    uint64_t word = size > 0 ? tri__text_word(text, text + size) : TRI_CRITEO_EMPTY;
    for (size_t at = 8; at < size; at += 8)
        word = tri__key_mix(word) ^ tri__text_word(text + at, text + size);
    return word;
}

/* Inlined where a line is parsed, once for each field. */
static inline int32_t key_of(int field, uint64_t word, int64_t features)
{
    return tri__key_hash(word + (uint64_t)field * UINT64_C(0x9e3779b97f4a7c15), features);
}

int32_t tri__criteo_key(int field, uint64_t word, int64_t features)
{
    return key_of(field, word, features);
}

/* How many bytes, from the first on, belong to a field's text: those before a tab or another control code, or the end. */
static inline int bytes_of_field(uint64_t word)
{
    uint64_t codes = (word - CONTROL_CODES) & ~word & HIGH_BITS;
    return codes ? __builtin_ctzll(codes) / 8 : 8;
}

static inline const char *read_category(const char *at, const char *end, uint64_t *out)
{
    uint64_t first = tri__text_word(at, end);
    int count = bytes_of_field(first);
    if (count < 8 || (unsigned char)tri__text_look(at + 8, end) < ' ') {
        *out = count > 0 ? keep_bytes(first, count) : TRI_CRITEO_EMPTY;
        return at + count;
    }
    const char *behind = at + 8;
    while (behind < end && (unsigned char)*behind >= ' ')
        behind++;
    *out = tri__criteo_category(at, (size_t)(behind - at));
    return behind;
}

static inline const char *read_number(const char *at, const char *end, uint64_t *out)
{
    uint64_t number;
    bool negative = tri__text_look(at, end) == '-';
    const char *behind = tri__number_whole(at + negative, end, &number);
    if (!behind && !negative && (at == end || (unsigned char)*at < ' ')) {
        *out = TRI_CRITEO_EMPTY;
        return at;
    }
    if (behind)
        *out = tri__criteo_number(negative ? -(int64_t)number : (int64_t)number);
    return behind;
}

static bool is_end(const char *at, const char *end)
{
    return at == end || *at == '\n' || (*at == '\r' && (at + 1 == end || at[1] == '\n'));
}

const char *tri__criteo_parse(const char **line, const char *end, int64_t features, int32_t keys[TRI_CRITEO_FIELDS], int32_t *label)
{
    const char *at = *line;
    if (end - at < 2 || (at[0] != '0' && at[0] != '1') || at[1] != '\t')
        return "a line should begin with the label, 0 or 1, and a tab";
    *label = *at++ - '0';
    for (int field = 0; field < TRI_CRITEO_FIELDS; field++) {
        *line = at;
        if (tri__text_look(at, end) != '\t')
            return "a tab should stand here: a line has a label, 13 numbers and 26 categories";
        at++;
        uint64_t word;
        const char *behind = field < TRI_CRITEO_NUMBERS ? read_number(at, end, &word) : read_category(at, end, &word);
        if (!behind) {
            *line = at;
            return "a whole number, or nothing, should stand here";
        }
        keys[field] = key_of(field, word, features);
        at = behind;
    }
    *line = at;
    return is_end(at, end) ? NULL : "the line should end here: it has a label, 13 numbers and 26 categories";
}

bool tri__criteo_is(const uint8_t *head, size_t size)
{
    const char *end = (const char *)head + size, *at = tri__text_begin((const char *)head, end);
    int32_t keys[TRI_CRITEO_FIELDS], label;
    return !tri__criteo_parse(&at, end, 1, keys, &label);
}

static tri_status scan(const char *path, const tri__content *content, tri__index *index)
{
    (void)path;
    const char *begin = (const char *)content->data, *end = begin + content->size;
    for (const char *at = tri__text_begin(begin, end); at < end; at = tri__line_next(at, end))
        if (is_end(at, end))
            index->facts[TRI_LINES_EMPTY]++;
        else
            TRI_TRY(tri__index_add(index, at - begin));
    return NULL;
}

const char *tri__criteo_example(const tri_source *source, const char **at, const char *end, const tri__example_target *to)
{
    const char *wrong = tri__criteo_parse(at, end, source->info.shape.dim[0], to->keys, to->label);
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++)
        to->values[i] = 1;
    *to->count = TRI_CRITEO_FIELDS;
    return wrong || source->fields == 0 || source->fields >= TRI_CRITEO_FIELDS ? wrong
                                                                               : "39 features, more than the model puts side by side";
}

static tri_status criteo_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const tri__file_source *self = (const tri__file_source *)reader->source;
    tri__line line = tri__line_find(&self->files, record);
    const char *at = line.at;
    const char *wrong = tri__criteo_example(&self->source, &at, line.end, to);
    return wrong ? tri__line_damaged(&line, at, wrong) : NULL;
}

static const tri__source_kind criteo_kind = {
    .read = criteo_read,
    .file_of = tri__file_source_path,
    .destroy = tri__file_source_destroy,
};

static tri_status describe(tri__file_source *self, const tri__file_set *set, const int64_t *facts, const tri_source_options *options)
{
    (void)set, (void)facts;
    tri__source_set_sparse(&self->source, "criteo", TRI_CRITEO_FEATURES, TRI_CRITEO_FIELDS, 2, options);
    self->source.info.features_by = TRI_FEATURES_BY_COLUMN;
    return NULL;
}

static const tri__file_source_format source_format = {
    .size = sizeof(tri__file_source),
    .index = {.name = "criteo-3", .scan = scan},
    .kind = &criteo_kind,
    .describe = describe,
};

const tri__file_format tri__criteo_format = {
    .name = "Criteo",
    .description = "Criteo text",
    .is = tri__criteo_is,
    .records = &source_format,
};
