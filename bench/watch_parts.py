"""The part of the benchmark that measures what watching costs: runs with everything on (samples, curves, a timeline, a live page with a
viewer) beside runs with everything off, one after the other."""
import glob
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

from contenders import Unavailable, run
from job import free_ports

MODELS = {"softmax": (100, 120000), "lenet": (64, 6000)}  # batch, steps: a run takes some seconds, so that the samples of a second count
STRATEGIES = {"local": [], "ps": ["--strategy", "ps", "--workers", "1"]}
# Readings of the clock in a step of a local run: three, and two for each parameter that is offered (src/train/step).
READINGS = {"softmax": 3 + 2 * 2, "lenet": 3 + 2 * 10}


class Viewer:
    """A viewer of the live page of a run, from the moment its folder exists until the run ends."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.port = free_ports(1)[0]
        self.over = threading.Event()
        self.seen = 0
        self.thread = threading.Thread(target=self.look)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def look(self):
        while not os.path.exists(os.path.join(self.folder, "samples")) and not self.over.is_set():
            time.sleep(0.01)
        server = subprocess.Popen([self.binary, "watch", self.folder, "--web", str(self.port)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            self.read()
        finally:
            server.terminate()
            server.wait()

    def read(self):
        """Events, as a browser would read them."""
        while not self.over.is_set():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/events", timeout=1) as events:
                    while not self.over.is_set():
                        self.seen += len(events.readline())
            except (OSError, socket.timeout):
                time.sleep(0.05)


def clock_seconds():
    """The most that a reading of the clock takes, including what Python adds."""
    count = 200000
    began = time.perf_counter()
    for _ in range(count):
        time.monotonic_ns()
    return (time.perf_counter() - began) / count


def sampling_percent(folder):
    """The largest share of one CPU that a task's log reports."""
    said = []
    for path in glob.glob(os.path.join(folder, "log", "*.txt")):
        with open(path, encoding="utf-8") as file:
            said += [float(percent) for percent in re.findall(r"sampling took ([0-9.]+) %", file.read())]
    if not said:
        raise Unavailable(f"no log in {folder} says what sampling took")
    return max(said)


class WatchParts:
    """Parts of Bench: they use its interleave, expect and limit."""

    def watched_run(self, model, strategy, on):
        batch, steps = MODELS[model]
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as top:
            folder = os.path.join(top, "run")
            command = [self.trireme.binary, "train", model, "--data", "fashion", "--batch", str(batch), "--threads", "1", "--json", "--quiet",
                       "--steps", str(steps // 10 if self.quick else steps), "--eval-every", "never", "--checkpoint-every", "end", "--out", folder,
                       *STRATEGIES[strategy], *(["--trace"] if on else ["--no-events", "--sample-every", "never"])]
            if not on:
                said, _, _ = run(command)
                return {"examples/s": said["examples_per_second"]}
            with Viewer(self.trireme.binary, folder) as viewer:
                said, _, _ = run(command)
            if viewer.seen == 0 and said["seconds"] > 2:
                raise Unavailable("nobody saw the live page")
            return {"examples/s": said["examples_per_second"], "sampling %": sampling_percent(folder)}

    def watch(self):
        sampling = []
        for model in MODELS:
            for strategy in STRATEGIES:
                medians = self.interleave(f"{model}, {strategy}: everything on, and nothing", {
                    "on": lambda: self.watched_run(model, strategy, True),
                    "off": lambda: self.watched_run(model, strategy, False),
                })
                on, off = self.best(medians, "on", "examples/s"), self.best(medians, "off", "examples/s")
                self.expect(f"{model}, {strategy}, examples/s, everything on against nothing", on, off, 0.98)
                sampling.append(self.best(medians, "on", "sampling %"))
                if strategy == "local" and off:
                    step = MODELS[model][0] / off
                    self.limit(f"{model}, phases: percent of a step, at most", 100 * READINGS[model] * clock_seconds() / step, 1)
        self.limit("sampling: percent of one CPU", max((percent for percent in sampling if percent is not None), default=None), 0.5)
