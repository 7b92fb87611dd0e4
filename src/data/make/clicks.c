/* clicks.c: synthetic click records.
 *
 * A record's random numbers are a SplitMix64 sequence that starts with a Philox number of the record. So any record can be made alone, in
 * half a microsecond. A weight of the hidden model is a function of the seed, the field and the value: no weights are stored, however many
 * features there are. */
#include "data/make/clicks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/memory/memory.h"
#include "data/source/key_hash.h"

#define DEFAULT_EXAMPLES    INT64_C(1000000)
#define MOST_EXAMPLES       INT64_C(1000000000000)
#define CLICKED             0.256 /* share of records that are clicks, as in Criteo's log */
#define STRENGTH            0.3   /* standard deviation of a weight */
#define TRIALS              4096  /* records from which the bias is computed */
#define CRITEO_VOCABULARY   33762577.0
#define SMALLEST_VOCABULARY 10

/* Criteo's fields: size is the largest number, or how many categories there are; empty is how many of 1000 are empty. */
static const struct {
    int64_t size;
    int empty;
} forms[TRI_CRITEO_FIELDS] = {
    {5775, 454},   {257675, 0},   {65535, 215}, {969, 217},  {23159456, 26}, {431037, 224}, {56311, 43},   {6047, 1},
    {29019, 43},   {11, 454},     {231, 43},    {4008, 765}, {7393, 217},    {1460, 0},     {583, 0},      {10131227, 34},
    {2202608, 34}, {305, 0},      {24, 121},    {12517, 0},  {633, 0},       {3, 0},        {93145, 0},    {5683, 0},
    {8351593, 34}, {3194, 0},     {27, 0},      {14992, 0},  {5461306, 34},  {10, 0},       {5652, 0},     {2173, 440},
    {4, 440},      {7046547, 34}, {18, 763},    {15, 0},     {286181, 34},   {105, 440},    {142572, 440},
};

enum { FIELD_WITH_NEGATIVES = 1, SMALLEST_NUMBER = -2 };

static inline uint64_t next(uint64_t *state)
{
    return tri__key_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Σ 1/n for n from first to last */
static double harmonic(uint64_t first, uint64_t last)
{
    if (first >= 1024)
        return log(((double)last + 0.5) / ((double)first - 0.5));
    double sum = 0;
    for (uint64_t n = first; n <= last; n++)
        sum += 1 / (double)n;
    return sum;
}

static uint64_t octave_end(uint64_t size, int octave)
{
    uint64_t last = (UINT64_C(2) << octave) - 1;
    return last < size ? last : size;
}

static void zipf_init(tri__zipf *zipf, uint64_t size)
{
    *zipf = (tri__zipf){.size = size, .octaves = 64 - __builtin_clzll(size)};
    double all = 0, sum = 0;
    for (int k = 0; k < zipf->octaves; k++)
        all += harmonic(UINT64_C(1) << k, octave_end(size, k));
    for (int k = 0; k < zipf->octaves; k++) {
        sum += harmonic(UINT64_C(1) << k, octave_end(size, k));
        zipf->until[k] = k + 1 < zipf->octaves ? (uint64_t)(sum / all * 0x1p32) : UINT64_C(1) << 32;
    }
}

static uint64_t zipf_draw(const tri__zipf *zipf, uint64_t *state)
{
    uint64_t random = next(state) >> 32;
    int k = (int)(random * (uint64_t)zipf->octaves >> 32); /* octaves are nearly equally likely: it is this one or a neighbour */
    while (k > 0 && random < zipf->until[k - 1])
        k--;
    while (random >= zipf->until[k])
        k++;
    uint64_t first = UINT64_C(1) << k, count = octave_end(zipf->size, k) - first + 1;
    for (;;) {
        random = next(state);
        uint64_t n = first + ((random >> 32) * count >> 32);
        if ((random & UINT32_MAX) * n < first << 32) /* accept n with probability first / n */
            return n;
    }
}

/* The n-th most frequent category of a field, as the number that text shows. No two are the same, as MurmurHash3's finaliser is a
 * bijection. */
static uint32_t category_of(int field, uint64_t n)
{
    uint32_t word = (uint32_t)n + (uint32_t)field * 0x9e3779b9U;
    word = (word ^ (word >> 16)) * 0x85ebca6bU;
    word = (word ^ (word >> 13)) * 0xc2b2ae35U;
    return word ^ (word >> 16);
}

/* A weight of the hidden model: the sum of four parts of a hash, which is nearly normal, with mean 0 and deviation STRENGTH. */
static double weight_of(uint64_t model, int field, uint64_t word)
{
    uint64_t hash = tri__key_mix(model ^ tri__key_mix(word + ((uint64_t)field << 40)));
    double sum = (double)(hash & 0xffff) + (double)(hash >> 16 & 0xffff) + (double)(hash >> 32 & 0xffff) + (double)(hash >> 48);
    return STRENGTH * sqrt(3) * (sum / 0x1p16 - 2);
}

static bool is_empty(const tri__click *click, int field)
{
    return click->empty >> field & 1;
}

/* The 8 bytes of a category's text, the first one lowest. */
static uint64_t hexadecimal(uint32_t category)
{
    uint64_t digits = __builtin_bswap32(category); /* a nibble a byte, most significant first */
    digits = (digits | digits << 16) & 0x0000ffff0000ffff;
    digits = (digits | digits << 8) & 0x00ff00ff00ff00ff;
    digits = (digits >> 4 & 0x000f000f000f000f) | (digits & 0x000f000f000f000f) << 8;
    uint64_t letters = (digits + 0x0606060606060606) >> 4 & 0x0101010101010101;
    return digits + 0x3030303030303030 + letters * ('a' - '0' - 10);
}

static uint64_t word_of(const tri__click *click, int field)
{
    if (is_empty(click, field))
        return TRI_CRITEO_EMPTY;
    if (field < TRI_CRITEO_NUMBERS)
        return tri__criteo_number(click->numbers[field]);
    return hexadecimal(click->categories[field - TRI_CRITEO_NUMBERS]);
}

/* Make all fields but the label. Returns the sum of their weights. */
static double make_fields(const tri__clicks *clicks, uint64_t *state, tri__click *out)
{
    double sum = 0;
    out->empty = 0;
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++) {
        uint64_t n = zipf_draw(&clicks->fields[i], state);
        bool empty = (next(state) >> 32) * 1000 >> 32 < (uint64_t)forms[i].empty;
        out->empty |= (uint64_t)empty << i;
        if (i < TRI_CRITEO_NUMBERS)
            out->numbers[i] = (int64_t)n - 1 + (i == FIELD_WITH_NEGATIVES ? SMALLEST_NUMBER : 0);
        else
            out->categories[i - TRI_CRITEO_NUMBERS] = category_of(i, n);
        sum += weight_of(clicks->model, i, word_of(out, i));
    }
    return sum;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* The bias that makes a share CLICKED of the records clicks. */
static double find_bias(const tri__clicks *clicks)
{
    static const uint64_t trial_key = 0x7472696c;
    double sums[TRIALS], low = -20, high = 20;
    tri__click click;
    uint64_t state = clicks->model ^ trial_key;
    for (int i = 0; i < TRIALS; i++)
        sums[i] = make_fields(clicks, &state, &click);
    while (high - low > 1e-9) {
        double middle = (low + high) / 2, clicked = 0;
        for (int i = 0; i < TRIALS; i++)
            clicked += logistic(sums[i] + middle);
        if (clicked < CLICKED * TRIALS)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint64_t vocabulary(int field, int64_t features)
{
    int64_t size = forms[field].size;
    if (field < TRI_CRITEO_NUMBERS)
        return (uint64_t)size + 1;
    int64_t scaled = (int64_t)((double)size * ((double)features / CRITEO_VOCABULARY));
    int64_t least = size < SMALLEST_VOCABULARY ? size : SMALLEST_VOCABULARY;
    return (uint64_t)(scaled > least ? scaled : least);
}

void tri__clicks_init(tri__clicks *clicks, uint64_t seed, tri_part part, int64_t features)
{
    tri__key key = tri__key_split_name(tri__key_of(seed), "clicks");
    *clicks = (tri__clicks){.features = features};
    clicks->records = tri__key_split(key, part).word;
    clicks->model = tri__key_split_name(key, "model").word;
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++)
        zipf_init(&clicks->fields[i], vocabulary(i, features));
    clicks->bias = find_bias(clicks);
}

void tri__clicks_make(const tri__clicks *clicks, int64_t record, tri__click *out)
{
    uint64_t state = tri__random_bits((tri__key){clicks->records}, (uint64_t)record);
    out->chance = logistic(make_fields(clicks, &state, out) + clicks->bias);
    out->label = (double)(next(&state) >> 11) * 0x1p-53 < out->chance;
}

void tri__click_keys(const tri__click *click, int64_t features, int32_t keys[TRI_CRITEO_FIELDS])
{
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++)
        keys[i] = tri__criteo_key(i, word_of(click, i), features);
}

static char *put_number(char *at, int64_t number)
{
    char digits[20];
    int count = 0;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        digits[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *at++ = '-';
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static char *put_category(char *at, uint32_t category)
{
    uint64_t text = hexadecimal(category);
    for (int i = 0; i < 8; i++)
        at[i] = (char)(text >> (8 * i));
    return at + 8;
}

size_t tri__click_text(const tri__click *click, char out[TRI_CLICK_LONGEST])
{
    char *at = out;
    *at++ = (char)('0' + click->label);
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++) {
        *at++ = '\t';
        if (is_empty(click, i))
            continue;
        at = i < TRI_CRITEO_NUMBERS ? put_number(at, click->numbers[i]) : put_category(at, click->categories[i - TRI_CRITEO_NUMBERS]);
    }
    *at++ = '\n';
    return (size_t)(at - out);
}

typedef struct {
    tri_source source;
    tri__clicks clicks;
} clicks_source;

static tri_status clicks_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const clicks_source *self = (const clicks_source *)reader->source;
    tri__click click;
    tri__clicks_make(&self->clicks, record, &click);
    tri__click_keys(&click, self->clicks.features, to->keys);
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++)
        to->values[i] = 1;
    *to->count = TRI_CRITEO_FIELDS;
    *to->label = click.label;
    return NULL;
}

static void clicks_destroy(tri_source *source)
{
    free(source);
}

static const tri__source_kind clicks_kind = {.read = clicks_read, .destroy = clicks_destroy};

/* "FEATURES[:N]" */
static bool parse(const char *text, int64_t *features, int64_t *examples)
{
    *examples = DEFAULT_EXAMPLES;
    if (!text || !tri__source_parse_count(&text, TRI_CLICKS_MOST_FEATURES, features))
        return false;
    if (*text == ':') {
        text++;
        if (!tri__source_parse_count(&text, MOST_EXAMPLES, examples))
            return false;
    }
    return *text == 0;
}

tri_status tri__clicks_open(const char *arguments, tri_part part, const tri_source_options *options, tri_source **out)
{
    int64_t features, examples;
    if (!parse(arguments, &features, &examples))
        return tri_fail(TRI_BAD_CALL, "'clicks:%s' should be clicks:FEATURES[:N], such as clicks:1000000 or clicks:33000000:2000000",
                        arguments ? arguments : "");
    clicks_source *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &clicks_kind;
    self->source.info = (tri_source_info){
        .format = "clicks",
        .type = TRI_F32,
        .shape = TRI_SHAPE(features),
        .width = TRI_CRITEO_FIELDS,
        .examples = part == TRI_PART_TEST ? tri__source_test_share(examples) : examples,
        .classes = 2,
    };
    tri__clicks_init(&self->clicks, options->seed, part, features);
    *out = &self->source;
    return NULL;
}
