/* memory_test.c: checked sizes, zeroed and aligned buffers of every size, memory that grows, and what is said when memory is short. */
#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static void products_of_sizes_are_checked_for_overflow(void **state)
{
    (void)state;
    size_t product;
    assert_true(tri__size_multiply(0, SIZE_MAX, &product));
    assert_int_equal(product, 0);
    assert_true(tri__size_multiply(1u << 16, 3, &product));
    assert_int_equal(product, 196608);
    assert_false(tri__size_multiply(SIZE_MAX / 2 + 1, 2, &product));
}

static void allocated_memory_is_zeroed(void **state)
{
    (void)state;
    int *numbers = NULL;
    assert_ok(tri__allocate(100, sizeof *numbers, "numbers", &numbers));
    for (int i = 0; i < 100; i++)
        assert_int_equal(numbers[i], 0);
    free(numbers);
    void *nothing = NULL;
    assert_ok(tri__allocate(0, 4, "nothing", &nothing));
    assert_non_null(nothing);
    free(nothing);
}

static void allocated_buffers_are_zeroed_and_aligned(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 100000, (2u << 20) - 64, (2u << 20) - 63, 2u << 20, (8u << 20) + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *buffer = NULL;
        assert_ok(tri__buffer_allocate(sizes[i], "a buffer", &buffer));
        assert_int_equal((uintptr_t)buffer % TRI_ALIGNMENT, 0);
        uint8_t any = 0;
        for (size_t k = 0; k < sizes[i]; k++)
            any |= buffer[k];
        assert_int_equal(any, 0);
        memset(buffer, 0xff, sizes[i]);
        tri__buffer_free(buffer);
    }
    tri__buffer_free(NULL);
}

static void grown_memory_keeps_its_elements_and_seldom_moves(void **state)
{
    (void)state;
    int32_t *numbers = NULL;
    int64_t room = 0, moves = 0;
    for (int32_t i = 0; i < 100000; i++) {
        const int64_t before = room;
        assert_ok(tri__grow(&numbers, &room, i + 1, sizeof *numbers, "numbers"));
        assert_true(room > i);
        moves += room != before;
        numbers[i] = i;
    }
    for (int32_t i = 0; i < 100000; i++)
        assert_int_equal(numbers[i], i);
    assert_true(moves < 20);
    free(numbers);
}

static void reserved_memory_is_kept_until_more_is_asked_for(void **state)
{
    (void)state;
    tri_status (*const reserve[])(void *, int64_t *, int64_t, size_t, const char *) = {tri__reserve, tri__buffer_reserve};
    for (int i = 0; i < 2; i++) {
        int32_t *numbers = NULL;
        int64_t room = 0;
        assert_ok(reserve[i](&numbers, &room, 0, sizeof *numbers, "nothing"));
        assert_null(numbers);
        assert_ok(reserve[i](&numbers, &room, 1000, sizeof *numbers, "numbers"));
        assert_true(room >= 1000);
        numbers[room - 1] = 7;
        const int32_t *first = numbers;
        assert_ok(reserve[i](&numbers, &room, room, sizeof *numbers, "numbers"));
        assert_ptr_equal(numbers, first);
        assert_int_equal(numbers[room - 1], 7);
        assert_ok(reserve[i](&numbers, &room, 3 * room, sizeof *numbers, "numbers"));
        assert_true(room >= 3000);
        for (int64_t k = 0; k < room; k++)
            assert_int_equal(numbers[k], 0);
        i ? tri__buffer_free(numbers) : free(numbers);
    }
}

static void expect_no_memory(tri_status status, const char *what)
{
    assert_int_equal(tri_status_code(status), TRI_NO_MEMORY);
    assert_non_null(strstr(tri_status_message(status), what));
    tri_status_free(status);
}

static void a_failed_allocation_names_what_it_was_for(void **state)
{
    (void)state;
    void *out = NULL;
    expect_no_memory(tri__allocate(SIZE_MAX, 8, "the moon", &out), "the moon");
    expect_no_memory(tri__buffer_allocate(SIZE_MAX, "the sun", &out), "the sun");
    expect_no_memory(tri__buffer_allocate(SIZE_MAX / 4, "the stars", &out), "the stars");
    assert_null(out);
}

static void memory_that_cannot_grow_is_as_its_header_says(void **state)
{
    (void)state;
    int32_t *numbers = NULL;
    int64_t room = 0;
    assert_ok(tri__grow(&numbers, &room, 3, sizeof *numbers, "numbers"));
    const int32_t *before = numbers;
    const int64_t had = room;
    expect_no_memory(tri__grow(&numbers, &room, INT64_MAX, sizeof *numbers, "the moon"), "the moon");
    assert_ptr_equal(numbers, before);
    assert_int_equal(room, had);
    expect_no_memory(tri__reserve(&numbers, &room, INT64_MAX, sizeof *numbers, "the stars"), "the stars");
    assert_null(numbers);
    assert_int_equal(room, 0);
    assert_ok(tri__buffer_reserve(&numbers, &room, 3, sizeof *numbers, "numbers"));
    expect_no_memory(tri__buffer_reserve(&numbers, &room, INT64_MAX, sizeof *numbers, "the sea"), "the sea");
    expect_no_memory(tri__buffer_reserve(&numbers, &room, INT64_MAX / 8, sizeof *numbers, "the land"), "the land");
    assert_null(numbers);
    assert_int_equal(room, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_sizes_are_checked_for_overflow),
        cmocka_unit_test(allocated_memory_is_zeroed),
        cmocka_unit_test(allocated_buffers_are_zeroed_and_aligned),
        cmocka_unit_test(grown_memory_keeps_its_elements_and_seldom_moves),
        cmocka_unit_test(reserved_memory_is_kept_until_more_is_asked_for),
        cmocka_unit_test(a_failed_allocation_names_what_it_was_for),
        cmocka_unit_test(memory_that_cannot_grow_is_as_its_header_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
