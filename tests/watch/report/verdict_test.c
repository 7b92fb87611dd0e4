/* verdict_test.c: the sentence names what the shares and the samples show, and no more. */
#include "watch/report/verdict.h"

#include <math.h>
#include <string.h>

#include "support.h"

/* A run long enough for a verdict, on two threads whose CPUs were busy. */
#define EVIDENCE(...) ((tri__evidence){.share = {__VA_ARGS__}, .seconds = 10, .steps = 1000, .threads = 2, .cpu_percent = 190})

static void assert_verdict(tri__evidence evidence, const char *sentence)
{
    char buffer[TRI_VERDICT_SIZE];
    assert_string_equal(tri__verdict(&evidence, buffer, sizeof buffer), sentence);
}

static void a_run_that_computes_most_of_the_time_is_compute_bound(void **state)
{
    (void)state;
    assert_verdict(
        EVIDENCE([TRI_PHASE_COMPUTE] = 0.93, [TRI_PHASE_INPUT] = 0.02, [TRI_PHASE_UPDATE] = 0.05),
        "compute-bound: 93 % of the time in forward and backward; input waits 2 %; update 5 %. More CPUs or workers help; all else "
        "saves 7 % at most");
}

static void a_compute_bound_verdict_says_how_near_it_comes_to_large_products(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.90, [TRI_PHASE_INPUT] = 0.10);
    evidence.flops.reached = 40e9;
    assert_verdict(evidence,
                   "compute-bound: 90 % of the time in forward and backward; input waits 10 %. Products and convolutions reach 40 "
                   "GFLOP/s. More CPUs or workers help; all else saves 10 % at most");
    evidence.flops.sgemm = 160e9;
    assert_verdict(evidence,
                   "compute-bound: 90 % of the time in forward and backward; input waits 10 %. Products and convolutions reach 40 "
                   "GFLOP/s, large products 160: a larger batch or wider layers come nearer to it; that saves 68 % at most. More "
                   "CPUs or workers help; all else saves 10 % at most");
    evidence.flops.sgemm = 39e9;
    assert_verdict(evidence,
                   "compute-bound: 90 % of the time in forward and backward; input waits 10 %. Products and convolutions reach 40 "
                   "GFLOP/s, large products 39. More CPUs or workers help; all else saves 10 % at most");
}

static void a_compute_bound_verdict_says_how_near_it_comes_to_a_copy_of_memory(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.90, [TRI_PHASE_INPUT] = 0.10);
    evidence.flops.reached = 40e9;
    evidence.flops.sgemm = 160e9;
    evidence.memory.compute = 2.2e9;
    evidence.memory.copy = 11e9;
    assert_verdict(evidence,
                   "compute-bound: 90 % of the time in forward and backward; input waits 10 %. Products and convolutions reach 40 "
                   "GFLOP/s, large products 160: a larger batch or wider layers come nearer to it; that saves 68 % at most. Memory at "
                   "20 % of the 11 GB/s of a copy. More CPUs or workers help; all else saves 10 % at most");
    evidence.memory.compute = 9e9; /* products wait for memory: larger ones do not help, nor do more CPUs that share it */
    assert_verdict(evidence,
                   "compute-bound: 90 % of the time in forward and backward; input waits 10 %. Products and convolutions reach 40 "
                   "GFLOP/s, large products 160. Memory at 82 % of the 11 GB/s of a copy: more CPUs on this host wait for it, too; "
                   "workers on other hosts help; all else saves 10 % at most");
    evidence.memory.copy = 0; /* not measured: no claim */
    evidence.flops.sgemm = 0;
    assert_verdict(evidence,
                   "compute-bound: 90 % of the time in forward and backward; input waits 10 %. Products and convolutions reach 40 "
                   "GFLOP/s. More CPUs or workers help; all else saves 10 % at most");
}

static void an_update_bound_verdict_says_how_near_the_rule_comes_to_a_copy_of_memory(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_UPDATE] = 0.70, [TRI_PHASE_COMPUTE] = 0.30);
    assert_verdict(evidence, "update-bound: 70 % of the time applying updates; compute 30 %. A larger batch updates less often; a cheaper "
                             "rule saves 70 % at most");
    evidence.memory.update = 10e9;
    evidence.memory.copy = 11e9;
    assert_verdict(evidence, "update-bound: 70 % of the time applying updates; compute 30 %. Memory at 91 % of the 11 GB/s of a copy. A "
                             "larger batch updates less often; a rule that keeps less saves 70 % at most");
}

static void a_compute_bound_verdict_names_missing_cpus(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.99, [TRI_PHASE_INPUT] = 0.01);
    evidence.threads = 4;
    evidence.cpu_percent = 160;
    assert_verdict(evidence,
                   "compute-bound: 99 % of the time in forward and backward; input waits 1 %. But its 4 threads had only 1.6 "
                   "CPUs: other programs' load, or steps too small to share out (try --threads 1); without that 59 % less time at most");
    evidence.threads = 1; /* who has one is not told to try it */
    evidence.cpu_percent = 30;
    assert_verdict(evidence, "compute-bound: 99 % of the time in forward and backward; input waits 1 %. But its 1 thread had only 0.3 "
                             "CPUs: other programs' load; without that 69 % less time at most");
    evidence.threads = 4;
    evidence.cpu_percent = 160;
    evidence.host.cpus = evidence.host.threads = 4;
    evidence.host.busy = 0.99;
    evidence.host.own = 0.40;
    assert_verdict(evidence, "compute-bound: 99 % of the time in forward and backward; input waits 1 %. But its 4 threads had only 1.6 "
                             "CPUs, and other programs had 2.4: without them 59 % less time at most");
    evidence.cpu_percent = NAN; /* no evidence, no claim */
    assert_verdict(evidence,
                   "compute-bound: 99 % of the time in forward and backward; input waits 1 %. More CPUs or workers help; all else "
                   "saves 1 % at most");
}

static void a_compute_bound_verdict_names_the_cpus_spent_on_decoding(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.84, [TRI_PHASE_INPUT] = 0.16);
    evidence.decoding = 1.13;
    assert_verdict(evidence, "compute-bound: 84 % of the time in forward and backward; input waits 16 %. Decoding took 1.1 CPUs beside it: "
                             "--cache or data convert gives them back; that saves 47 % at most");
}

static void a_run_that_waits_for_data_is_input_bound(void **state)
{
    (void)state;
    assert_verdict(EVIDENCE([TRI_PHASE_COMPUTE] = 0.2, [TRI_PHASE_INPUT] = 0.8),
                   "input-bound: 80 % of the time waiting for data; compute 20 %. --cache or data convert saves decoding again, a larger "
                   "batch asks less often; faster input saves 80 % at most");
}

static void input_that_uses_cpus_is_decoding_and_input_that_does_not_is_the_disk(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.1, [TRI_PHASE_INPUT] = 0.9);
    evidence.decoding = 1.9;
    assert_verdict(evidence, "input-bound: 90 % of the time waiting for data; compute 10 %. Decoding keeps 1.7 CPUs busy: --cache or data "
                             "convert saves doing it again; that saves 90 % at most");
    evidence.cpu_percent = 25;
    assert_verdict(evidence,
                   "input-bound: 90 % of the time waiting for data; compute 10 %. 1.9 threads read, and next to no CPU is used for "
                   "it: the disk. --cache keeps what was read in memory; that saves 90 % at most");
    evidence.host.cpus = 0.3; /* all of which is in use: it is not the disk for which threads wait */
    evidence.host.busy = 0.98;
    evidence.host.own = 0.8;
    assert_verdict(evidence,
                   "input-bound: 90 % of the time waiting for data; compute 10 %. Decoding keeps 0.05 CPUs busy, and the host has "
                   "no more: --cache or data convert saves doing it again; that saves 90 % at most");
    evidence.host.own = 0.08;
    assert_verdict(evidence,
                   "input-bound: 90 % of the time waiting for data; compute 10 %. Decoding lacks CPUs: other programs had 0.27 of the "
                   "host's 0.3. --cache or data convert saves doing it again; that saves 90 % at most");
    evidence.stream = true;
    assert_verdict(evidence, "input-bound: 90 % of the time waiting for data; compute 10 %. What writes to standard input is slow, or the "
                             "text costs much to read; quicker input saves 90 % at most");
}

static void an_input_bound_verdict_says_how_much_the_disk_reads(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.1, [TRI_PHASE_INPUT] = 0.9);
    evidence.decoding = 1.9;
    evidence.cpu_percent = 25;
    evidence.disk.read = evidence.disk.own = 95e6;
    evidence.disk.best = 100e6;
    assert_verdict(evidence,
                   "input-bound: 90 % of the time waiting for data; compute 10 %. 1.9 threads read, and next to no CPU is used for it: "
                   "the disk, at 95 of the 100 MB/s of its best sample. --cache keeps what was read in memory; that saves 90 % at most");
    evidence.disk.own = 35e6; /* others want the disk, too */
    assert_verdict(evidence,
                   "input-bound: 90 % of the time waiting for data; compute 10 %. 1.9 threads read, and next to no CPU is used for it: "
                   "the disk, at 95 of the 100 MB/s of its best sample, 60 of them for other programs. --cache keeps what was read in "
                   "memory; that saves 90 % at most");
    evidence.disk.read = evidence.disk.own = 12e6; /* it can do more, but not for many small files */
    assert_verdict(evidence,
                   "input-bound: 90 % of the time waiting for data; compute 10 %. 1.9 threads read, and next to no CPU is used for it: "
                   "the disk, at 12 of the 100 MB/s of its best sample. --cache keeps what was read in memory, data convert makes larger "
                   "files that are read faster; that saves 90 % at most");
    evidence.disk.read = evidence.disk.own = 100; /* a disk elsewhere: what is read here is something else */
    assert_verdict(evidence,
                   "input-bound: 90 % of the time waiting for data; compute 10 %. 1.9 threads read, and next to no CPU is used for it: "
                   "the disk. --cache keeps what was read in memory; that saves 90 % at most");
}

static void assert_not_network(tri__evidence evidence)
{
    char buffer[TRI_VERDICT_SIZE];
    assert_null(strstr(tri__verdict(&evidence, buffer, sizeof buffer), "network-bound"));
}

/* With room in each direction: sync ps jobs use them in turns, so that the link is never free. Ranks and async jobs use both at once. */
static void a_link_that_is_full_in_turns_is_named_in_sync(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.02, [TRI_PHASE_SERVER] = 0.75, [TRI_PHASE_PEERS] = 0.23);
    evidence.link.host = "host1";
    evidence.link.most = 2.5e6;
    evidence.link.fill = 0.69;
    evidence.link.other = 0.65;
    evidence.link.sends = true;
    assert_verdict(evidence,
                   "network-bound: host1 sends at 69 % of its link's 20 Mbit/s and, in turns with that, receives at 65 %, and 98 % of "
                   "the time is waiting for others; compute 2 %. A larger batch sends less often; a faster link saves 98 % at most");
    evidence.share[TRI_PHASE_SERVER] = 0.98;
    evidence.share[TRI_PHASE_PEERS] = 0;
    assert_not_network(evidence);
    evidence.share[TRI_PHASE_SERVER] = 0;
    evidence.share[TRI_PHASE_PEERS] = 0.98;
    assert_not_network(evidence);
}

/* A full link is the reason, whether its workers wait for servers (async) or for each other (sync). */
static void a_full_link_is_named_whoever_is_waited_for(void **state)
{
    (void)state;
    static const tri__phase phases[] = {TRI_PHASE_PEERS, TRI_PHASE_SERVER, TRI_PHASE_SEND};
    for (int i = 0; i < 3; i++) {
        tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.08);
        evidence.share[phases[i]] = 0.92;
        evidence.slowest.task = "worker:1";
        evidence.slowest.times = 3;
        evidence.link.host = "host1";
        evidence.link.most = 12.5e6;
        evidence.link.fill = 0.93;
        evidence.link.sends = true;
        assert_verdict(evidence, "network-bound: host1 sends at 93 % of its link's 100 Mbit/s, and 92 % of the time is waiting for others; "
                                 "compute 8 %. A larger batch sends less often; a faster link saves 92 % at most");
    }
}

static void a_worker_that_is_slower_than_the_others_is_named(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.6, [TRI_PHASE_PEERS] = 0.38, [TRI_PHASE_SERVER] = 0.02);
    evidence.slowest.task = "worker:2";
    evidence.slowest.times = 4;
    evidence.remedy = "give --backup 1";
    assert_verdict(evidence,
                   "straggler-bound: worker:2 takes 4.0 times as long for a step as the others (median), and 38 % of all workers' "
                   "time is waiting for others. Look at its host (trireme watch), or give --backup 1; without it steps take 75 % "
                   "less time at most");
}

static void a_straggler_without_a_remedy_is_only_looked_at(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.6, [TRI_PHASE_PEERS] = 0.4);
    evidence.slowest.task = "rank 1";
    evidence.slowest.times = 2;
    assert_verdict(evidence,
                   "straggler-bound: rank 1 takes 2.0 times as long for a step as the others (median), and 40 % of all workers' time is "
                   "waiting for others. Look at its host (trireme watch); without it steps take 50 % less time at most");
}

static void a_worker_whose_part_is_always_the_last_is_named(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.04, [TRI_PHASE_PEERS] = 0.60, [TRI_PHASE_SERVER] = 0.36);
    evidence.slowest.task = "worker:2"; /* by chance */
    evidence.slowest.times = 1.6;
    evidence.late.task = "worker:1"; /* it was stopped and continued, while it waited itself */
    evidence.late.share = 0.85;
    evidence.late.of_all = 0.97;
    evidence.remedy = "give --backup 1";
    assert_verdict(evidence, "straggler-bound: for 85 % of the time a step lacked worker:1's part alone (97 % of all waiting for a last "
                             "part); compute 4 %. Look at its host (trireme watch), or give --backup 1; without it 85 % less time at most");
}

static void workers_that_wait_for_each_other_without_a_straggler_are_told_so(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.3, [TRI_PHASE_PEERS] = 0.7);
    evidence.slowest.task = "worker:1";
    evidence.slowest.times = 1.1;
    assert_verdict(evidence,
                   "held up by other workers: 70 % of the time waiting for them; compute 30 %. No worker is much slower than the "
                   "others (worker:1: 1.1 times the median). A larger batch exchanges less often; a quicker exchange saves 70 % at "
                   "most");
}

static void a_busy_server_is_named_and_an_idle_one_is_not_blamed(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.2, [TRI_PHASE_SERVER] = 0.8);
    evidence.server.task = "ps:1";
    evidence.server.cpu_percent = 97;
    assert_verdict(evidence,
                   "server-bound: 80 % of the time waiting for parameter servers; compute 20 %. ps:1 is busy for 97 % of a CPU: more "
                   "--servers share its work, a larger batch asks less often; a quicker answer saves 80 % at most");
    evidence.server.cpu_percent = 12;
    assert_verdict(evidence,
                   "server-bound: 80 % of the time waiting for parameter servers; compute 20 %. The busiest one, ps:1, uses 12 % of a "
                   "CPU: it is the way there and back. A larger batch asks less often; a quicker answer saves 80 % at most");
    evidence.server.host_busy = 0.99;
    assert_verdict(evidence,
                   "server-bound: 80 % of the time waiting for parameter servers; compute 20 %. ps:1 uses 12 % of a CPU, and its host has "
                   "no more to give: more --servers on other hosts share its work; a quicker answer saves 80 % at most");
}

static void workers_that_wait_for_steps_wait_for_the_coordinator(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.3, [TRI_PHASE_SERVER] = 0.7);
    evidence.tokens = 0.6;
    evidence.server.task = "ps:0";
    evidence.server.cpu_percent = 35;
    assert_verdict(evidence,
                   "waiting for the coordinator: 60 % of the time until ps:0 hands out the next step; compute 30 %; ps:0 uses 35 % "
                   "of a CPU. A larger batch takes fewer steps, --async hands out several at once; a quicker ps:0 saves 60 % at most");
}

static void more_threads_than_cpus_are_told_where_the_cpus_are_full(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 0.97, [TRI_PHASE_INPUT] = 0.03);
    evidence.threads = evidence.host.threads = 8;
    evidence.host.cpus = 2;
    evidence.host.busy = 0.99;
    evidence.host.own = 0.97;
    assert_verdict(evidence,
                   "oversubscribed CPUs: 8 threads compute on 2 CPUs, 99 % of whose time is in use; compute 97 %, waiting for others "
                   "0 %. Fewer --threads or --workers take no turns; that saves 97 % at most");
    evidence.host.cpus = 0.3; /* a virtual host's part of one */
    assert_verdict(evidence, "oversubscribed CPUs: 8 threads compute on 0.3 CPU, 99 % of whose time is in use; compute 97 %, waiting for "
                             "others 0 %. Fewer --threads or --workers take no turns; that saves 97 % at most");
    evidence.host.cpus = 2;
    evidence.host.threads = 2; /* as many as there are */
    evidence.threads = 2;
    assert_verdict(evidence,
                   "compute-bound: 97 % of the time in forward and backward; input waits 3 %. More CPUs or workers help; all else "
                   "saves 3 % at most");
}

static void waiting_tasks_whose_cpus_other_programs_have_are_told_so(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_SERVER] = 0.57, [TRI_PHASE_PEERS] = 0.19, [TRI_PHASE_COMPUTE] = 0.24);
    evidence.host.cpus = evidence.host.threads = 2;
    evidence.host.busy = 1;
    evidence.host.own = 0.1;
    evidence.slowest.task = "worker:1"; /* chance, while tasks take turns with other programs */
    evidence.slowest.times = 1.7;
    evidence.server.task = "ps:0";
    evidence.server.cpu_percent = 5;
    evidence.server.host_busy = 1;
    assert_verdict(evidence, "oversubscribed CPUs: other programs had 1.8 of the host's 2, and this run 0.2; compute 24 %, waiting for "
                             "others 76 %. Without them it takes 90 % less time at most");
    evidence.host.cpus = 0.3; /* the figures add up */
    evidence.host.own = 0.15;
    assert_verdict(evidence, "oversubscribed CPUs: other programs had 0.25 of the host's 0.3, and this run 0.05; compute 24 %, waiting for "
                             "others 76 %. Without them it takes 85 % less time at most");
    evidence.host.cpus = 64;
    evidence.host.own = 0.0126;
    assert_verdict(evidence, "oversubscribed CPUs: other programs had 63.19 of the host's 64, and this run 0.81; compute 24 %, waiting for "
                             "others 76 %. Without them it takes 99 % less time at most");
    evidence.host.cpus = 2;
    evidence.host.own = 0.1;
    char buffer[TRI_VERDICT_SIZE];
    evidence.late.task = "worker:1"; /* chance, too */
    evidence.late.share = 0.25;
    evidence.late.of_all = 0.8;
    assert_non_null(strstr(tri__verdict(&evidence, buffer, sizeof buffer), "oversubscribed CPUs: "));
    evidence.late.share = 0.6; /* but a worker that was waited for most of the time is a straggler on a busy host as well */
    assert_non_null(strstr(tri__verdict(&evidence, buffer, sizeof buffer), "straggler-bound: for 60 %"));
    evidence.late.task = NULL;
    evidence.slowest.times = 1.1;
    evidence.host.own = 0.9; /* the run has the CPUs itself */
    assert_non_null(strstr(tri__verdict(&evidence, buffer, sizeof buffer), "server-bound: 57 %"));
}

static void close_phases_give_no_single_bottleneck(void **state)
{
    (void)state;
    assert_verdict(EVIDENCE([TRI_PHASE_COMPUTE] = 0.51, [TRI_PHASE_INPUT] = 0.47, [TRI_PHASE_OTHER] = 0.02),
                   "no single bottleneck: compute 51 %, input 47 %, too close to call. No one change saves more than 51 %");
    assert_verdict(
        EVIDENCE([TRI_PHASE_COMPUTE] = 0.4, [TRI_PHASE_INPUT] = 0.25, [TRI_PHASE_OTHER] = 0.2, [TRI_PHASE_UPDATE] = 0.15),
        "no single bottleneck: compute 40 %, input 25 %, the rest spread over the other phases. No one change saves more than 40 %");
}

static void a_short_run_gets_no_verdict(void **state)
{
    (void)state;
    tri__evidence evidence = EVIDENCE([TRI_PHASE_COMPUTE] = 1);
    evidence.seconds = 0.01;
    evidence.steps = 20;
    assert_verdict(evidence, "too short to tell: 20 steps in 0.01 s");
    evidence = EVIDENCE([TRI_PHASE_OTHER] = 1);
    evidence.steps = 0;
    assert_verdict(evidence, "too short to tell: 0 steps in 10.00 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_computes_most_of_the_time_is_compute_bound),
        cmocka_unit_test(a_compute_bound_verdict_says_how_near_it_comes_to_large_products),
        cmocka_unit_test(a_compute_bound_verdict_says_how_near_it_comes_to_a_copy_of_memory),
        cmocka_unit_test(an_update_bound_verdict_says_how_near_the_rule_comes_to_a_copy_of_memory),
        cmocka_unit_test(an_input_bound_verdict_says_how_much_the_disk_reads),
        cmocka_unit_test(a_compute_bound_verdict_names_missing_cpus),
        cmocka_unit_test(a_compute_bound_verdict_names_the_cpus_spent_on_decoding),
        cmocka_unit_test(a_run_that_waits_for_data_is_input_bound),
        cmocka_unit_test(input_that_uses_cpus_is_decoding_and_input_that_does_not_is_the_disk),
        cmocka_unit_test(a_full_link_is_named_whoever_is_waited_for),
        cmocka_unit_test(a_link_that_is_full_in_turns_is_named_in_sync),
        cmocka_unit_test(a_worker_that_is_slower_than_the_others_is_named),
        cmocka_unit_test(a_straggler_without_a_remedy_is_only_looked_at),
        cmocka_unit_test(a_worker_whose_part_is_always_the_last_is_named),
        cmocka_unit_test(workers_that_wait_for_each_other_without_a_straggler_are_told_so),
        cmocka_unit_test(a_busy_server_is_named_and_an_idle_one_is_not_blamed),
        cmocka_unit_test(workers_that_wait_for_steps_wait_for_the_coordinator),
        cmocka_unit_test(more_threads_than_cpus_are_told_where_the_cpus_are_full),
        cmocka_unit_test(waiting_tasks_whose_cpus_other_programs_have_are_told_so),
        cmocka_unit_test(close_phases_give_no_single_bottleneck),
        cmocka_unit_test(a_short_run_gets_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
