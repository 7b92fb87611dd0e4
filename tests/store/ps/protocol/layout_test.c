/* layout_test.c: stretches and chunks cover the flat buffer exactly, whatever its size and the number of servers. */
#include "store/ps/protocol/layout.h"
#include "support.h"

static void check(size_t floats, int servers)
{
    tri__layout layout;
    assert_ok(tri__layout_init(&layout, floats, servers));
    size_t at = 0;
    uint32_t chunk = 0;
    for (int server = 0; server < servers; server++) {
        tri_range stretch = tri__layout_stretch(&layout, server);
        assert_int_equal(stretch.first, at);
        assert_int_equal(tri__layout_first(&layout, server), chunk);
        for (; chunk < tri__layout_first(&layout, server + 1); chunk++) {
            tri_range range = tri__layout_chunk(&layout, chunk);
            assert_int_equal(range.first, at);
            assert_in_range(range.count, 1, TRI_CHUNK_FLOATS);
            assert_int_equal(tri__layout_server(&layout, chunk), server);
            assert_int_equal(tri__layout_chunk_at(&layout, range.first), chunk);
            assert_int_equal(tri__layout_chunk_at(&layout, range.first + range.count - 1), chunk);
            at += range.count;
        }
        assert_int_equal(stretch.first + stretch.count, at);
    }
    assert_int_equal(at, floats);
    assert_int_equal(tri__layout_chunks(&layout), chunk);
}

static void chunks_of_a_layout_cover_every_float_once(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 16, 17, 7850, 65536, 65537, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int servers = 1; servers <= 5; servers++)
            if ((sizes[i] + 15) / 16 >= (size_t)servers)
                check(sizes[i], servers);
}

static void stretches_of_servers_are_equal_to_a_cache_line(void **state)
{
    (void)state;
    tri__layout layout;
    assert_ok(tri__layout_init(&layout, 61100840, 7));
    size_t least = SIZE_MAX, most = 0;
    for (int i = 0; i < 7; i++) {
        size_t count = tri__layout_stretch(&layout, i).count;
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    assert_in_range(most - least, 0, 24);
}

static void a_model_that_servers_cannot_share_is_refused(void **state)
{
    (void)state;
    tri__layout layout;
    assert_fails(tri__layout_init(&layout, 0, 1), TRI_BAD_CALL, "without parameters");
    assert_fails(tri__layout_init(&layout, 100, 8), TRI_BAD_CALL, "8 servers");
    assert_fails(tri__layout_init(&layout, 100, 0), TRI_BAD_CALL, "0 servers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_a_layout_cover_every_float_once),
        cmocka_unit_test(stretches_of_servers_are_equal_to_a_cache_line),
        cmocka_unit_test(a_model_that_servers_cannot_share_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
