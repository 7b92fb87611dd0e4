"""The programs that are measured, and how one is measured: start it, read its JSON line, watch its peak memory."""
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
FAKE = {"alexnet": "fake:224x224x3:1000:512", "mobilenet": "fake:224x224x3:1000:512", "resnet20": "fake:32x32x3:10:2048"}


class Unavailable(Exception):
    """A contender that cannot run here; the message says why."""


@dataclass
class Result:
    rate: float          # examples/s
    peak_mb: float       # of the process
    first_step: float    # seconds from the start of the process to the end of its first step


def run(command, environment=None):
    """The last line of its output as JSON, its peak memory in MB, and the wall time of its start."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.time()
        process = subprocess.Popen(command, stdout=out, stderr=err, env={**os.environ, **(environment or {})})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        lines = out.read().strip().splitlines()
        if process.returncode != 0 or not lines:
            said = err.read().strip().splitlines()
            raise Unavailable(f"{os.path.basename(command[0])} ended with {process.returncode}: {said[-1] if said else 'without a word'}")
    return json.loads(lines[-1]), usage.ru_maxrss / 1024, start


class Peer:
    """PyTorch or TensorFlow in one of its modes."""

    def __init__(self, family, mode):
        self.name = f"{family} {mode}"
        self.family = family
        self.mode = mode

    def measure(self, model, batch, steps):
        script = os.path.join(HERE, f"{self.family.lower()}_peer.py".replace("pytorch", "torch"))
        said, peak, start = run([sys.executable, script, model, str(batch), str(steps), self.mode])
        return Result(said["rate"], peak, said["first_step"] - start)


class Trireme:
    """The rate comes from the run's own summary. If there are few steps, the first one, which warms up, is left out, as it is for the peers:
    then the run writes every step to its event file, and the rate comes from the wall times there."""
    name = family = "Trireme"
    FEW = 20

    def __init__(self, binary):
        self.binary = binary

    def measure(self, model, batch, steps, workers=1, options=()):
        """batch: examples in a step, for each worker. The peak is of the process that this function starts."""
        data = FAKE.get(model, "fashion")
        rule = ["--rule", "sgd", "--rate", "0.01"] if model == "softmax" else []  # as the peers train it
        few = steps <= self.FEW
        folder = tempfile.mkdtemp(prefix="trireme-bench-")
        try:
            out = os.path.join(folder, "run")
            said, peak, start = run([self.binary, "train", model, "--data", data, "--batch", str(batch),
                                     "--steps", str(steps + 1 if few else steps), "--log-every", "1" if few else str(steps),
                                     "--out", out, "--quiet", "--json", *rule, *options])
            times = step_times(out)
        finally:
            shutil.rmtree(folder)
        rate = workers * batch * steps / (times[steps + 1] - times[1]) if few else said["examples_per_second"]
        return Result(rate, peak, min(times.values()) - start)


def records(path):
    """The records of an event file: length, checksum, bytes, checksum."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12:at + 12 + length]
        at += 16 + length


def step_and_time(event):
    """An event begins with 1: wall_time (double) and 2: step (varint), which is left out where it is 0."""
    (moment,) = struct.unpack_from("<d", event, 1)
    if event[0] != 0x09 or len(event) < 11 or event[9] != 0x10:
        return 0, moment
    step = shift = 0
    for byte in event[10:20]:
        step |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            break
    return step, moment


def step_times(run_folder):
    """Step → the wall time at which the run first wrote it to its event file."""
    times = {}
    for path in glob.glob(os.path.join(run_folder, "events", "**", "*tfevents*"), recursive=True):
        for step, moment in map(step_and_time, records(path)):
            if step > 0:
                times.setdefault(step, moment)
    if not times:
        raise Unavailable(f"no step in the event files of {run_folder}")
    return times
