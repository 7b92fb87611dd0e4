/* layout_test.c: stretches and chunks cover the flat buffer exactly, whatever its size and the number of servers. */
#include "store/ps/protocol/layout.h"
#include "support.h"

static void check(size_t floats, int servers)
{
    tri__layout layout;
    assert_ok(tri__layout_init(&layout, floats, &(tri__table_shapes){0}, servers));
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
    assert_ok(tri__layout_init(&layout, 61100840, &(tri__table_shapes){0}, 7));
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
    assert_fails(tri__layout_init(&layout, 0, &(tri__table_shapes){0}, 1), TRI_BAD_CALL, "without parameters");
    assert_fails(tri__layout_init(&layout, 100, &(tri__table_shapes){0}, 8), TRI_BAD_CALL, "8 servers");
    assert_fails(tri__layout_init(&layout, 100, &(tri__table_shapes){0}, 0), TRI_BAD_CALL, "0 servers");
}

/* Every row of every table is on one server, in the chunk that is behind those of its stretch. */
static void tables_are_dealt_out_row_by_row(void **state)
{
    (void)state;
    const tri__table_shapes tables = {.count = 2, .table = {{1000, 1}, {5, 300}}};
    tri__layout layout;
    assert_ok(tri__layout_init(&layout, 100000, &tables, 3));
    int64_t rows[2] = {0};
    for (int server = 0; server < 3; server++)
        for (int table = 0; table < 2; table++) {
            uint32_t chunk = tri__layout_table_chunk(&layout, server, table);
            assert_int_equal(tri__layout_table(&layout, chunk), table);
            assert_int_equal(tri__layout_server(&layout, chunk), server);
            assert_int_equal(tri__layout_chunk(&layout, chunk).count, 0);
            rows[table] += tri__layout_rows(&layout, server, table);
        }
    assert_int_equal(rows[0], 1000);
    assert_int_equal(rows[1], 5);
    assert_int_equal(tri__layout_chunks(&layout), 3 * (1 + 2));
    assert_int_equal(tri__layout_table(&layout, 0), -1);
    assert_int_equal(tri__layout_chunk_at(&layout, 99999), 6);
    assert_int_equal(tri__layout_server(&layout, 6), 2);
}

static void a_model_may_have_tables_alone(void **state)
{
    (void)state;
    const tri__table_shapes tables = {.count = 1, .table = {{10, 65536}}};
    tri__layout layout;
    assert_ok(tri__layout_init(&layout, 0, &tables, 4));
    assert_int_equal(tri__layout_chunks(&layout), 4);
    assert_int_equal(tri__layout_pieces(&layout, 0), 3);
    assert_int_equal(tri__layout_pieces(&layout, 3), 2);
    assert_int_equal(tri__layout_server_pieces(&layout, 3), 2);
}

static void a_table_with_rows_larger_than_a_chunk_is_refused(void **state)
{
    (void)state;
    tri__layout layout;
    assert_fails(tri__layout_init(&layout, 16, &(tri__table_shapes){.count = 1, .table = {{10, 65537}}}, 1), TRI_BAD_CALL, "65537");
    assert_fails(tri__layout_init(&layout, 16, &(tri__table_shapes){.count = 1, .table = {{0, 1}}}, 1), TRI_BAD_CALL, "0 rows");
}

/* Keys are dealt out as rows are; every server has room for as many rows, and one that is nobody's. */
static void tables_that_grow_survive_the_wire(void **state)
{
    (void)state;
    const tri__table_shapes tables = {
        .count = 2,
        .table = {{1000, 1}, {1000, 300}},
        .growth = {.most = 40, .min_count = 3, .initial = {{0}, {TRI_INIT_UNIFORM, 0.1F, {UINT64_C(0xfedcba9876543210)}}}},
    };
    tri__table_shapes read;
    tri__layout layout;
    json_t *json = tri__tables_json(&tables);
    assert_ok(tri__tables_read(json, &read));
    assert_memory_equal(&read.growth, &tables.growth, sizeof read.growth);
    assert_ok(tri__layout_init(&layout, 16, &read, 3));
    assert_true(tri__layout_grows(&layout));
    assert_int_equal(tri__layout_keys(&layout, 0, 0), 334);
    assert_int_equal(tri__layout_keys(&layout, 1, 1), 333);
    assert_int_equal(tri__layout_rows(&layout, 0, 1), 41);
    static const struct {
        size_t at;
        json_int_t value;
    } bad[] = {{2, -1}, {2, 1001}, {2, 39}, {3, 0}, {4, 77}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *other = json_deep_copy(json);
        json_array_set_new(json_array_get(other, 1), bad[i].at, json_integer(bad[i].value));
        assert_fails(tri__tables_read(other, &read), TRI_BAD_DATA, "cannot grow");
        json_decref(other);
    }
    json_decref(json);
}

static void shapes_of_tables_survive_the_wire(void **state)
{
    (void)state;
    const tri__table_shapes tables = {.count = 2, .table = {{1000, 1}, {5, 300}}};
    tri__table_shapes read;
    tri__layout layout;
    json_t *json = tri__tables_json(&tables);
    assert_ok(tri__tables_read(json, &read));
    json_decref(json);
    assert_ok(tri__layout_init(&layout, 16, &tables, 2));
    assert_true(tri__layout_fits(&layout, 16, &read));
    assert_false(tri__layout_fits(&layout, 17, &read));
    read.table[1].width = 301;
    assert_false(tri__layout_fits(&layout, 16, &read));
    json = json_pack("[[I, I]]", (json_int_t)-1, (json_int_t)1);
    assert_fails(tri__tables_read(json, &read), TRI_BAD_DATA, "-1 rows");
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_a_layout_cover_every_float_once),
        cmocka_unit_test(stretches_of_servers_are_equal_to_a_cache_line),
        cmocka_unit_test(a_model_that_servers_cannot_share_is_refused),
        cmocka_unit_test(tables_are_dealt_out_row_by_row),
        cmocka_unit_test(a_model_may_have_tables_alone),
        cmocka_unit_test(a_table_with_rows_larger_than_a_chunk_is_refused),
        cmocka_unit_test(tables_that_grow_survive_the_wire),
        cmocka_unit_test(shapes_of_tables_survive_the_wire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
