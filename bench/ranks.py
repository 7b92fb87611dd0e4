"""The parts of the benchmark that measure strategies without a server: ranks of MPI beside PyTorch's DistributedDataParallel and
TensorFlow's MultiWorkerMirroredStrategy, beside a bare MPI_Allreduce, over a virtual link; replicas beside independent processes."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from contenders import HERE, Unavailable, run, step_times
from job import Hosts, free_ports
from servers import LINK_RATE, stream

RANKS = 2
LONGEST, GRACE = 600, 10  # seconds: how long runs at once may take, and how long they have to end when told to
ALEXNET_FLOATS = 61_100_840
BUCKET_FLOATS = 1 << 22  # as in src/store/allreduce.c
ALEXNET = ["alexnet", "--data", "fake:224x224x3:1000:256", "--rate", "0.0001", "--eval-every", "end", "--log-every", "1"]
# the words with which src/train/ranks/launch.c starts ranks
MPIRUN = ["mpirun", "-n", str(RANKS), "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
          *(["--allow-run-as-root"] if os.getuid() == 0 else [])]


class RankParts:
    """Parts of Bench: they use its interleave, expect and limit."""

    # ---- one measurement each

    def in_ranks(self, strategy, model, batch, steps):
        """Examples/s of two workers."""
        options = ["--strategy", strategy, "--workers", str(RANKS), "--eval-every", "end"]
        return self.trireme.measure(model, batch, self.a_part(steps), RANKS, options).rate

    def ddp(self, mode, model, batch, steps):
        return self.peer("torch_ddp.py", model, batch, steps, mode)

    def multi_worker_mirrored(self, model, batch, steps):
        return self.peer("tensorflow_workers.py", model, batch, steps)

    def peer(self, script, model, batch, steps, *mode):
        said, _, _ = run([sys.executable, os.path.join(HERE, script), model, str(batch), str(self.a_part(steps)), *mode, str(RANKS)])
        return said["rate"]

    def a_part(self, steps):
        return max(2, steps // 20) if self.quick else steps

    def bare_reduction(self, floats, repeats, mpirun=None):
        """Seconds of MPI_Allreduce in Trireme's buckets."""
        program = os.path.join(self.build, "bench", "bench_allreduce_bare")
        return run([*(mpirun or MPIRUN), program, str(floats), str(BUCKET_FLOATS), str(repeats)])[0]["seconds"]

    def step_in_ranks(self, batch, steps):
        """Seconds of a step."""
        return slowest_step([[*self.alexnet_step(batch, steps), "--strategy", "allreduce", "--workers", str(RANKS)]])

    def step_alone(self, batch, steps):
        """The same with one thread and without ranks, while the other processes do the same."""
        return slowest_step(RANKS * [self.alexnet_step(batch, steps)])

    def alexnet_step(self, batch, steps):
        return [self.trireme.binary, "train", *ALEXNET, "--batch", str(batch), "--steps", str(steps), "--threads", "1"]

    def step_over_link(self, hosts, batch, steps):
        """Seconds of a step on two hosts, and how many of them rank 0 waited for rank 1."""
        command = hosts.command(1, [*MPIRUN, "--host", ",".join(hosts.address(host) for host in (1, 2)), *self.alexnet_step(batch, steps),
                                    "--strategy", "allreduce"])
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            out = os.path.join(folder, "run")
            said, _, _ = run([*command, "--out", out, "--quiet", "--json"])
            times = step_times(out)
        rank = said["worker_stats"][0]
        return {"seconds": usual_step(times), "waiting": rank["phases"]["peers"] * rank["seconds"] / steps}

    def step_beside_stream(self, hosts, batch, steps):
        """Seconds of a step alone while bare TCP fills the links both ways, and what each way carries meanwhile."""
        script, port, ways = os.path.join(HERE, "link_rate.py"), str(free_ports(1)[0]), ((1, 2), (2, 1))
        receivers = [subprocess.Popen(hosts.command(to, [sys.executable, script, "receive", hosts.address(to), port]), stdout=subprocess.PIPE)
                     for _, to in ways]
        senders = [subprocess.Popen(hosts.command(host, [sys.executable, script, "send", hosts.address(to), port, "3600"])) for host, to in ways]
        try:
            seconds = self.step_alone(batch, steps)
        finally:
            for sender in senders:
                sender.terminate()
                sender.wait()
            said = [receiver.communicate()[0] for receiver in receivers]
        return {"seconds": seconds, "MB/s": min(json.loads(one)["bytes_per_second"] / 1e6 for one in said)}

    # ---- parts

    def allreduce(self):
        """Rates of training beside the peers', then what a reduction costs beside MPI's own."""
        self.sgemm()
        races = {"softmax": (100, {"Trireme": 20000, "PyTorch": 1000}, "steps/s"),
                 "lenet": (64, {"Trireme": 3000, "PyTorch": 300, "TensorFlow": 150}, "examples/s"),
                 "alexnet": (32, {"Trireme": 6, "PyTorch": 4, "TensorFlow": 4}, "examples/s")}
        medians = {model: self.rank_race(model, *how) for model, how in races.items()}
        for what, model, unit, family, times in (
                ("softmax b100 each, steps/s", "softmax", "steps/s", "PyTorch", 15),
                ("LeNet b64 each, examples/s", "lenet", "examples/s", "PyTorch", 5),
                ("LeNet b64 each, examples/s", "lenet", "examples/s", "TensorFlow", 12),
                ("AlexNet b32 each, examples/s", "alexnet", "examples/s", ("PyTorch", "TensorFlow"), 1.2)):
            against = "the better peer" if isinstance(family, tuple) else {"PyTorch": "DDP", "TensorFlow": "MultiWorkerMirrored"}[family]
            self.expect(f"{RANKS} ranks, {what}, against {against}", self.best(medians[model], "Trireme", unit),
                        self.best(medians[model], family, unit), times)
        self.reduction()

    def rank_race(self, model, batch, steps, unit):
        each = RANKS * batch if unit == "steps/s" else 1
        measures = {"Trireme": lambda: self.in_ranks("allreduce", model, batch, steps["Trireme"])}
        for mode in ("eager", "channels-last") if model != "softmax" else ("eager",):
            measures[f"PyTorch DDP {mode}"] = lambda mode=mode: self.ddp(mode, model, batch, steps["PyTorch"])
        if "TensorFlow" in steps:
            measures["TensorFlow workers"] = lambda: self.multi_worker_mirrored(model, batch, steps["TensorFlow"])
        return self.interleave(f"{model}, batch {batch} each, {RANKS} processes",
                               {name: lambda measure=measure: {unit: measure() / each} for name, measure in measures.items()})

    def reduction(self):
        """What ranks add to a step of AlexNet (its 244 MB of gradients), beside MPI_Allreduce of as much."""
        batch, steps = 1, 12  # little to compute, so that its variation hides nothing
        repeats, self.repeats = self.repeats, 1 if self.quick else 15
        medians = self.interleave(f"AlexNet b{batch} each: a step, and adding up its gradients", {
            "Trireme, ranks": lambda: {"seconds": self.step_in_ranks(batch, steps)},
            "Trireme, alone": lambda: {"seconds": self.step_alone(batch, steps)},
            "bare MPI_Allreduce": lambda: {"seconds": self.bare_reduction(ALEXNET_FLOATS, 3)}})
        self.repeats = repeats
        ranks, alone = (self.best(medians, f"Trireme, {how}", "seconds") for how in ("ranks", "alone"))
        self.expect("244 MB of gradients, seconds that ranks add to a step, against bare MPI_Allreduce",
                    None if None in (ranks, alone) else ranks - alone, self.best(medians, "bare", "seconds"), 1.1, at_most=True)

    def allreduce_link(self):
        """AlexNet on two virtual hosts: bound by the link with a small batch, by compute with a large one."""
        self.sgemm()
        try:
            with Hosts(self.trireme.binary, RANKS, LINK_RATE) as hosts:
                self.bound_by_link(hosts)
                self.bound_by_compute(hosts)
        except Unavailable as reason:
            self.say(f"\nAlexNet by ranks over a link of {LINK_RATE}: not measured: {reason}")
            self.unmeasured.append("AlexNet by ranks over a virtual link")

    def travel(self, medians):
        """The least seconds that the gradients can take: (S/B)·2(n − 1)/n, with the bandwidth of one stream."""
        rate = self.best(medians, "bare stream", "MB/s")
        return rate and ALEXNET_FLOATS * 4e-6 / rate * 2 * (RANKS - 1) / RANKS

    def bound_by_link(self, hosts):
        medians = self.interleave(f"AlexNet b1 each, {RANKS} ranks, links of {LINK_RATE}", {
            "bare stream": lambda: {"MB/s": stream(hosts, 1 if self.quick else 3)},
            "Trireme": lambda: self.step_over_link(hosts, 1, 10)})
        self.expect(f"AlexNet b1 by ranks over {LINK_RATE}, seconds of the bound, share of a step", self.travel(medians),
                    self.best(medians, "Trireme", "seconds"), 0.9)

    def bound_by_compute(self, hosts):
        """Traffic is hidden as far as a step does not take longer because of it. But traffic also costs CPU time, which the computation
        loses, so a step takes longer than it waits. Bare TCP costs CPU time, too: it shows how much could be hidden at best."""
        batch, steps = 32, 4
        medians = self.interleave(f"AlexNet b{batch} each, {RANKS} ranks, links of {LINK_RATE}", {
            "bare stream": lambda: {"MB/s": stream(hosts, 1 if self.quick else 3)},
            "compute alone": lambda: {"seconds": self.step_alone(batch, steps)},
            "compute beside bare streams": lambda: self.step_beside_stream(hosts, batch, steps),
            "Trireme": lambda: self.step_over_link(hosts, batch, steps)})
        travel, alone = self.travel(medians), self.best(medians, "compute alone", "seconds")
        step, waiting = (self.best(medians, "Trireme", key) for key in ("seconds", "waiting"))
        if None in (travel, alone, step):
            self.unmeasured.append(f"AlexNet b{batch} by ranks over a virtual link")
            return
        self.say(f"  travel takes {travel:.2f} s, of which {waiting:.2f} s are waited for")
        beside, rate = (self.best(medians, "compute beside", key) for key in ("seconds", "MB/s"))
        if beside and rate:
            cost = (beside - alone) * ALEXNET_FLOATS * 4e-6 * 2 * (RANKS - 1) / RANKS / (rate * beside)
            self.say(f"  bare TCP takes {cost:.2f} s of compute for as many bytes: {1 - cost / travel:.2f} of travel could be hidden")
        self.limit(f"AlexNet b{batch} by ranks over {LINK_RATE}, share of travel that is hidden", 1 - (step - alone) / travel, 0.8,
                   at_most=False)

    def mirrored(self):
        """Two replicas beside one worker on one CPU, and beside two independent workers."""
        self.sgemm()
        softmax = self.interleave("softmax, batch 100 each", {
            "two replicas": lambda: {"examples/s": self.in_ranks("mirrored", "softmax", 100, 20000)},
            "local, one CPU": lambda: {"examples/s": sum(self.independent("softmax", 100, 20000, 1))}})
        lenet = self.interleave("lenet, batch 64 each", {
            "two replicas": lambda: {"examples/s": self.in_ranks("mirrored", "lenet", 64, 3000)},
            "two processes": lambda: {"examples/s": sum(self.independent("lenet", 64, 3000, RANKS))}})
        self.expect("softmax b100, 2 replicas, examples/s, against local on one CPU", self.best(softmax, "two", "examples/s"),
                    self.best(softmax, "local", "examples/s"), 1)
        self.expect("LeNet b64, 2 replicas, examples/s, against two independent processes", self.best(lenet, "two replicas", "examples/s"),
                    self.best(lenet, "two processes", "examples/s"), 0.85)

    def independent(self, model, batch, steps, processes):
        """Examples/s of each of several local runs at once, each with one thread on a CPU of its own."""
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            command = [self.trireme.binary, "train", model, "--data", "fashion", "--batch", str(batch), "--steps", str(self.a_part(steps)),
                       *(["--rule", "sgd", "--rate", "0.01"] if model == "softmax" else []),
                       "--eval-every", "end", "--threads", "1", "--quiet", "--json", "--out"]
            cpus = sorted(os.sched_getaffinity(0))[:processes]
            if len(cpus) < processes:
                raise Unavailable(f"{processes} processes at once need as many CPUs")
            said = together([["taskset", "-c", str(cpu), *command, os.path.join(folder, str(cpu))] for cpu in cpus])
        return [json.loads(one.splitlines()[-1])["examples_per_second"] for one in said]


def usual_step(times):
    """The median seconds of a step, without the first one, which warms up."""
    return statistics.median(times[step + 1] - times[step] for step in times if step + 1 in times)


def together(commands):
    """Runs commands at once and returns their output. If one fails or takes too long, all are ended."""
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    deadline = time.monotonic() + LONGEST
    try:
        said = [process.communicate(timeout=max(0, deadline - time.monotonic()))[0] for process in started]
        failed = [process.returncode for process in started if process.returncode]
        if failed:
            raise Unavailable(f"of {len(commands)} runs at once one ended with {failed[0]}: {' '.join(commands[0])}")
        return said
    except subprocess.TimeoutExpired as late:
        raise Unavailable(f"not over after {LONGEST} s: {' '.join(late.cmd)}") from late
    finally:
        for process in started:
            end(process)


def end(process):
    """Asks the process to end, and kills it if it does not soon."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.communicate(timeout=GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def slowest_step(commands):
    """Seconds of a step of the slowest of several runs at once."""
    with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
        outs = [os.path.join(folder, str(number)) for number in range(len(commands))]
        together([[*command, "--out", out, "--quiet"] for command, out in zip(commands, outs)])
        return max(usual_step(step_times(out)) for out in outs)
