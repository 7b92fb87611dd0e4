/* random.c: Philox 4×32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
 *
 * A block of four words is a function of the key and a counter of four words: the first two count blocks, the third is the kind of number
 * that is made, so that the kinds never share words. Element i of a stream of floats is word i mod 4 of block i / 4; a pair of words makes
 * a pair of normal numbers (Box–Muller). Fills make many blocks side by side, which the compiler vectorises. */
#include "base/bytes/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { WORDS = 4, ROUNDS = 10, LANES = 16 };

typedef enum { KIND_BITS, KIND_UNIFORM, KIND_NORMAL, KIND_BYTES, KIND_SEED, KIND_NUMBER, KIND_NAME } kind;

static const uint32_t multiplier[2] = {0xd2511f53, 0xcd9e8d57};
static const uint32_t bump[2] = {0x9e3779b9, 0xbb67ae85};

void tri__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k[2] = {key[0], key[1]};
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = (uint64_t)multiplier[0] * c[0];
        uint64_t p1 = (uint64_t)multiplier[1] * c[2];
        c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ k[0];
        c[1] = (uint32_t)p1;
        c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ k[1];
        c[3] = (uint32_t)p0;
        k[0] += bump[0];
        k[1] += bump[1];
    }
    memcpy(out, c, sizeof c);
}

/* out: [LANES][WORDS], the blocks first … first + LANES − 1. The same as tri__philox, LANES at a time. */
static void make_blocks(tri__key key, kind stream, uint64_t first, uint32_t out[LANES * WORDS])
{
    uint32_t c0[LANES], c1[LANES], c2[LANES], c3[LANES];
    for (int i = 0; i < LANES; i++) {
        c0[i] = (uint32_t)(first + (uint64_t)i);
        c1[i] = (uint32_t)((first + (uint64_t)i) >> 32);
        c2[i] = stream;
        c3[i] = 0;
    }
    uint32_t k0 = (uint32_t)key.word, k1 = (uint32_t)(key.word >> 32);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LANES; i++) {
            uint64_t p0 = (uint64_t)multiplier[0] * c0[i];
            uint64_t p1 = (uint64_t)multiplier[1] * c2[i];
            c0[i] = (uint32_t)(p1 >> 32) ^ c1[i] ^ k0;
            c1[i] = (uint32_t)p1;
            c2[i] = (uint32_t)(p0 >> 32) ^ c3[i] ^ k1;
            c3[i] = (uint32_t)p0;
        }
        k0 += bump[0];
        k1 += bump[1];
    }
    for (int i = 0; i < LANES; i++) {
        out[i * WORDS + 0] = c0[i];
        out[i * WORDS + 1] = c1[i];
        out[i * WORDS + 2] = c2[i];
        out[i * WORDS + 3] = c3[i];
    }
}

static void make_block(tri__key key, kind stream, uint64_t number, uint32_t out[WORDS])
{
    const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32), stream, 0};
    const uint32_t words[2] = {(uint32_t)key.word, (uint32_t)(key.word >> 32)};
    tri__philox(counter, words, out);
}

static uint64_t join(const uint32_t words[2])
{
    return words[0] | (uint64_t)words[1] << 32;
}

static tri__key derive(tri__key key, kind stream, uint64_t number)
{
    uint32_t block[WORDS];
    make_block(key, stream, number, block);
    return (tri__key){join(block)};
}

tri__key tri__key_of(uint64_t seed)
{
    return derive((tri__key){0}, KIND_SEED, seed);
}

tri__key tri__key_split(tri__key key, uint64_t number)
{
    return derive(key, KIND_NUMBER, number);
}

tri__key tri__key_split_name(tri__key key, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 0x100000001b3;
    return derive(key, KIND_NAME, hash);
}

uint64_t tri__random_bits(tri__key key, uint64_t counter)
{
    uint32_t block[WORDS];
    make_block(key, KIND_BITS, counter / 2, block);
    return join(block + counter % 2 * 2);
}

/* [0, bound): the high half of bits × bound. Uneven by less than bound / 2⁶⁴. */
static uint64_t scale(uint64_t bits, uint64_t bound)
{
    return (uint64_t)((unsigned __int128)bits * bound >> 64);
}

uint64_t tri__random_below(tri__key key, uint64_t counter, uint64_t bound)
{
    return scale(tri__random_bits(key, counter), bound);
}

/* The 24 bits that a float holds exactly. */
static float uniform_of(uint32_t word)
{
    return (float)(word >> 8) * 0x1p-24f;
}

static void uniform_from_words(const uint32_t *words, int count, float *out)
{
    for (int i = 0; i < count; i++)
        out[i] = uniform_of(words[i]);
}

/* words and out: count elements each, in pairs. Uniform numbers in (0, 1] keep the logarithm finite. */
static void normal_from_words(const uint32_t *words, int count, float *out)
{
    for (int i = 0; i < count; i += 2) {
        float radius = sqrtf(-2 * logf(((float)(words[i] >> 8) + 1) * 0x1p-24f));
        float angle = 6.28318530717958648f * uniform_of(words[i + 1]);
        out[i] = radius * cosf(angle);
        out[i + 1] = radius * sinf(angle);
    }
}

typedef void (*convert)(const uint32_t *words, int count, float *out);

/* The stream is made in groups of LANES × WORDS; groups of which only a part is wanted, at either end, are made in a buffer, and that part
 * is copied. */
static void fill(tri__key key, kind stream, convert from_words, uint64_t first, int64_t count, float *out)
{
    enum { GROUP = LANES * WORDS };
    while (count > 0) {
        uint32_t words[GROUP];
        float values[GROUP];
        int skip = (int)(first % WORDS);
        int part = count < GROUP - skip ? (int)count : GROUP - skip;
        bool whole = part == GROUP;
        make_blocks(key, stream, first / WORDS, words);
        from_words(words, GROUP, whole ? out : values);
        if (!whole)
            memcpy(out, values + skip, (size_t)part * sizeof *out);
        first += (uint64_t)part;
        out += part;
        count -= part;
    }
}

void tri__random_fill_uniform(tri__key key, uint64_t first, int64_t count, float *out)
{
    fill(key, KIND_UNIFORM, uniform_from_words, first, count, out);
}

void tri__random_fill_normal(tri__key key, uint64_t first, int64_t count, float *out)
{
    fill(key, KIND_NORMAL, normal_from_words, first, count, out);
}

/* Byte i is byte i mod 16 of block i / 16, lowest byte of a word first. */
void tri__random_fill_bytes(tri__key key, uint64_t first, int64_t count, uint8_t *out)
{
    enum { BLOCK = 4 * WORDS, GROUP = LANES * BLOCK };
    while (count > 0) {
        uint32_t words[LANES * WORDS];
        int skip = (int)(first % BLOCK);
        int part = count < GROUP - skip ? (int)count : GROUP - skip;
        make_blocks(key, KIND_BYTES, first / BLOCK, words);
        for (int i = 0; i < part; i++)
            out[i] = (uint8_t)(words[(skip + i) / 4] >> (skip + i) % 4 * 8);
        first += (uint64_t)part;
        out += part;
        count -= part;
    }
}

/* Fisher–Yates, from the inside out: element i goes to a random position among the first i + 1, whose element moves to i. */
void tri__random_permutation(tri__key key, int64_t count, int64_t *out)
{
    enum { GROUP = LANES * 2 };
    uint32_t words[LANES * WORDS];
    for (int64_t i = 0; i < count; i++) {
        if (i % GROUP == 0)
            make_blocks(key, KIND_BITS, (uint64_t)i / 2, words);
        int64_t position = (int64_t)scale(join(words + i % GROUP * 2), (uint64_t)i + 1);
        out[i] = out[position];
        out[position] = i;
    }
}
