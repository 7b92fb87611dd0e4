#!/usr/bin/env python3
"""Repeats the comparison of four strategies with a CNN on photos of flowers: training time and final validation accuracy.

usage: strategies.py [--binary build/release/trireme] [--epochs 20] PHOTOS
PHOTOS has one folder of JPEG files a class; every fifth photo validates. A batch is that of all workers together, so every strategy does the
same work. Reported figures are of another machine and of more photos (3,670): compare how they go, not how many they are. All strategies must
end within 5 points of each other, or else that is told and the status is 1."""
import os
import sys
import tempfile

from study import Study, arguments_of, show

BATCHES = [64, 128]
POINTS = 5
EVERY = 5  # one photo of so many validates

# strategy: what starts it, its words, and (seconds, accuracy) as reported on a node of the usual size, by batch
STRATEGIES = {
    "none": ([], [], {64: (125.7, 0.6109), 128: (121.8, 0.6219)}),
    "one device": (["taskset", "-c", "0"], [], {64: (128.6, 0.6125), 128: (126.4, 0.6234)}),
    "mirrored": ([], ["--strategy", "mirrored", "--workers", "2"], {64: (140.4, 0.6375), 128: (136.4, 0.6281)}),
    "multi-worker": ([], ["--strategy", "allreduce", "--workers", "2"], {64: (141.7, 0.6281), 128: (133.2, 0.6219)}),
}


def split(photos, folder):
    """Links to all photos under folder/train and folder/test."""
    for name in sorted(os.listdir(photos)):
        files = sorted(os.listdir(os.path.join(photos, name))) if os.path.isdir(os.path.join(photos, name)) else []
        for number, file in enumerate(files):
            place = os.path.join(folder, "train" if number % EVERY else "test", name)
            os.makedirs(place, exist_ok=True)
            os.symlink(os.path.abspath(os.path.join(photos, name, file)), os.path.join(place, file))


class Strategies(Study):
    def compare(self, folder, epochs):
        rows = [("strategy", "batch", "reported s", "ours s", "reported %", "ours %", "threads")]
        accuracies = {batch: [] for batch in BATCHES}
        for strategy, (before, words, reported) in STRATEGIES.items():
            for batch in BATCHES:
                out = os.path.join(folder, f"run-{strategy.replace(' ', '-')}-{batch}")
                said = self.run(["flowers", "--data", os.path.join(folder, "photos"), "--global-batch", str(batch), "--epochs", str(epochs),
                                 "--cache", *words], out, before)
                accuracies[batch].append(said["test_accuracy"] * 100)
                rows.append((strategy, batch, f"{reported[batch][0]:.1f}", f"{said['seconds']:.2f}", f"{reported[batch][1] * 100:.2f}",
                             f"{said['test_accuracy'] * 100:.2f}", said["threads"]))
        show(f"H  flowers, {epochs} epochs: training time and validation accuracy", rows)
        for batch, found in accuracies.items():
            self.hold(max(found) - min(found) <= POINTS, f"batch {batch}: accuracies from {min(found):.2f} to {max(found):.2f} %")


def main():
    parser = arguments_of("Repeat the comparison of strategies with photos of flowers.")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("photos", metavar="PHOTOS", help="a folder with one folder of JPEG files a class")
    arguments = parser.parse_args()
    study = Strategies(arguments.binary)
    with tempfile.TemporaryDirectory(prefix="trireme-study-") as folder:
        split(arguments.photos, os.path.join(folder, "photos"))
        study.compare(folder, arguments.epochs)
    return study.conclude()


if __name__ == "__main__":
    sys.exit(main())
