/* rendezvous_test.c: two threads that take turns thousands of times, looking or sleeping; and a wait that ends. */
#include "base/thread/rendezvous.h"

#include "base/thread/clock.h"
#include "support.h"

enum { TURNS = 2000 };

typedef struct {
    tri__rendezvous rendezvous;
    atomic_int turn;
} game;

typedef struct {
    game *shared;
    int awaits;
} expectation;

static bool is_turn(const void *context)
{
    const expectation *mine = context;
    return atomic_load(&mine->shared->turn) >= mine->awaits;
}

static bool play(game *shared, int player)
{
    for (int i = player; i < TURNS; i += 2) {
        const expectation mine = {shared, i};
        if (!tri__rendezvous_wait(&shared->rendezvous, is_turn, &mine, tri__clock_now() + INT64_C(30000000000)))
            return false;
        atomic_fetch_add(&shared->turn, 1);
        tri__rendezvous_notify(&shared->rendezvous);
    }
    return true;
}

static void *second_player(void *context)
{
    return play(context, 1) ? context : NULL;
}

static void take_turns(int threads)
{
    game shared = {0};
    void *other;
    pthread_t thread;
    tri__rendezvous_init(&shared.rendezvous, threads, 2);
    assert_int_equal(pthread_create(&thread, NULL, second_player, &shared), 0);
    assert_true(play(&shared, 0));
    pthread_join(thread, &other);
    assert_ptr_equal(other, &shared);
    assert_int_equal(atomic_load(&shared.turn), TURNS);
    tri__rendezvous_fini(&shared.rendezvous);
}

static void no_notification_of_a_rendezvous_is_missed(void **state)
{
    (void)state;
    take_turns(2);
    take_turns(3); /* more than CPUs: they sleep soon */
}

static void a_rendezvous_wait_ends_at_its_deadline(void **state)
{
    (void)state;
    game shared = {0};
    const expectation never = {&shared, 1};
    tri__rendezvous_init(&shared.rendezvous, 1, 1);
    assert_false(tri__rendezvous_wait(&shared.rendezvous, is_turn, &never, tri__clock_now() + 1000000));
    tri__rendezvous_fini(&shared.rendezvous);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_notification_of_a_rendezvous_is_missed),
                                       cmocka_unit_test(a_rendezvous_wait_ends_at_its_deadline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
