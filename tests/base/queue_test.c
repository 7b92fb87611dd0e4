/* Bounded queues: order, deadlines, closing, many threads at both ends. */ #include "support.h"

#include <pthread.h>

#include "base/queue.h"

    static const int64_t plenty = (int64_t)60 * 1000000000;

static tri__queue *make(size_t capacity)
{
    tri__queue *queue = NULL;
    assert_ok(tri__queue_create(capacity, &queue));
    return queue;
}

static void expect(tri_status status, tri_code code)
{
    assert_int_equal(tri_status_code(status), code);
    tri_status_free(status);
}

static void items_come_out_in_order(void **state)
{
    (void)state;
    static char names[10];
    tri__queue *queue = make(3);
    void *item;
    for (int i = 0; i < 9; i++) { /* three times around the ring, two inside */
        assert_ok(tri__queue_push(queue, &names[i], 0));
        if (i > 0) {
            assert_ok(tri__queue_pop(queue, &item, 0));
            assert_ptr_equal(item, &names[i - 1]);
        }
    }
    assert_int_equal(tri__queue_length(queue), 1);
    tri__queue_destroy(queue);
}

static void waits_end_at_their_deadline(void **state)
{
    (void)state;
    tri__queue *queue = make(1);
    void *item = queue;
    expect(tri__queue_pop(queue, &item, 1000), TRI_TIMEOUT);
    assert_null(item);
    expect(tri__queue_pop(queue, &item, -5), TRI_TIMEOUT);
    assert_ok(tri__queue_push(queue, queue, 0));
    expect(tri__queue_push(queue, queue, 1000), TRI_TIMEOUT);
    tri__queue_destroy(queue);
}

static void a_closed_queue_gives_what_is_left_and_takes_nothing(void **state)
{
    (void)state;
    tri__queue *queue = make(4);
    void *item;
    assert_ok(tri__queue_push(queue, queue, 0));
    tri__queue_close(queue);
    expect(tri__queue_push(queue, queue, plenty), TRI_STOPPED);
    assert_ok(tri__queue_pop(queue, &item, plenty));
    expect(tri__queue_pop(queue, &item, plenty), TRI_STOPPED);
    tri__queue_destroy(queue);
}

static void an_empty_queue_is_a_wrong_call(void **state)
{
    (void)state;
    tri__queue *queue = NULL;
    expect(tri__queue_create(0, &queue), TRI_BAD_CALL);
    expect(tri__queue_create(SIZE_MAX, &queue), TRI_BAD_CALL);
    assert_null(queue);
    tri__queue_destroy(NULL);
}

static void *pop_until_closed(void *queue)
{
    void *item;
    tri_status status = tri__queue_pop(queue, &item, INT64_MAX); /* no deadline that a clock could reach */
    tri_code code = tri_status_code(status);
    tri_status_free(status);
    return (void *)(uintptr_t)code;
}

static void closing_wakes_who_waits(void **state)
{
    (void)state;
    tri__queue *queue = make(1);
    pthread_t waiter;
    void *code;
    assert_int_equal(pthread_create(&waiter, NULL, pop_until_closed, queue), 0);
    tri__queue_close(queue);
    pthread_join(waiter, &code);
    assert_int_equal((uintptr_t)code, TRI_STOPPED);
    tri__queue_destroy(queue);
}

enum { THREADS = 4, ITEMS = 5000 };

static int numbers[THREADS][ITEMS];

typedef struct {
    tri__queue *queue;
    int producer;
    int64_t sum, count;
} party;

static void *produce(void *argument)
{
    party *me = argument;
    for (int i = 0; i < ITEMS; i++) {
        numbers[me->producer][i] = i;
        tri_status status = tri__queue_push(me->queue, &numbers[me->producer][i], plenty);
        if (status)
            tri_status_free(status);
        else
            me->count++;
    }
    return NULL;
}

static void *consume(void *argument)
{
    party *me = argument;
    void *item;
    tri_status status;
    while (!(status = tri__queue_pop(me->queue, &item, plenty))) {
        me->sum += *(int *)item;
        me->count++;
    }
    tri_status_free(status);
    return NULL;
}

static void many_threads_lose_nothing(void **state)
{
    (void)state;
    tri__queue *queue = make(7);
    pthread_t producers[THREADS], consumers[THREADS];
    party in[THREADS], out[THREADS];
    for (int i = 0; i < THREADS; i++) {
        in[i] = (party){.queue = queue, .producer = i};
        out[i] = (party){.queue = queue};
        assert_int_equal(pthread_create(&producers[i], NULL, produce, &in[i]), 0);
        assert_int_equal(pthread_create(&consumers[i], NULL, consume, &out[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(producers[i], NULL);
    tri__queue_close(queue);
    int64_t sum = 0, pushed = 0, popped = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(consumers[i], NULL);
        sum += out[i].sum;
        pushed += in[i].count;
        popped += out[i].count;
    }
    assert_int_equal(pushed, THREADS * ITEMS);
    assert_int_equal(popped, THREADS * ITEMS);
    assert_int_equal(sum, (int64_t)THREADS * ITEMS * (ITEMS - 1) / 2);
    tri__queue_destroy(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_in_order),
        cmocka_unit_test(waits_end_at_their_deadline),
        cmocka_unit_test(a_closed_queue_gives_what_is_left_and_takes_nothing),
        cmocka_unit_test(an_empty_queue_is_a_wrong_call),
        cmocka_unit_test(closing_wakes_who_waits),
        cmocka_unit_test(many_threads_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
