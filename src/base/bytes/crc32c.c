/* crc32c.c: CRC-32C by the CPU's own instruction where it has one, else by tables, eight bytes at a time.
 *
 * A CRC is linear: the entry of a byte is the exclusive or of the entries of its bits. So 64 numbers, the polynomial shifted 0 to 63 times,
 * define all eight tables, and the preprocessor computes them. */
#include "base/bytes/crc32c.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

/* T256(a, …, h): the 256 combinations of eight bits' entries, a for the lowest bit. Each macro doubles what is there. */
#define T1(x)                        (x)
#define T2(x, a)                     T1(x), T1((x) ^ (a))
#define T4(x, a, b)                  T2(x, a), T2((x) ^ (b), a)
#define T8(x, a, b, c)               T4(x, a, b), T4((x) ^ (c), a, b)
#define T16(x, a, b, c, d)           T8(x, a, b, c), T8((x) ^ (d), a, b, c)
#define T32(x, a, b, c, d, e)        T16(x, a, b, c, d), T16((x) ^ (e), a, b, c, d)
#define T64(x, a, b, c, d, e, f)     T32(x, a, b, c, d, e), T32((x) ^ (f), a, b, c, d, e)
#define T128(x, a, b, c, d, e, f, g) T64(x, a, b, c, d, e, f), T64((x) ^ (g), a, b, c, d, e, f)
#define T256(a, b, c, d, e, f, g, h)                                                                                                       \
    {                                                                                                                                      \
        T128(0u, a, b, c, d, e, f, g), T128(h, a, b, c, d, e, f, g)                                                                        \
    }

/* table[k][byte]: what byte becomes when k more zero bytes follow it. */
/* clang-format off */
static const uint32_t table[8][256] = {
    T256(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
    T256(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
    T256(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
    T256(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
    T256(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
    T256(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
    T256(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
    T256(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
};
/* clang-format on */

static uint32_t by_byte(uint32_t crc, uint8_t byte)
{
    return crc >> 8 ^ table[0][(crc ^ byte) & 0xff];
}

uint32_t tri__crc32c_portable(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *at = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        uint32_t low = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
        crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^ table[3][at[4]] ^
              table[2][at[5]] ^ table[1][at[6]] ^ table[0][at[7]];
    }
    while (size-- > 0)
        crc = by_byte(crc, *at++);
    return ~crc;
}

#if defined(__x86_64__)

static bool has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

static uint64_t word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The instruction takes three cycles, but one can begin in every cycle: three stretches side by side keep it busy. A state moves over n
 * bytes by a product with x^8n, which the instruction itself reduces; as it adds x^33, the factor is x^(8n − 33). The stretches are short,
 * so that short records gain, too, and memory is read in order. */
enum {
    STRETCH = 112, /* bytes */
    AHEAD = 2048,  /* bytes: how far ahead memory is prefetched */
    CACHE_LINE = 64,
};
static const uint32_t over_one = 0x47db8317, over_two = 0x83348832; /* the factors for one stretch and for two */

__attribute__((target("pclmul"))) static __m128i move_over(uint64_t state, uint32_t factor)
{
    return _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)state), _mm_cvtsi32_si128((int)factor), 0);
}

__attribute__((target("sse4.2,pclmul"))) static uint64_t by_three(uint64_t first, const uint8_t *at)
{
    uint64_t second = 0, third = 0;
    for (int line = 0; line < 3 * STRETCH; line += CACHE_LINE)
        __builtin_prefetch(at + AHEAD + line);
    for (const uint8_t *end = at + STRETCH; at < end; at += 8) {
        first = _mm_crc32_u64(first, word_at(at));
        second = _mm_crc32_u64(second, word_at(at + STRETCH));
        third = _mm_crc32_u64(third, word_at(at + 2 * STRETCH));
    }
    __m128i moved = _mm_xor_si128(move_over(first, over_two), move_over(second, over_one));
    return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(moved)) ^ third;
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t by_instruction(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *at = data;
    uint64_t state = ~crc;
    for (; size >= 3 * STRETCH; size -= 3 * STRETCH, at += 3 * STRETCH)
        state = by_three(state, at);
    for (; size >= 8; size -= 8, at += 8)
        state = _mm_crc32_u64(state, word_at(at));
    while (size-- > 0)
        state = _mm_crc32_u8((uint32_t)state, *at++);
    return ~(uint32_t)state;
}

#elif defined(__aarch64__)

static bool has_instruction(void)
{
    return getauxval(AT_HWCAP) & HWCAP_CRC32;
}

__attribute__((target("+crc"))) static uint32_t by_instruction(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *at = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        crc = __crc32cd(crc, word);
    }
    while (size-- > 0)
        crc = __crc32cb(crc, *at++);
    return ~crc;
}

#else

static bool has_instruction(void)
{
    return false;
}

static uint32_t by_instruction(uint32_t crc, const void *data, size_t size)
{
    return tri__crc32c_portable(crc, data, size);
}

#endif

uint32_t tri__crc32c(uint32_t crc, const void *data, size_t size)
{
    return has_instruction() ? by_instruction(crc, data, size) : tri__crc32c_portable(crc, data, size);
}

/* The mask keeps the CRC of data that itself contains CRCs from being weak. */
uint32_t tri__crc32c_masked(const void *data, size_t size)
{
    uint32_t crc = tri__crc32c(0, data, size);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}
