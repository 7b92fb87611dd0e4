#!/usr/bin/env python3
"""Repeats what was reported of sparse logistic regression with 33 million features and parameter servers, and puts both side by side.

usage: clicks.py [--binary build/release/trireme] [--rows N] [E1|E2|E4|E5]…    as root: it makes five virtual hosts
The server is on the first host, beside worker 0, with a link of 2.5 Gbit/s; the links of the others have 1.8. The seconds come from other
machines: compare how they change, not their size. The status is 1 where something that must hold does not."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

from study import Study, arguments_of, show

FEATURES = 33_000_000
HOSTS = 5
RATES = ["2.5gbit"] + ["1.8gbit"] * (HOSTS - 1)
PORT = 7000
NAME = "clicks"
BATCH = 1000
# As reported: seconds a step.
DENSE = "7–8"
SPARSE = {"sync": ["3–4"] * HOSTS, "async": ["1–1.5"] + ["3–3.5"] * (HOSTS - 1)}
LONGEST = 1800  # seconds of one job


class Clicks(Study):
    def __init__(self, binary, rows):
        super().__init__(os.path.abspath(binary))
        self.rows = rows

    # ---- hosts and data

    def cluster(self, *words):
        return subprocess.run([self.binary, "cluster", *words], capture_output=True, text=True, check=False)

    def up(self, folder):
        path = os.path.join(folder, "hosts.yaml")
        with open(path, "w", encoding="ascii") as file:
            file.write("hosts:\n" + "".join(f"  - name: host{i + 1}\n    rate: {rate}\n" for i, rate in enumerate(RATES)))
        said = self.cluster("up", NAME, "--file", path, "--json")
        if said.returncode:
            sys.exit(f"no virtual hosts: {said.stderr.strip()}")
        return [(host["host"], host["address"]) for host in json.loads(said.stdout.strip().splitlines()[-1])["hosts"]]

    def make(self, folder):
        """Records that all hosts read; the first tenth of the test part is evaluated."""
        data = os.path.join(folder, "data")
        subprocess.run([self.binary, "data", "make", "clicks", "--features", str(FEATURES), "--count", str(self.rows), "--format", "tfrecord",
                        "--out", data, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        return data

    # ---- one job

    def job(self, hosts, data, workers, out, *options):
        """A server on the first host, a worker on each of so many; the summary of the run, or None: then that is a finding."""
        addresses = [address for _, address in hosts]
        described = json.dumps({"ps": [f"{addresses[0]}:{PORT}"], "worker": [f"{address}:{PORT + 1}" for address in addresses[:workers]]})
        path = f"{out}.json"  # which is YAML, too
        with open(path, "w", encoding="ascii") as file:
            file.write(described)
        tasks = [("ps:0", hosts[0][0])] + [(f"worker:{i}", hosts[i][0]) for i in range(workers)]
        started = []
        for task, host in tasks:
            command = [self.binary, "cluster", "exec", NAME, host, self.binary, "train", "sparse-lr", "--data", data, "--features", str(FEATURES),
                       "--strategy", "ps", "--cluster", path, "--task", task, "--insecure", "--rule", "sgd", "--rate", "0.1", "--threads", "1",
                       "--checkpoint-every", "end", *options, "--json"] + (["--out", out] if task == "ps:0" else [])
            started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        try:
            said, told = started[0].communicate(timeout=LONGEST)
            for process in started[1:]:
                process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            told = f"did not end within {LONGEST} s"
        finally:
            for process in started:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        if started[0].returncode:
            self.findings.append(f"{workers} workers {' '.join(options)}: {told.strip()}")
            return None
        return json.loads(said.strip().splitlines()[-1])

    # ---- the studies

    def e1(self, hosts, data, folder):
        """The whole model goes to every worker in each step, and a gradient of its size comes back."""
        rows = [("gather", "reported s a step", "ours s a step", "MB a step from the server")]
        seconds = {}
        for gather, steps in (("dense", 5), ("sparse", 200)):
            said = self.job(hosts, data, HOSTS, os.path.join(folder, f"e1-{gather}"), "--sync", "--gather", gather, "--batch", str(BATCH),
                            "--steps", str(steps), "--eval-every", "end")
            if said:
                seconds[gather] = said["seconds"] / said["steps"]
                sent = sum(worker["bytes_received"] for worker in said["worker_stats"]) / said["steps"] / 1e6
                rows.append((gather, DENSE if gather == "dense" else SPARSE["sync"][0], f"{seconds[gather]:.4f}", f"{sent:.2f}"))
        show(f"E1  sync, {HOSTS} workers, batch {BATCH}: all of the model, or the keys that are needed", rows)
        if len(seconds) == 2:
            self.hold(seconds["sparse"] * 20 <= seconds["dense"], f"E1: sparse steps are {seconds['dense'] / seconds['sparse']:.1f}× as quick, not 20×")

    def e2(self, hosts, data, folder):
        for mode in ("sync", "async"):
            said = self.job(hosts, data, HOSTS, os.path.join(folder, f"e2-{mode}"), f"--{mode}", "--batch", str(BATCH), "--steps", "1000",
                            "--eval-every", "end")
            if not said:
                continue
            rows = [("worker", "reported s a step", "ours s a step", "steps", "MB received", "MB sent")]
            for i, worker in enumerate(said["worker_stats"]):
                rows.append((worker["task"], SPARSE[mode][i], f"{worker['seconds'] / max(1, worker['steps']):.5f}", worker["steps"],
                             f"{worker['bytes_received'] / 1e6:.1f}", f"{worker['bytes_sent'] / 1e6:.1f}"))
            show(f"E2  {mode}, batch {BATCH}: {said['steps'] / said['seconds']:.1f} steps/s in all (reported 1.5)", rows)
            counts = [worker["steps"] for worker in said["worker_stats"]]
            if mode == "sync":
                self.hold(min(counts) == max(counts), f"E2: sync workers made {counts} steps")
            else:
                self.hold(counts[0] == max(counts), f"E2: the worker beside the server did not make the most steps: {counts}")

    def e4(self, hosts, data, folder):
        """The error on the test rows against the examples learnt by all workers together."""
        curves = {}
        for mode in ("sync", "async"):
            out = os.path.join(folder, f"e4-{mode}")
            updates = 300 if mode == "sync" else 300 * HOSTS
            said = self.job(hosts, data, HOSTS, out, f"--{mode}", "--batch", "100", "--steps", str(updates), "--eval-every", str(updates // 6))
            if said:
                curves[mode] = curve_of(out, 100 * (HOSTS if mode == "sync" else 1))
        examples = sorted({count for curve in curves.values() for count in curve})
        rows = [("examples", *(f"{mode} test loss" for mode in curves))]
        rows += [(f"{count:,}", *(f"{curve[count]:.4f}" if count in curve else "" for curve in curves.values())) for count in examples]
        show("E4  error on the test rows, batch 100", rows)

    def e5(self, hosts, data, folder):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reported", "e5-batch.csv"), encoding="ascii") as file:
            reported = {row["mode"]: row for row in csv.DictReader(file)}
        iterations = {"sync": 20_000, "async": 100_000}
        for mode in ("sync", "async"):
            rows = [("batch", "reported s", "ours s for as many iterations", "test loss after as many examples")]
            for batch in (1, 100, 1000, 10000):
                steps = max(20, 400 // max(1, batch // 100))
                said = self.job(hosts, data, 4, os.path.join(folder, f"e5-{mode}-{batch}"), f"--{mode}", "--batch", str(batch), "--steps", str(steps),
                                "--eval-every", "end")
                each = self.at_equal_examples(hosts, data, folder, mode, batch) if batch > 1 else None
                if said:
                    rows.append((batch, reported[mode][f"batch_{batch}_seconds"], f"{said['seconds'] / said['steps'] * iterations[mode]:.0f}",
                                 f"{each:.4f}" if each else ""))
            show(f"E5  {mode}, 4 workers", rows)

    def at_equal_examples(self, hosts, data, folder, mode, batch):
        steps = max(1, 200_000 // batch // (4 if mode == "sync" else 1))
        said = self.job(hosts, data, 4, os.path.join(folder, f"e5-{mode}-{batch}-equal"), f"--{mode}", "--batch", str(batch), "--steps", str(steps),
                        "--eval-every", "end")
        return said["test_loss"] if said else None


def curve_of(out, examples_a_step):
    """examples → test loss, from the log of the task that leads the run."""
    curve = {}
    for name in sorted(os.listdir(os.path.join(out, "log"))):
        with open(os.path.join(out, "log", name), encoding="utf-8", errors="replace") as log:
            for line in log:
                found = re.search(r"step ([\d,]+) .*test loss ([\d.]+)", line)
                if found:
                    curve[int(found[1].replace(",", "")) * examples_a_step] = float(found[2])
    return curve


def main():
    parser = arguments_of("Repeat the study of sparse logistic regression on five hosts.")
    parser.add_argument("--rows", type=int, default=400_000, help="training rows to make")
    parser.add_argument("what", nargs="*", metavar="WHAT", help="of E1, E2, E4, E5; all where none is said")
    arguments = parser.parse_args()
    known = ["E1", "E2", "E4", "E5"]
    unknown = [name for name in arguments.what if name not in known]
    if unknown:
        parser.error(f"no study {unknown[0]}: there are {', '.join(known)}")
    study = Clicks(arguments.binary, arguments.rows)
    with tempfile.TemporaryDirectory(prefix="trireme-study-") as folder:
        data = study.make(folder)
        hosts = study.up(folder)
        try:
            for name in arguments.what or known:
                getattr(study, name.lower())(hosts, data, folder)
        finally:
            study.cluster("down", NAME)
    return study.conclude()


if __name__ == "__main__":
    sys.exit(main())
