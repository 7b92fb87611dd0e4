"""The parts of the benchmark that measure parameter servers: beside TensorFlow's, beside a program without a protocol, over a virtual link."""
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from contenders import HERE, Unavailable, run, step_times
from job import EVALUATOR, SERVER, Hosts, Job, free_ports

SOFTMAX = ["softmax", "--data", "fashion", "--batch", "100", "--rule", "sgd", "--rate", "0.01"]
WORKERS = 3
LINK_RATE = "1.8gbit"
ALEXNET_PARAMETERS = 61_100_840
ALEXNET = ["alexnet", "--data", "fake:224x224x3:1000:64"]
RULE_STATE = 1  # momentum
REPLICATED = ["lenet", "--data", "fashion", "--batch", "64"]


class ServerParts:
    """Parts of Bench: they use its interleave, expect and limit."""

    # ---- one measurement each

    def trained(self, *options, threads=None, before=()):
        """The summary of a run. Trireme starts all of its processes itself. before: a command that runs it."""
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            return run([*before, self.trireme.binary, "train", *options, *(["--threads", str(threads)] if threads else []),
                        "--out", os.path.join(folder, "run"), "--quiet", "--json"])[0]

    def served(self, mode, workers, steps, key):
        """Steps per second with one server. Each process has one thread and nothing is evaluated, as with the peers."""
        said = self.trained(*SOFTMAX, "--strategy", "ps", "--workers", str(workers), "--servers", "1", f"--{mode}", "--eval-every", "end",
                            "--steps", str(self.few(steps)), *(["--key", key] if key else []), threads=1)
        return said["steps"] / said["seconds"]

    def local_microseconds(self):
        """Seconds of a step with one thread and without servers."""
        said = self.trained(*SOFTMAX, "--steps", str(self.few(20000)), threads=1)
        return said["seconds"] / said["steps"] * 1e6

    def bare_server(self, kind, *arguments):
        """kind: bare, without a protocol; frames, through the connections that Trireme's servers have."""
        return run([os.path.join(self.build, "bench", f"bench_ps_{kind}"), *map(str, arguments)])[0]

    def tensorflow_servers(self, mode, workers):
        said, _, _ = run([sys.executable, os.path.join(HERE, "tensorflow_ps.py"), mode, str(workers), "100", "2" if self.quick else "6"])
        return said["rate"]

    def few(self, steps):
        return max(100, steps // 20) if self.quick else steps

    def new_key(self, folder):
        path = os.path.join(folder, "cluster.key")
        ended = subprocess.run([self.trireme.binary, "keygen", path], capture_output=True, text=True, check=False)
        if ended.returncode:
            raise Unavailable(f"trireme keygen: {ended.stderr.strip()}")
        return path

    # ---- parts

    def ps(self):
        """Updates and steps a second of softmax, in clear; and what a round trip adds to a step."""
        peers = {"async": {"TensorFlow sessions": ("async", WORKERS), "TensorFlow sessions, one": ("async", 1),
                           "TensorFlow strategy": ("strategy", WORKERS), "stripped TensorFlow": ("stripped-async", WORKERS)},
                 "sync": {"TensorFlow SyncReplicas": ("sync", WORKERS), "stripped TensorFlow": ("stripped-sync", WORKERS)}}
        medians = self.server_race(None, peers)
        for mode, unit, times in (("async", "updates/s", 35), ("sync", "steps/s", 30)):
            self.expect(f"softmax b100, {mode}, 3 workers, {unit}, against TensorFlow", self.best(medians[mode], "Trireme", unit),
                        self.best(medians[mode], "TensorFlow", unit), times)
        self.round_trip()

    def ps_tls(self):
        """The same with TLS: with a key, loopback is encrypted, too."""
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            try:
                self.server_race(self.new_key(folder), {})
            except Unavailable as reason:
                self.say(f"  not measured: {reason}")
                self.unmeasured.append("parameter servers with TLS")

    def server_race(self, key, peers):
        """peers: mode → name → (mode, workers) of TensorFlow's. Returns mode → medians."""
        secured, identity, suffix = (["tls"], [key], ", TLS") if key else ([], [], "")
        seconds = 1 if self.quick else 4
        compute = statistics.median(self.local_microseconds() for _ in range(3))
        self.say(f"\na step of softmax b100 takes one thread {compute:.0f} µs, and so does the bare program's")
        medians = {}
        for mode, unit, steps in (("async", "updates/s", 100000), ("sync", "steps/s", 20000)):
            measures = {"Trireme": lambda: {unit: self.served(mode, WORKERS, steps, key)},
                        "bare libuv": lambda: {unit: self.bare_server("bare", mode, WORKERS, compute, seconds, *secured)["rate"]},
                        "frames of net": lambda: {unit: self.bare_server("frames", mode, WORKERS, compute, seconds, *identity)["rate"]}}
            measures |= {name: lambda peer=peer: {unit: self.tensorflow_servers(*peer)} for name, peer in peers.get(mode, {}).items()}
            medians[mode] = self.interleave(f"softmax b100, {mode}, {WORKERS} workers + 1 server{suffix}", measures)
            self.expect(f"softmax b100, {mode}{suffix}, 3 workers, {unit}, share of the bare program", self.best(medians[mode], "Trireme", unit),
                        self.best(medians[mode], "bare", unit), 0.85)
        return medians

    def round_trip(self):
        """Compares with a bare round trip. To explain the difference, also compares with a bare client that computes between round trips, so that
        the server falls asleep meanwhile."""
        unit, seconds = "µs", 0.5 if self.quick else 2
        compute = self.local_microseconds()
        medians = self.interleave("softmax b100, async, one worker: what a step takes", {
            "Trireme, one worker": lambda: {unit: 1e6 / self.served("async", 1, 40000, None)},
            "Trireme, local": lambda: {unit: self.local_microseconds()},
            "bare TCP round trip": lambda: {unit: self.bare_server("bare", "trip", 0, seconds)["microseconds"]},
            "the same, with compute": lambda: {unit: self.bare_server("bare", "trip", compute, seconds)["microseconds"]}})
        served, local = (self.best(medians, f"Trireme, {name}", unit) for name in ("one", "local"))
        self.expect("31 kB up and down, µs beyond compute, against a bare round trip", None if served is None or local is None else served - local,
                    self.best(medians, "bare", unit), 1.3, at_most=True)

    def ps_scale(self):
        """CPU time that an update costs the server, with one to eight workers."""
        def measure(workers):
            with Job(self.trireme.binary, [*SOFTMAX, "--async", "--steps", str(self.few(60000))], workers) as job:
                said = job.start_all().finish(300)
                return {"CPU µs/update": job.watch.cpu / said["steps"] * 1e6, "updates/s": said["steps"] / said["seconds"]}

        def bare(workers):
            said = self.bare_server("bare", "async", workers, 70, 0.5 if self.quick else 3)
            return {"CPU µs/update": said["server_cpu"], "updates/s": said["rate"]}

        counts = (1, 2, 4, 8)
        medians = self.interleave("softmax b100, async: what an update costs the server", {
            **{f"Trireme, workers: {count}": lambda count=count: measure(count) for count in counts},
            **{f"bare libuv, workers: {count}": lambda count=count: bare(count) for count in counts}})
        one, eight = (self.best(medians, f"Trireme, workers: {count}", "CPU µs/update") for count in (1, 8))
        self.expect("server, CPU µs an update, 8 workers against one", eight, one, 1.15, at_most=True)

    def ps_memory(self):
        """The server's peak for AlexNet: parameters, what is pulled, the rule's state, a gradient. It does not depend on the number of workers."""
        bound = ALEXNET_PARAMETERS * 4 * (2 + RULE_STATE + 1) / 1e6 + 50

        def measure(mode, workers):
            with Job(self.trireme.binary, [*ALEXNET, "--batch", "1", f"--{mode}", "--steps", "4"], workers) as job:
                job.start_all().finish(300)
                return {"MB": job.watch.peak / 1e6}

        runs = [("sync", 1), ("sync", 3), ("async", 3)]
        repeats, self.repeats = self.repeats, 1  # memory does not scatter as time does
        medians = self.interleave("AlexNet: memory of a server", {
            f"{mode}, workers: {workers}": lambda mode=mode, workers=workers: measure(mode, workers) for mode, workers in runs})
        self.repeats = repeats
        for mode, workers in runs:
            self.limit(f"AlexNet, {mode}, {workers} workers, MB of the server", self.best(medians, f"{mode}, workers: {workers}", "MB"), bound)

    def ps_start(self):
        """A worker waits for its server: how long it takes from the moment the server listens to the end of the first step."""
        def measure():
            with Job(self.trireme.binary, [*SOFTMAX, "--steps", "200", "--log-every", "1"], 1) as job:
                job.start("worker:0")
                job.start(EVALUATOR)
                time.sleep(1.5)  # long enough to fail to connect several times
                job.start(SERVER)
                ready = wait_until_listening(job, 30)
                job.finish(60)
                return {"ms": (min(step_times(job.run_folder(SERVER)).values()) - ready) * 1e3}

        medians = self.interleave("a waiting worker: from a listening server to the first step", {"Trireme": measure})
        self.limit("a waiting worker's first step, ms after the server listens", self.best(medians, "Trireme", "ms"), 100)

    def ps_kill(self):
        """One of three workers is killed: for how long the others make no step."""
        def measure(mode, steps):
            with Job(self.trireme.binary, [*SOFTMAX, f"--{mode}", "--steps", str(steps), "--log-every", "10"], WORKERS) as job:
                job.start_all()
                wait_until_listening(job, 30)
                time.sleep(2)
                killed = job.kill(f"worker:{WORKERS - 1}")
                job.finish(120)
                moments = sorted(step_times(job.run_folder(SERVER)).values())
                gaps = [after - before for before, after in zip(moments, moments[1:]) if after > killed]
                if not gaps:
                    raise Unavailable("the run had ended before a worker was killed")
                return {"seconds": max(gaps)}

        medians = self.interleave("softmax b100, one worker of three killed: the longest time without a step", {
            "async": lambda: measure("async", 60000), "sync": lambda: measure("sync", 15000)})
        for mode in ("async", "sync"):
            self.limit(f"{mode}, a worker killed: seconds until the others go on", self.best(medians, mode, "seconds"), 1)

    def ps_replicas(self):
        """What a second server for each range costs: bytes and time of a step, with the same workers and servers. The standbys are filled once,
        at the start; there are enough steps that this hardly counts."""
        def measure(mode, replicas):
            with tempfile.NamedTemporaryFile(mode="r", prefix="trireme-bench-") as counted:
                said = self.trained(*REPLICATED, "--strategy", "ps", "--workers", "2", "--servers", "3", "--replicas", str(replicas), f"--{mode}",
                                    "--eval-every", "end", "--checkpoint-every", "end", "--steps", str(self.few(2000)), threads=1,
                                    before=in_own_network(counted.name))
                return {"ms/step": said["seconds"] / said["steps"] * 1e3, "MB/step": loopback_bytes(counted) / said["steps"] / 1e6}

        for mode in ("sync", "async"):
            medians = self.interleave(f"lenet b64, {mode}, 2 workers + 3 servers: a step", {
                f"replicas: {count}": lambda count=count: measure(mode, count) for count in (1, 2)})
            for unit, goal in (("MB/step", 1.6), ("ms/step", 1.3)):
                one, two = (self.best(medians, f"replicas: {count}", unit) for count in (1, 2))
                self.expect(f"lenet b64, {mode}, {unit}, --replicas 2 against one server a range", two, one, goal, at_most=True)

    def ps_link(self):
        """AlexNet, sync, TLS, a server and two workers on virtual hosts: bound by the link with small batches, by compute with large ones."""
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            try:
                key = self.new_key(folder)
                with Hosts(self.trireme.binary, 3, LINK_RATE) as hosts:
                    self.over_link(hosts, key)
            except Unavailable as reason:
                self.say(f"\nAlexNet over a link of {LINK_RATE}: not measured: {reason}")
                self.unmeasured.append("AlexNet over a virtual link")

    def over_link(self, hosts, key):
        for batch, steps in ((8, 6), (64, 4)):
            medians = self.interleave(f"AlexNet b{batch}, sync, TLS, 2 workers, links of {LINK_RATE}", {
                "bare stream": lambda: {"MB/s": stream(hosts, 1 if self.quick else 3)},
                "compute alone": lambda: {"seconds": self.two_at_once(batch, steps)},
                "Trireme": lambda: self.linked(hosts, key, batch, steps)})
            rate, compute = self.best(medians, "bare", "MB/s"), self.best(medians, "compute", "seconds")
            step, megabytes = (self.best(medians, "Trireme", key) for key in ("seconds", "MB/step"))
            if None in (rate, compute, step):
                self.unmeasured.append(f"AlexNet b{batch} over a virtual link")
                continue
            travel = megabytes / rate
            self.say(f"  a step: compute {compute:.2f} s, travel {travel:.2f} s, as measured {step:.2f} s")
            if travel > compute:
                self.limit(f"AlexNet b{batch} over {LINK_RATE}, share of the link that is busy", travel / step, 0.9, at_most=False)
            self.expect(f"AlexNet b{batch} over {LINK_RATE}, seconds a step, against max(compute, travel)", step, max(compute, travel), 1.1, at_most=True)

    def linked(self, hosts, key, batch, steps):
        """Seconds of each step but the first, and the bytes that the server received in it. A step ends when all its gradients have arrived."""
        options = [*ALEXNET, "--sync", "--batch", str(batch), "--steps", str(steps)]
        with Job(self.trireme.binary, options, 2, key, hosts) as job:
            job.start_all().finish(300)
            received = job.watch.received[-1][1] / steps
            whole = 0.999 * received  # the rest is messages at the start and the end
            seconds = (job.watch.moment(steps * whole) - job.watch.moment(whole)) / (steps - 1)
            return {"seconds": seconds, "MB/step": received / 1e6, "server CPU s/step": job.watch.cpu / steps}

    def two_at_once(self, batch, steps):
        """Seconds of a local step with one thread, while another process does the same."""
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            outs = [os.path.join(folder, str(number)) for number in range(2)]
            processes = [subprocess.Popen([self.trireme.binary, "train", *ALEXNET, "--batch", str(batch), "--steps", str(steps), "--log-every", "1",
                                           "--threads", "1", "--out", out, "--quiet"], stdout=subprocess.DEVNULL) for out in outs]
            if any([process.wait() for process in processes]):
                raise Unavailable("a local run of AlexNet failed")
            times = [step_times(out) for out in outs]
            return max((one[steps] - one[1]) / (steps - 1) for one in times)


def in_own_network(path):
    """A prefix for a command that gives it a loopback of its own. At the end the file has the number of bytes that this loopback carried."""
    return ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && "$@" && cat /proc/self/net/dev >"$0"', path]


def loopback_bytes(file):
    """Bytes that loopback has carried, from a file in the format of /proc/net/dev."""
    return next(int(line.split()[1]) for line in file if line.split()[0] == "lo:")


def wait_until_listening(job, seconds):
    """The wall time at which the server first takes a connection."""
    host, port = job.addresses[0].rsplit(":", 1)
    deadline = time.time() + seconds
    while time.time() < deadline and job.processes[SERVER].poll() is None:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return time.time()
        except OSError:
            time.sleep(0.001)
    raise Unavailable(f"nobody listens at {job.addresses[0]}: {(job.said(SERVER) or ['without a word'])[-1]}")


def stream(hosts, seconds):
    """MB/s that a link carries."""
    script, port = os.path.join(HERE, "link_rate.py"), free_ports(1)[0]
    sender = subprocess.Popen(hosts.command(2, [sys.executable, script, "send", hosts.address(1), str(port), str(seconds)]))
    said, _, _ = run(hosts.command(1, [sys.executable, script, "receive", hosts.address(1), str(port)]))
    sender.wait()
    return said["bytes_per_second"] / 1e6
