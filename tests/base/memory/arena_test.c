/* Arenas: zeroed, aligned, large and small, strings. */
#include "support.h"

#include <string.h>

#include "base/memory/arena.h"

static int make(void **state)
{
    tri__arena *arena = NULL;
    assert_ok(tri__arena_create(&arena));
    *state = arena;
    return 0;
}

static int drop(void **state)
{
    tri__arena_destroy(*state);
    return 0;
}

static void arena_pieces_are_zeroed_aligned_and_do_not_overlap(void **state)
{
    enum { PIECES = 3000 };
    char *pieces[PIECES];
    for (int i = 0; i < PIECES; i++) {
        size_t size = (size_t)(1 + i % 97);
        pieces[i] = tri__arena_alloc(*state, size);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], i % 100 + 1, size);
    }
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(pieces[i][i % 97], i % 100 + 1);
}

static void an_arena_gives_pieces_larger_than_its_chunks(void **state)
{
    size_t size = 10 << 20;
    char *large = tri__arena_alloc(*state, size);
    assert_non_null(large);
    memset(large, 1, size);
    assert_non_null(tri__arena_alloc(*state, 1));
}

static void an_arena_gives_null_for_an_impossible_size(void **state)
{
    assert_null(tri__arena_alloc(*state, SIZE_MAX));
    assert_null(tri__arena_alloc(*state, SIZE_MAX - 40));
    assert_non_null(tri__arena_alloc(*state, 0));
}

static void an_arena_copies_and_formats_strings(void **state)
{
    char name[] = "conv1";
    char *copy = tri__arena_copy(*state, name);
    name[0] = 'x';
    assert_string_equal(copy, "conv1");
    assert_string_equal(tri__arena_format(*state, "%s.weight[%d]", copy, 3), "conv1.weight[3]");
    assert_string_equal(tri__arena_copy(*state, ""), "");
}

static void arena_destroy_accepts_null(void **state)
{
    (void)state;
    tri__arena_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(arena_pieces_are_zeroed_aligned_and_do_not_overlap),
        TEST(an_arena_gives_pieces_larger_than_its_chunks),
        TEST(an_arena_gives_null_for_an_impossible_size),
        TEST(an_arena_copies_and_formats_strings),
        cmocka_unit_test(arena_destroy_accepts_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
