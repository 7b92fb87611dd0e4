"""Measures Trireme beside its peers and prints a table of ratios with the goal beside each.

Repeats are interleaved (every contender once, then every contender again, …), so that other load of the machine affects all of them alike. The
table has medians. usage: main.py --build FOLDER [--quick] [WHAT…]
"""
import argparse
import glob
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass

from contenders import HERE, Peer, Trireme, Unavailable, run
from placed_parts import PlacedParts
from ranks import RankParts
from servers import ServerParts
from sparse_parts import SparseParts
from watch_parts import WatchParts

TENSORFLOW = [Peer("TensorFlow", "graph"), Peer("TensorFlow", "xla")]
PEERS = ("TensorFlow", "PyTorch")
PYTORCH = [Peer("PyTorch", "eager"), Peer("PyTorch", "channels-last"), Peer("PyTorch", "compiled")]


@dataclass
class Goal:
    what: str
    ours: float
    theirs: float | None  # None: the bound is on our number itself, not on a ratio
    bound: float
    at_most: bool = False  # else at least

    def judged(self):
        return self.ours if self.theirs is None else self.ours / self.theirs

    def met(self):
        return self.judged() <= self.bound if self.at_most else self.judged() >= self.bound

    def row(self):
        theirs, ratio = ("", "") if self.theirs is None else (f"{self.theirs:,.4g}", f"{self.judged():.2f}")
        bound = f"{'≤' if self.at_most else '≥'} {self.bound:g}"
        return (self.what, f"{self.ours:,.4g}", theirs, ratio, bound, "met" if self.met() else "MISSED")


class Bench(ServerParts, RankParts, SparseParts, PlacedParts, WatchParts):
    def __init__(self, build, quick, photo_source):
        self.build = build
        self.photo_source = photo_source
        self.quick = quick
        self.repeats = 1 if quick else 5
        self.goals = []
        self.unmeasured = []
        self.results = {}
        self.trireme = Trireme(os.path.join(build, "trireme"))

    def say(self, text=""):
        print(text, flush=True)

    def interleave(self, title, measures):
        """measures: name → function that gives a dictionary of numbers. Returns the medians of each; one that cannot run is reported and left out."""
        self.say(f"\n{title}")
        seen = {name: [] for name in measures}
        for _ in range(self.repeats):
            for name in list(measures):
                try:
                    seen[name].append(measures[name]())
                except Unavailable as reason:
                    self.say(f"  {name:<26} not measured: {reason}")
                    measures = {key: value for key, value in measures.items() if key != name}
        medians = {name: {key: statistics.median(one[key] for one in many) for key in many[0]} for name, many in seen.items() if many}
        self.results[title] = {name: seen[name] for name in medians}
        for name, median in medians.items():
            all_of = {key: [one[key] for one in seen[name]] for key in median}
            told = (f"{key} {median[key]:,.5g} ({min(values):,.5g}–{max(values):,.5g})" for key, values in all_of.items())
            self.say(f"  {name:<26} {'  '.join(told)}")
        return medians

    def best(self, medians, family, key):
        """The largest median of the contenders whose name begins with family (or one of several); None where none ran."""
        return max((median[key] for name, median in medians.items() if name.startswith(family) and key in median), default=None)

    def expect(self, what, ours, theirs, bound, at_most=False):
        """A goal for the ratio of two numbers. A ratio that could not be measured is reported at the end."""
        if ours is not None and theirs is not None:
            self.goals.append(Goal(what, ours, theirs, bound, at_most))
        else:
            self.unmeasured.append(what)

    def limit(self, what, ours, bound, at_most=True):
        """A bound on one of our own numbers."""
        if ours is not None:
            self.goals.append(Goal(what, ours, None, bound, at_most))
        else:
            self.unmeasured.append(what)

    def race(self, model, batch, steps, unit, others=None):
        """Rates and peak memory of training a model. steps: family → how many; others: more measures to interleave."""
        def measure(contender):
            count = steps[contender.family]
            result = contender.measure(model, batch, max(1, count // 20) if self.quick else count)
            return {unit: result.rate / (batch if unit == "steps/s" else 1), "peak MB": result.peak_mb}

        contenders = [self.trireme, *TENSORFLOW, *PYTORCH]
        measures = {contender.name: lambda contender=contender: measure(contender) for contender in contenders}
        return self.interleave(f"{model}, batch {batch}", measures | (others or {}))

    def softmax(self):
        medians = self.race("softmax", 100, {"Trireme": 20000, "TensorFlow": 2000, "PyTorch": 3000}, "steps/s")
        ours = self.best(medians, "Trireme", "steps/s")
        self.expect("softmax b100, steps/s, against TensorFlow", ours, self.best(medians, "TensorFlow", "steps/s"), 15)
        self.expect("softmax b100, steps/s, against PyTorch", ours, self.best(medians, "PyTorch", "steps/s"), 9)

    def lenet(self):
        medians = self.race("lenet", 64, {"Trireme": 3000, "TensorFlow": 300, "PyTorch": 400}, "examples/s")
        ours = self.best(medians, "Trireme", "examples/s")
        self.expect("LeNet b64, examples/s, against the best", ours, self.best(medians, PEERS, "examples/s"), 5)

    def bare(self, batch):
        said, _, _ = run([os.path.join(self.build, "bench", "bench_alexnet_bare"), str(batch), "0.02" if self.quick else "0.3"])
        return {"examples/s": said["examples_per_second"]}

    def alexnet(self):
        for batch, count in ((32, 8), (128, 3), (256, 2)):
            others = {"oneDNN bare": lambda: self.bare(batch)} if batch < 256 else {}
            medians = self.race("alexnet", batch, dict.fromkeys(("Trireme", *PEERS), count), "examples/s", others)
            ours = self.best(medians, "Trireme", "examples/s")
            fastest = self.best(medians, PEERS, "examples/s")
            memory = self.best(medians, "Trireme", "peak MB")
            memory_of_fastest = next((median["peak MB"] for median in medians.values() if median.get("examples/s") == fastest), None)
            self.expect(f"AlexNet b{batch}, examples/s, against the best", ours, fastest, 1.15)
            self.expect(f"AlexNet b{batch}, peak MB, against the fastest peer", memory, memory_of_fastest, 0.5, at_most=True)
            self.expect(f"AlexNet b{batch}, examples/s, share of bare oneDNN", ours, self.best(medians, "oneDNN", "examples/s"), 0.88)

    def layers(self):
        """Batch normalisation, residual blocks and depthwise convolutions."""
        for model, batch, count in (("resnet20", 128, 20), ("mobilenet", 32, 3)):
            medians = self.race(model, batch, dict.fromkeys(("Trireme", *PEERS), count), "examples/s", self.machine())
            self.expect(f"{model} b{batch}, examples/s, against the best", self.best(medians, "Trireme", "examples/s"),
                        self.best(medians, PEERS, "examples/s"), 1)

    def start(self):
        def measure(contender):
            return {"seconds": contender.measure("softmax", 100, 1).first_step}

        try:
            measure(self.trireme)  # the first run may inflate the data set into the cache
        except Unavailable:
            pass  # interleave reports why
        contenders = [self.trireme, TENSORFLOW[0], PYTORCH[0]]
        medians = self.interleave("start to the first step, softmax on fashion",
                                  {contender.name: lambda contender=contender: measure(contender) for contender in contenders})
        self.limit("start to the first step, s", self.best(medians, "Trireme", "seconds"), 0.15)

    def libsvm(self):
        """Files of click records (values 1) and of decimals (6 and 17 digits), read by one thread."""
        program, peer = os.path.join(self.build, "bench", "bench_libsvm"), os.path.join(HERE, "sklearn_peer.py")
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            for name, path in libsvm_files(self.trireme.binary, folder, 2000 if self.quick else 60000):
                medians = self.interleave(f"LIBSVM text, {name}, {os.path.getsize(path) / 1e6:.0f} MB, MB/s", {
                    "Trireme": lambda path=path: run([program, path, "0.1" if self.quick else "1"])[0],
                    "scikit-learn": lambda path=path: run([sys.executable, peer, path])[0],
                })
                theirs = self.best(medians, "scikit-learn", "parse")  # one call, which does all there is to do
                self.expect(f"LIBSVM {name}, MB/s, best warm pass against scikit-learn", self.best(medians, "Trireme", "parse"), theirs, 20)
                self.expect(f"LIBSVM {name}, MB/s, opened, indexed and read once", self.best(medians, "Trireme", "first"), theirs, 20)
                self.limit(f"LIBSVM {name}, MB a second of a core", self.best(medians, "Trireme", "core"), 400, at_most=False)

    def csv(self):
        """A table of numbers, and one with categories and missing values, read by one thread."""
        program, peer = os.path.join(self.build, "bench", "bench_libsvm"), os.path.join(HERE, "pandas_peer.py")
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            for name, path in csv_files(folder, 2000 if self.quick else 200000):
                medians = self.interleave(f"CSV table of {name}, {os.path.getsize(path) / 1e6:.0f} MB, MB/s", {
                    "Trireme": lambda path=path: run([program, path, "0.1" if self.quick else "1"])[0],
                    "pandas": lambda path=path: run([sys.executable, peer, path])[0],
                })
                theirs = self.best(medians, "pandas", "parse")
                self.expect(f"CSV {name}, MB/s, best warm pass against pandas", self.best(medians, "Trireme", "parse"), theirs, 5)
                self.expect(f"CSV {name}, MB/s, opened, learnt and read once", self.best(medians, "Trireme", "first"), theirs, 1)

    def size(self):
        libraries = [path for path in glob.glob(os.path.join(self.build, "libtrireme.so*")) if not os.path.islink(path)]
        files = [path for path in [self.trireme.binary, *libraries] if os.path.exists(path)]
        self.say("\nsize")
        for path in files:
            self.say(f"  {os.path.basename(path):<26} {os.path.getsize(path) / 1e6:.2f} MB")
        if os.path.exists(self.trireme.binary):
            self.limit("binary plus library, MB", sum(map(os.path.getsize, files)) / 1e6, 5)

    def photo_folder(self):
        """The folder that the user gave, the photos that are shipped beside the project, or photos that are made now."""
        if not self.photo_source:
            shipped = os.path.join(os.path.dirname(HERE), "..", "shared", "data", "flowers")
            made = os.path.join(self.build, "bench", "photos")
            self.photo_source = shipped if os.path.isdir(shipped) else made
            if self.photo_source == made and not os.path.isdir(made):
                run([self.trireme.binary, "data", "make", "images", "--out", made, "--count", "300", "--size", "500x333", "--json"])
        return self.photo_source

    def photos(self):
        """JPEG folder → batches, with two decoding threads each."""
        seconds = "0.5" if self.quick else "3"

        def ours(what, side):
            said, _, _ = run([os.path.join(self.build, "bench", "bench_jpeg"), what, str(side), "2", seconds, self.photo_folder()])
            return {"photos/s": said["rate"]}

        def peer(what, side):
            said, _, _ = run([sys.executable, os.path.join(HERE, "photos_peer.py"), what, str(side), seconds, self.photo_folder()])
            return {"photos/s": said["rate"]}

        for side, others in ((192, ("tf.data", "DataLoader")), (96, ("tf.data", "tf.data-half", "DataLoader"))):
            measures = {"Trireme": lambda: ours("batches", side), "libjpeg-turbo bare": lambda: ours("bare", side)}
            measures |= {name: lambda name=name: peer(name, side) for name in others}
            medians = self.interleave(f"JPEG folder → {side}×{side}, batch 32", measures)
            rate = self.best(medians, "Trireme", "photos/s")
            self.expect(f"photos → {side}×{side}, share of bare libjpeg-turbo", rate, self.best(medians, "libjpeg", "photos/s"), 0.95)
            for name in others:
                theirs = medians.get(name, {}).get("photos/s")
                self.expect(f"photos → {side}×{side}, against {name}", rate, theirs, 2.5 if name == "DataLoader" else 1.4 if side == 192 else 1.8)

    def cached(self):
        """A cached epoch beside a bare copy of the same rows."""
        def measure():
            said, _, _ = run([os.path.join(self.build, "bench", "bench_cached")])
            return {"cached GB/s": said["cached"] / 1e9, "copied GB/s": said["copied"] / 1e9}

        medians = self.interleave("cached epoch, examples of 110 kB", {"Trireme": measure})
        self.expect("cached second epoch, GB/s, share of one thread's copy", self.best(medians, "Trireme", "cached GB/s"),
                    self.best(medians, "Trireme", "copied GB/s"), 0.8)

    def convert(self):
        """3,000 photos (the same ones again and again) decoded, resized and written as TFRecord."""
        count, side = (300, 192) if self.quick else (3000, 192)

        def ours(photos, out):
            begun = time.time()
            said, _, _ = run([self.trireme.binary, "data", "convert", photos, "--out", os.path.join(out, str(begun)), "--resize",
                              f"{side}x{side}", "--workers", "2", "--quiet", "--json"])
            return {"photos/s": said["records_per_second"], "seconds in all": time.time() - begun}

        def spark(photos, out):
            said, _, start = run([sys.executable, os.path.join(HERE, "spark_peer.py"), str(side), photos, os.path.join(out, str(time.time()))])
            return {"photos/s": said["rate"], "seconds in all": said["finished"] - start}

        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            photos = os.path.join(folder, "photos")
            repeat_photos(self.photo_folder(), photos, count)
            medians = self.interleave(f"{count} JPEG photos → {side}×{side} TFRecord, two threads", {
                "Trireme": lambda: ours(photos, folder), "Spark local[2]": lambda: spark(photos, folder)})
        self.expect("JPEG → TFRecord, photos/s, against warm Spark", self.best(medians, "Trireme", "photos/s"),
                    self.best(medians, "Spark", "photos/s"), 4)
        self.expect("JPEG → TFRecord, seconds from command to files, against Spark", self.best(medians, "Trireme", "seconds in all"),
                    self.best(medians, "Spark", "seconds in all"), 1 / 8, at_most=True)

    def machine(self):
        """What the machine gives in the same rounds: measures to interleave."""
        def measure(threads):
            said, _, _ = run([os.path.join(self.build, "bench", "bench_sgemm"), "0.3"], {"OMP_NUM_THREADS": str(threads)})
            return {"GFLOP/s": said["gflops"], "mean": said["mean"]}

        return {"sgemm, one thread": lambda: measure(1), "sgemm, two threads": lambda: measure(2)}

    def sgemm(self):
        self.interleave("the machine: sgemm 1024³ by oneDNN", self.machine())

    def records(self):
        program = os.path.join(self.build, "bench", "bench_records")
        seconds = "0.1" if self.quick else "2"

        def measure(key, command):
            return lambda: {key: run(command)[0][{"records/s": "records_per_second", "GB/s": "gigabytes_per_second"}[key]]}

        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            run([program, "make", folder, "40000" if self.quick else "1000000"])
            peer = os.path.join(HERE, "tensorflow_records.py")
            clicks = self.interleave("TFRecord: click records of 39 features, parsed", {
                "Trireme, one thread": measure("records/s", [program, "clicks", folder, "1", seconds]),
                "Trireme, all CPUs": measure("records/s", [program, "clicks", folder, str(os.cpu_count()), seconds]),
                "tf.data, all CPUs": measure("records/s", [sys.executable, peer, folder, seconds])})
            frames = self.interleave("TFRecord: framing and checksums of 100 kB records, one thread", {
                "Trireme": measure("GB/s", [program, "frames", folder, seconds]),
                "memcpy": measure("GB/s", [program, "copy", seconds])})
        self.expect("click records/s, all CPUs, against tf.data", self.best(clicks, "Trireme, all", "records/s"),
                    self.best(clicks, "tf.data", "records/s"), 6)
        self.limit("click records/s, one thread", self.best(clicks, "Trireme, one", "records/s"), 2e6, at_most=False)
        self.expect("TFRecord framing and CRC, GB/s, share of memcpy", self.best(frames, "Trireme", "GB/s"),
                    self.best(frames, "memcpy", "GB/s"), 0.7)

    def table(self):
        head = ("what", "Trireme", "the other", "ratio", "goal", "")
        rows = [head, *(goal.row() for goal in self.goals)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
        self.say()
        for row in rows:
            self.say("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]))
        for what in self.unmeasured:
            self.say(f"{what}: not measured")
        self.say(f"\n{sum(goal.met() for goal in self.goals)} goals met, {sum(not goal.met() for goal in self.goals)} missed")

    def keep(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"results": self.results, "goals": [vars(goal) | {"met": goal.met()} for goal in self.goals]}, file, indent=1)
        self.say(f"all numbers: {path}")


def csv_files(folder, lines):
    draw = random.Random(1)
    for name, categories in (("numbers", 0), ("numbers and categories", 3)):
        path = os.path.join(folder, f"{categories}.csv")
        with open(path, "w") as file:
            file.write(",".join([f"n{i}" for i in range(12)] + [f"c{i}" for i in range(categories)] + ["y"]) + "\n")
            for _ in range(lines):
                row = [f"{draw.gauss(0, 1):.6g}" if draw.random() > 0.02 else "" for _ in range(12)]
                row += [draw.choice(("red", "green", "blue", "NA")) for _ in range(categories)]
                file.write(",".join(row + [f"{draw.gauss(0, 1):.6g}"]) + "\n")
        yield name, path


def libsvm_files(binary, folder, lines):
    """Files to read: (name, path)."""
    clicks = os.path.join(folder, "clicks")
    run([binary, "data", "make", "clicks", "--out", clicks, "--format", "libsvm", "--count", str(2 * lines), "--partitions", "1", "--json"])
    yield "clicks", os.path.join(clicks, "train-00000-of-00001.libsvm")
    generator = random.Random(1)
    for name, form in (("6 digits", "{:.6g}"), ("17 digits", "{!r}")):
        path = os.path.join(folder, name.replace(" ", "-"))
        with open(path, "w", encoding="ascii") as file:
            for _ in range(lines):
                features = " ".join(f"{key}:{form.format(generator.random())}" for key in sorted(generator.sample(range(1, 1000000), 40)))
                file.write(f"{generator.choice((-1, 1)):+d} {features}\n")
        yield name, path


def repeat_photos(source, folder, count):
    """count photos in folder, one folder a class, by links to those of source."""
    photos = sorted(glob.glob(os.path.join(source, "*", "*.jpg")) or glob.glob(os.path.join(source, "train", "*", "*.jpg")))
    for number in range(count):
        photo = photos[number % len(photos)]
        to = os.path.join(folder, os.path.basename(os.path.dirname(photo)))
        os.makedirs(to, exist_ok=True)
        os.symlink(os.path.abspath(photo), os.path.join(to, f"{number // len(photos)}-{os.path.basename(photo)}"))


PARTS = ["sgemm", "softmax", "lenet", "alexnet", "layers", "start", "libsvm", "csv", "records", "photos", "cached", "convert",
         "ps", "ps-tls", "ps-link", "ps-scale", "ps-memory", "ps-start", "ps-kill", "ps-replicas", "allreduce", "allreduce-link", "mirrored", "placed", "sparse", "watch", "size"]


def main():
    parser = argparse.ArgumentParser(description="Measure Trireme beside TensorFlow and PyTorch.")
    parser.add_argument("--build", required=True, help="folder of the release build")
    parser.add_argument("--quick", action="store_true", help="one repeat of few steps: tries the scripts, says little about speed")
    parser.add_argument("--photos", metavar="FOLDER", help="JPEG photos, a folder for each class; else the shipped ones, or made ones")
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"of {', '.join(PARTS)}; all where none is said")
    arguments = parser.parse_args()
    unknown = [part for part in arguments.what if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]}: there are {', '.join(PARTS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # exits in good order, which also ends the processes that it started
    bench = Bench(arguments.build, arguments.quick, arguments.photos)
    for part in arguments.what or PARTS:
        getattr(bench, part.replace("-", "_"))()
    bench.table()
    bench.keep(os.path.join(arguments.build, "bench", "results.json"))
    return 0 if all(goal.met() for goal in bench.goals) else 1


if __name__ == "__main__":
    sys.exit(main())
