"""The part of the benchmark about sparse models: click rows of 39 features, drawn by Zipf's law, in tables of 33 million rows."""
import glob
import os
import shutil
import sys
import tempfile

from contenders import HERE, Unavailable, run

FEATURES = 33_000_000
ONE_PASS = ("--rule", "adagrad", "--rate", "0.05")  # for click records that are seen once; the default suits small data and several passes
SPINS = "1000"  # rounds that OpenMP's threads wait for each other: as the trireme command sets it for itself
MEMORY_BESIDE = 200  # MB that a run may take beside its tables


class SparseParts:
    """Parts of Bench: they use its interleave, expect and limit."""

    # ---- data

    def make_clicks(self, folder, form, rows):
        to = os.path.join(folder, form)
        run([self.trireme.binary, "data", "make", "clicks", "--features", str(FEATURES), "--count", str(rows), "--partitions", "1",
             "--format", form, "--out", to, "--json"])
        return glob.glob(os.path.join(to, "train*"))[0]

    def write_vw(self, libsvm, to):
        """LIBSVM text in Vowpal Wabbit's format; indices stay as they are."""
        with open(libsvm, encoding="ascii") as source, open(to, "w", encoding="ascii") as out:
            for line in source:
                label, _, features = line.partition(" ")
                out.write(("1" if float(label) > 0 else "-1") + " | " + features)

    # ---- one measurement each

    def train(self, model, data, *options, stream=False, one_cpu=False):
        """A run of the binary over all rows once: rows/s, peak memory and the progressive log loss."""
        folder = tempfile.mkdtemp(prefix="trireme-bench-")
        try:
            command = [self.trireme.binary, "train", model, "--data", "-" if stream else data, "--features", str(FEATURES), "--out",
                       os.path.join(folder, "run"), "--checkpoint-every", "end", "--no-events", "--quiet", "--json", *options]
            if not stream:
                command += ["--epochs", "1", "--shuffle", "0"]
            if one_cpu:
                command = ["taskset", "-c", "0", *command]
            if stream:
                command = ["sh", "-c", 'exec "$@" < "$0"', data, *command]
            said, _, _ = run(command)
        finally:
            shutil.rmtree(folder)
        return {"rows/s": said["examples_per_second"], "peak MB": said["peak_rss_mb"], "log loss": said["progressive_logloss"]}

    def in_memory(self, records, mode, batch, seconds, threads):
        program = os.path.join(self.build, "bench", "bench_sparse")
        return run([program, records, str(FEATURES), str(batch), str(seconds), mode, str(threads)], {"GOMP_SPINCOUNT": SPINS})[0]

    def sparse_peer(self, *words):
        return run([sys.executable, os.path.join(HERE, "sparse_peer.py"), *map(str, words)])[0]

    # ---- the parts

    def sparse(self):
        if shutil.which("taskset") is None:
            raise Unavailable("taskset is missing (package util-linux)")
        rows = 20_000 if self.quick else 1_000_000
        seconds = 0.5 if self.quick else 5
        cpus = len(os.sched_getaffinity(0))
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            records, criteo, libsvm = (self.make_clicks(folder, form, rows) for form in ("tfrecord", "criteo", "libsvm"))
            self.sparse_records(records, seconds, cpus)
            self.sparse_wabbit(folder, records, criteo, libsvm, rows)
            run([os.path.join(self.build, "bench", "bench_sparse"), records, str(FEATURES), "1000", folder, "dump"])
            self.sparse_frameworks(folder, records, seconds, cpus)

    def sparse_records(self, records, seconds, cpus):
        """Records in the page cache, beside what memory allows."""
        sgd = ("--rule", "sgd", "--rate", "0.1", "--batch", "1000")
        medians = self.interleave("sparse logistic regression, records in the page cache, batch 1000", {
            "Trireme": lambda: self.train("sparse-lr", records, *sgd),
            "Trireme, one CPU": lambda: self.train("sparse-lr", records, *sgd, "--threads", "1", one_cpu=True),
            "Trireme adagrad": lambda: self.train("sparse-lr", records, *ONE_PASS, "--batch", "1000"),
            "Trireme in memory": lambda: self.in_memory(records, "lr", 1000, seconds, cpus),
            "bare gather and scatter": lambda: self.in_memory(records, "bare", 1000, seconds, cpus),
            "bare, one CPU": lambda: self.in_memory(records, "bare", 1000, seconds, 1),
        })
        bare = self.best(medians, "bare gather", "rows/s")
        self.limit("sparse, records, rows/s of one CPU", self.best(medians, "Trireme, one CPU", "rows/s"), 1e6, at_most=False)
        self.expect("sparse, records, share of bare gather and scatter", medians["Trireme"]["rows/s"], bare, 0.7)
        self.expect("sparse, in memory, share of bare gather and scatter", medians["Trireme in memory"]["rows/s"], bare, 0.7)
        for name, floats in (("Trireme", 1), ("Trireme adagrad", 2)):
            self.limit(f"sparse, {name}: peak MB beside its tables", medians[name]["peak MB"] - 4e-6 * FEATURES * floats, MEMORY_BESIDE)

    def sparse_wabbit(self, folder, records, criteo, libsvm, rows):
        """One pass over the same rows: records beside Vowpal Wabbit's cache, text beside its text."""
        text = os.path.join(folder, "rows.vw")
        self.write_vw(libsvm, text)
        options = {"default": (), "sgd": ("sgd=on",)}
        try:
            for name, words in options.items():
                self.sparse_peer("vw", text, rows, f"cache_file={folder}/{name}.cache", *words)
        except Unavailable as reason:
            self.say(f"\nVowpal Wabbit is not measured: {reason}")
            self.unmeasured.append("sparse, against Vowpal Wabbit")
            return
        measures = {"Trireme records": lambda: self.train("sparse-lr", records, *ONE_PASS, "--batch", "100"),
                    "Trireme records sgd": lambda: self.train("sparse-lr", records, "--rule", "sgd", "--rate", "2", "--batch", "100"),
                    "Trireme Criteo text": lambda: self.train("sparse-lr", criteo, *ONE_PASS, "--batch", "100", stream=True),
                    "Trireme LIBSVM text": lambda: self.train("sparse-lr", libsvm, *ONE_PASS, "--batch", "100", stream=True)}
        for name, words in options.items():
            measures[f"Vowpal Wabbit cache {name}"] = lambda name=name, words=words: self.sparse_peer(
                "vw", text, rows, f"cache_file={folder}/{name}.cache", *words)
            measures[f"Vowpal Wabbit text {name}"] = lambda words=words: self.sparse_peer("vw", text, rows, *words)
        medians = self.interleave("sparse logistic regression, one pass, beside Vowpal Wabbit", measures)
        rate = {name: median["rows/s"] for name, median in medians.items()}
        loss = {name: median["log loss"] for name, median in medians.items()}
        self.expect("sparse, rows/s, against Vowpal Wabbit", rate.get("Trireme records"), rate.get("Vowpal Wabbit cache default"), 8)
        self.expect("sparse, rows/s, sgd against Vowpal Wabbit --sgd", rate.get("Trireme records sgd"), rate.get("Vowpal Wabbit cache sgd"), 5)
        self.expect("sparse, progressive log loss, against Vowpal Wabbit", loss.get("Trireme records"), loss.get("Vowpal Wabbit cache default"),
                    1, at_most=True)
        self.expect("sparse, progressive log loss, sgd", loss.get("Trireme records sgd"), loss.get("Vowpal Wabbit cache sgd"), 1, at_most=True)
        for kind in ("Criteo", "LIBSVM"):
            self.expect(f"sparse, {kind} text, rows/s, against Vowpal Wabbit", rate.get(f"Trireme {kind} text"),
                        rate.get("Vowpal Wabbit text default"), 5)

    def sparse_frameworks(self, folder, records, seconds, cpus):
        for batch, over_tensorflow, over_torch in ((1000, 8, 4), (100, 15, 10)):
            medians = self.interleave(f"sparse logistic regression in memory, sgd, batch {batch}", {
                "Trireme": lambda: self.in_memory(records, "lr", batch, seconds, cpus),
                "TensorFlow": lambda: self.sparse_peer("tensorflow", folder, FEATURES, batch, seconds),
                "PyTorch": lambda: self.sparse_peer("torch", folder, FEATURES, batch, seconds),
            })
            ours = self.best(medians, "Trireme", "rows/s")
            self.expect(f"sparse b{batch}, rows/s, against TensorFlow", ours, self.best(medians, "TensorFlow", "rows/s"), over_tensorflow)
            self.expect(f"sparse b{batch}, rows/s, against PyTorch", ours, self.best(medians, "PyTorch", "rows/s"), over_torch)
        medians = self.interleave("factorisation machine, width 8, in memory, sgd, batch 1000", {
            "Trireme": lambda: self.in_memory(records, "fm", 1000, seconds, cpus),
            "PyTorch": lambda: self.sparse_peer("torch-fm", folder, FEATURES, 1000, seconds),
        })
        self.expect("factorisation machine, rows/s, against PyTorch", self.best(medians, "Trireme", "rows/s"),
                    self.best(medians, "PyTorch", "rows/s"), 4)
