#!/usr/bin/env python3
"""Repeats what was reported of softmax on MNIST with parameter servers (SGD, rate 0.01, 55,000 training images), and puts both side by side.

usage: parameter_servers.py [--binary build/release/trireme] [B1|B2|B3|B4|B6|B7|B8]…
Accuracies that differ by more than 0.7 points are told, as is everything else that must hold and does not; then the status is 1.
The seconds come from two different machines: compare how they change, not their size."""
import os
import subprocess
import sys
import tempfile

from study import Study, arguments_of, fetch, show

POINTS = 0.7  # what accuracies may differ by, in percent
MODEL = ["softmax", "--data", "mnist", "--limit-train", "55000", "--rule", "sgd", "--rate", "0.01"]
TARGET = ["--until", "loss<=0.35", "--eval-every", "100", "--max-steps", "40000"]
EPOCHS = ["--epochs", "10"]

# As reported: accuracy in percent, seconds.
ASYNC_BY_WORKERS = {1: (90.31, 14.3), 2: (90.25, 10.0), 3: (90.19, 7.0)}
SYNC_BY_WORKERS = {1: (90.30, 11.5), 2: (89.10, 9.5), 3: (88.43, 6.6)}
ASYNC_BY_BATCH = {10: (92.32, 50.7), 50: (91.12, 12.0), 100: (90.19, 7.0), 200: (89.16, 4.3), 500: (87.36, 2.6)}
SYNC_BY_BATCH = {10: (91.72, 47.6), 50: (89.70, 11.4), 100: (88.37, 6.7), 200: (86.78, 4.1), 500: (83.94, 2.4)}

# (workers, batch): updates of the model until the loss was at most 0.35, seconds of the slowest worker, the best accuracy in percent.
# In sync they told the sum of all workers' steps; here it is divided by the workers.
ASYNC_UNTIL = {
    (1, 1): (10000, 17.7, 90.18), (1, 5): (10200, 18.1, 90.28), (1, 10): (9300, 16.5, 90.43), (1, 20): (8500, 15.0, 90.43),
    (1, 40): (9400, 17.5, 90.57), (1, 100): (8800, 16.7, 90.34), (1, 200): (8400, 15.0, 90.18), (1, 600): (8900, 15.5, 90.34),
    (2, 1): (10000, 35.1, 90.42), (2, 5): (7500, 31.3, 90.55), (2, 10): (7400, 31.2, 90.62), (2, 20): (7100, 31.3, 90.66),
    (2, 40): (7300, 31.7, 90.71), (2, 100): (7200, 34.5, 90.68), (2, 200): (7100, 38.3, 90.62), (2, 600): (7100, 38.1, 90.70),
    (3, 1): (9400, 32.9, 90.51), (3, 5): (7300, 31.2, 90.57), (3, 10): (7600, 31.2, 90.63), (3, 20): (7100, 31.3, 90.71),
    (3, 40): (7300, 10.8, 90.65), (3, 100): (7200, 13.2, 90.69), (3, 200): (7100, 16.6, 90.69), (3, 600): (7100, 36.8, 90.70)}
SYNC_UNTIL = {
    (1, 1): (7100, 18.8, 90.62), (1, 5): (7100, 18.7, 90.62), (1, 10): (7100, 18.7, 90.62), (1, 20): (7100, 18.8, 90.62),
    (1, 40): (7100, 19.0, 90.62), (1, 100): (7100, 18.7, 90.62), (1, 200): (7100, 18.8, 90.62), (1, 600): (7100, 18.9, 90.62),
    (2, 1): (7700, 34.7, 90.40), (2, 5): (7500, 62.9, 90.60), (2, 10): (7300, 34.0, 90.68), (2, 20): (7200, 34.3, 90.64),
    (2, 40): (7100, 64.8, 90.69), (2, 100): (7100, 43.0, 90.66), (2, 200): (7100, 51.4, 90.73), (2, 600): (7100, 112.6, 90.71),
    (3, 1): (7700, 38.2, 90.59), (3, 5): (7200, 67.6, 90.55), (3, 10): (7300, 67.0, 90.73), (3, 20): (7200, 68.0, 90.62),
    (3, 40): (7100, 69.3, 90.62), (3, 100): (7100, 76.6, 90.68), (3, 200): (7100, 56.2, 90.72), (3, 600): (7100, 122.6, 90.69)}


class ParameterServers(Study):
    def train(self, mode, workers, batch, stop, out=None):
        """The summary of a run."""
        with tempfile.TemporaryDirectory(prefix="trireme-study-") as folder:
            return self.run([*MODEL, "--strategy", "ps", f"--{mode}", "--workers", str(workers), "--servers", "1", "--batch", str(batch), *stop],
                            out or os.path.join(folder, "run"))

    def near(self, name, ours, reported):
        return self.hold(abs(ours - reported) <= POINTS, f"{name}: accuracy {ours:.2f} %, reported {reported:.2f} %")

    def by(self, study, title, key, mode, reported, setting):
        """A table of accuracy and seconds. setting: what is reported about → (workers, batch)."""
        rows = [(key, "reported %", "ours %", "difference", "", "reported s", "ours s")]
        for value, (accuracy, seconds) in reported.items():
            said = self.train(mode, *setting(value), EPOCHS)
            ours = said["test_accuracy"] * 100
            mark = self.near(f"{study}, {key} {value}", ours, accuracy)
            rows.append((value, f"{accuracy:.2f}", f"{ours:.2f}", f"{ours - accuracy:+.2f}", mark, f"{seconds:.1f}", f"{said['seconds']:.2f}"))
        show(f"{study}  {title}", rows)

    def b1(self):
        self.by("B1", "async, batch 100, 10 epochs in all", "workers", "async", ASYNC_BY_WORKERS, lambda workers: (workers, 100))

    def b2(self):
        self.by("B2", "sync, mean of the gradients, batch 100, 10 epochs in all", "workers", "sync", SYNC_BY_WORKERS, lambda workers: (workers, 100))

    def b3(self):
        self.by("B3", "async, 3 workers, 10 epochs in all", "batch", "async", ASYNC_BY_BATCH, lambda batch: (3, batch))

    def b4(self):
        self.by("B4", "sync, 3 workers, 10 epochs in all", "batch", "sync", SYNC_BY_BATCH, lambda batch: (3, batch))

    def b6(self):
        for mode, reported in (("async", ASYNC_UNTIL), ("sync", SYNC_UNTIL)):
            rows = [("workers", "batch", "reported steps", "ours", "reported %", "ours %", "difference", "", "reported s", "ours s", "steps of each")]
            for (workers, batch), (steps, seconds, accuracy) in reported.items():
                said = self.train(mode, workers, batch, TARGET)
                name = f"B6, {mode}, {workers} workers, batch {batch}"
                ours, each = said["test_accuracy"] * 100, [one["steps"] for one in said["worker_stats"]]
                mark = self.near(name, ours, accuracy) + self.hold(said["stopped_by"] == "until", f"{name}: stopped by {said['stopped_by']}")
                if mode == "sync":
                    mark += self.hold(len(set(each)) == 1, f"{name}: workers took {each} steps")
                rows.append((workers, batch, steps, said.get("until_step") or said["steps"], f"{accuracy:.2f}", f"{ours:.2f}",
                             f"{ours - accuracy:+.2f}", mark, f"{seconds:.1f}", f"{slowest(said):.2f}", " ".join(map(str, each))))
            show(f"B6  {mode}, until the loss is at most 0.35", rows)

    def b7(self):
        """The mistakes that the study reported."""
        with tempfile.TemporaryDirectory(prefix="trireme-study-") as folder:
            out = os.path.join(folder, "run")
            said = self.train("async", 3, 100, ["--steps", "300"], out)
            waited = said["total_seconds"] - said["seconds"]
            curves = sorted(os.listdir(os.path.join(out, "events")))
            again = subprocess.run([self.binary, "train", *MODEL, "--steps", "10", "--out", out, "--quiet"], capture_output=True, check=False)
            show("B7  pitfalls", [
                ("reported", "ours", ""),
                ("workers asleep for 30 s, the model not ready", f"{waited:.2f} s from the command to the first step, and after the last",
                 self.hold(waited < 10, f"B7: {waited:.1f} s beside training")),
                ("curves overwritten by other workers", f"folders of their own: {' '.join(curves)}",
                 self.hold(len([name for name in curves if "worker" in name]) == 3, f"B7: curves of {curves}")),
                ("log folders reused", "refused" if again.returncode else "taken",
                 self.hold(again.returncode != 0, "B7: a run folder was used again"))])

    def b8(self):
        rows = [("mode", "worker", "steps", "finished after s", "accuracy %")]
        for mode in ("async", "sync"):
            said = self.train(mode, 3, 100, EPOCHS)
            stats = said["worker_stats"]
            rows += [(mode, one["task"], one["steps"], f"{one['seconds']:.3f}", f"{one['test_accuracy'] * 100:.2f}") for one in stats]
            if mode == "sync":
                for key in ("steps", "test_accuracy"):
                    self.hold(len({one[key] for one in stats}) == 1, f"B8, sync: {key} of the workers: {[one[key] for one in stats]}")
        show("B8  the end of each worker: reported scattered in async; equal in sync, with equal accuracies", rows)


def slowest(said):
    return max(one["seconds"] for one in said["worker_stats"])


STUDIES = ["B1", "B2", "B3", "B4", "B6", "B7", "B8"]


def main():
    parser = arguments_of("Repeat the studies of softmax with parameter servers.")
    parser.add_argument("what", nargs="*", metavar="STUDY", help=f"of {', '.join(STUDIES)}; all where none is said")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.what if name not in STUDIES]
    if unknown:
        parser.error(f"no study {unknown[0]}: there are {', '.join(STUDIES)}")
    fetch(arguments.binary, "mnist")
    study = ParameterServers(arguments.binary)
    for name in arguments.what or STUDIES:
        getattr(study, name.lower())()
    return study.conclude()


if __name__ == "__main__":
    sys.exit(main())
