/* peers_test.c: what was exchanged with each peer is written sample by sample, and added up again. */
#include "watch/sample/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

static void bytes_are_written_by_peer_and_sample(void **state)
{
    static tri__traffic traffic;
    tri__peers_file *file;
    char *path = test_path(*state, "peers/worker-0.csv");
    assert_ok(tri__peers_create(path, &file));
    tri__peers_take(file, 100, &traffic); /* nobody there yet: no file */
    assert_int_equal(access(path, F_OK), -1);
    atomic_store(&tri__traffic_peer(&traffic, "ps:0")->sent, 70);
    atomic_store(&tri__traffic_peer(&traffic, "ps:1")->received, 5);
    tri__peers_take(file, 101, &traffic);
    atomic_store(&tri__traffic_peer(&traffic, "ps:0")->sent, 100);
    atomic_store(&tri__traffic_peer(&traffic, "ps:0")->received, 9);
    tri__peers_take(file, 102, &traffic);
    tri__peers_take(file, 103, &traffic); /* a quiet second has no lines */
    tri__peers_destroy(file);
    char *text = test_read(path, NULL);
    assert_string_equal(text, "epoch,peer,sent,received\n101.000,ps:0,70,0\n101.000,ps:1,0,5\n102.000,ps:0,30,9\n");
    free(text);
    free(path);
}

static void lines_are_added_up_by_peer(void **state)
{
    static const char text[] = "epoch,peer,sent,received\n101.000,ps:0,70,0\n102.000,ps:1,1,5\n103.000,ps:0,30,9\n104.000,ps:0,8";
    tri__peer_sum *sum;
    int count;
    char *path = test_path(*state, "worker-0.csv");
    test_write(path, text, sizeof text - 1);
    assert_ok(tri__peers_read(path, 0, &sum, &count));
    assert_int_equal(count, 2);
    assert_string_equal(sum[0].name, "ps:0");
    assert_true(sum[0].sent == 100 && sum[0].received == 9 && sum[1].sent == 1 && sum[1].received == 5);
    free(sum);
    assert_ok(tri__peers_read(path, 102, &sum, &count));
    assert_true(count == 1 && sum[0].sent == 30);
    free(sum);
    free(path);
    path = test_path(*state, "nobody.csv");
    assert_ok(tri__peers_read(path, 0, &sum, &count));
    assert_true(count == 0 && !sum);
    free(path);
}

/* As many lines as a day has seconds: those at the end are read, and the line in which the end begins is not taken for a whole one. */
static void the_end_of_a_long_file_is_read_alone(void **state)
{
    char *path = test_path(*state, "worker-0.csv");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 86400; i++)
        fprintf(file, "%d.000,ps:%d,1,2\n", 100000 + i, i % 7);
    fclose(file);
    tri__peer_sum *sum;
    int count;
    assert_ok(tri__peers_read_end(path, 100000 + 86400 - 2.5, &sum, &count));
    assert_true(count == 2 && sum[0].sent == 1 && sum[1].received == 2);
    free(sum);
    double lines = 0;
    assert_ok(tri__peers_read_end(path, 0, &sum, &count));
    for (int i = 0; i < count; i++)
        lines += sum[i].sent;
    assert_true(lines > 2 * TRI_TRAFFIC_PEERS && lines < 86400);
    free(sum);
    assert_ok(tri__peers_read(path, 0, &sum, &count));
    assert_int_equal(count, 7);
    free(sum);
    free(path);
}

static void a_peer_beyond_the_last_is_not_counted_apart(void **state)
{
    (void)state;
    static tri__traffic traffic;
    char name[TRI_TRAFFIC_NAME];
    for (int i = 0; i < TRI_TRAFFIC_PEERS; i++) {
        snprintf(name, sizeof name, "worker:%d", i);
        assert_ptr_equal(tri__traffic_peer(&traffic, name), &traffic.peer[i]);
    }
    assert_null(tri__traffic_peer(&traffic, "evaluator:0"));
    assert_ptr_equal(tri__traffic_peer(&traffic, "worker:7"), &traffic.peer[7]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(bytes_are_written_by_peer_and_sample),
        FOLDER_TEST(lines_are_added_up_by_peer),
        FOLDER_TEST(the_end_of_a_long_file_is_read_alone),
        cmocka_unit_test(a_peer_beyond_the_last_is_not_counted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
