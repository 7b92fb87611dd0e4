"""The part of the benchmark about sparse models: click rows of 39 features, drawn by Zipf's law, in tables of 33 million rows."""
import glob
import os
import shutil
import sys
import tempfile

from contenders import HERE, Unavailable, run
from job import Hosts, Job
from servers import stream

FEATURES = 33_000_000
ONE_PASS = ("--rule", "adagrad", "--rate", "0.1", "--epsilon", "0.005")  # for click records that are seen once, as docs/sparse.md says
SPINS = "1000"  # rounds that OpenMP's threads wait for each other: as the trireme command sets it for itself
MEMORY_BESIDE = 200  # MB that a run may take beside its tables
LINK_RATE, NARROW_RATE = "1.8gbit", "20mbit"  # of virtual hosts, which share a few CPUs and cannot fill the first
PLAIN_PAIRS = 39 * 2 * 8  # bytes of a row: a key and a value for each feature, there and back


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
        seconds = 0.5 if self.quick else 3
        cpus = len(os.sched_getaffinity(0))
        self.sgemm()
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            records, criteo, libsvm = (self.make_clicks(folder, form, rows) for form in ("tfrecord", "criteo", "libsvm"))
            self.sparse_records(records, seconds, cpus)
            self.sparse_wabbit(folder, records, criteo, libsvm, rows)
            run([os.path.join(self.build, "bench", "bench_sparse"), records, str(FEATURES), "1000", folder, "dump"])
            self.sparse_frameworks(folder, records, seconds, cpus)
            self.sparse_servers(records)

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
                    "Trireme records sgd": lambda: self.train("sparse-lr", records, "--rule", "sgd", "--rate", "1", "--batch", "100"),
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

    def sparse_servers(self, records):
        """A server and four workers on virtual hosts: by key, beside whole tables and beside what the link carries."""
        for rate, measure in ((LINK_RATE, self.against_dense), (NARROW_RATE, self.share_of_link)):
            try:
                with Hosts(self.trireme.binary, 5, rate) as hosts:
                    measure(hosts, records, rate)
            except Unavailable as reason:
                self.say(f"\nsparse over links of {rate}: not measured: {reason}")
                self.unmeasured.append(f"sparse over links of {rate}")

    def by_servers(self, hosts, records, steps, *options):
        """Rows/s of a job, and the MB/s and bytes a row of the server's link."""
        words = ["sparse-lr", "--data", records, "--features", str(FEATURES), "--rule", "sgd", "--rate", "0.1", "--batch", "1000", "--steps",
                 str(steps), "--insecure", "--async", "--no-events", "--checkpoint-every", "end", "--eval-every", "end", *options]
        with Job(self.trireme.binary, words, 4, hosts=hosts) as job:
            said = job.start_all().finish(600)
        sent, received = said["bytes_sent"], said["bytes_received"]
        return {"rows/s": said["examples_per_second"], "bytes/row": (sent + received) / said["examples"],
                "MB/s": max(sent, received) / said["seconds"] / 1e6}

    def against_dense(self, hosts, records, rate):
        few, many = (4, 20) if self.quick else (20, 400)
        medians = self.interleave(f"sparse logistic regression, a server and 4 workers, links of {rate}, batch 1000", {
            "Trireme by key": lambda: self.by_servers(hosts, records, many),
            "Trireme dense": lambda: self.by_servers(hosts, records, few, "--gather", "dense")})
        self.expect("sparse ps, rows/s, against dense gather", self.best(medians, "Trireme by key", "rows/s"),
                    self.best(medians, "Trireme dense", "rows/s"), 20)
        self.expect("sparse ps, bytes a row, against plain pairs", self.best(medians, "Trireme by key", "bytes/row"), PLAIN_PAIRS, 0.35, at_most=True)

    def share_of_link(self, hosts, records, rate):
        medians = self.interleave(f"sparse logistic regression, a server and 4 workers, links of {rate}, batch 1000", {
            "bare stream": lambda: {"MB/s": stream(hosts, 1 if self.quick else 3)},
            "Trireme by key": lambda: self.by_servers(hosts, records, 20 if self.quick else 400)})
        self.expect(f"sparse ps over {rate}, share of the link", self.best(medians, "Trireme by key", "MB/s"),
                    self.best(medians, "bare stream", "MB/s"), 0.9)
