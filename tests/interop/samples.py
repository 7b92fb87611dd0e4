"""Samples of this host beside those of dstat, whose layout the files have. dstat's own CSV is broken with Debian 12's Python, so its table is read."""
import csv
import os
import re
import subprocess

from report import require

SECONDS = 4
ATTEMPTS = 6  # the two do not sample at the same moment: other programs may start or end in between
UNITS = {"": 1, "B": 1, "k": 1024, "M": 1024**2, "G": 1024**3}


def size(text):
    number, unit = re.fullmatch(r"([\d.]+)([BkMG]?)", text).groups()
    return float(number) * UNITS[unit]


def dstat_means(table):
    """CPU in use in percent, memory in use in bytes. The first line counts from the start of the machine."""
    lines = [line for line in table.splitlines() if re.match(r"\s*\d", line)][1:]
    rows = [line.replace("|", " ").split() for line in lines]
    require(rows, f"dstat printed no samples: {table}")
    return sum(float(row[0]) + float(row[1]) for row in rows) / len(rows), sum(size(row[5]) for row in rows) / len(rows)


def our_means(path):
    """The reader of dstat's files: five lines, then a table with its names."""
    with open(path) as file:
        rows = list(csv.reader(file))[5:]
    names, samples = rows[0], rows[1:]
    require(len(samples) == SECONDS, f"{len(samples)} samples, not {SECONDS}")

    def mean(name):
        return sum(float(sample[names.index(name)]) for sample in samples) / len(samples)

    return mean("usr") + mean("sys"), mean("used")


def compare(trireme, folder, attempt):
    path = os.path.join(folder, f"host{attempt}.csv")
    ours = subprocess.Popen([trireme, "watch", "--every", "1s", "--count", str(SECONDS), "--csv", path, "--quiet"])
    table = subprocess.run(["dstat", "-c", "-m", "--integer", "--nocolor", "1", str(SECONDS)], capture_output=True, text=True, check=True).stdout
    require(ours.wait() == 0, "trireme watch failed")
    (cpu, memory), (their_cpu, their_memory) = our_means(path), dstat_means(table)
    return abs(cpu - their_cpu) <= 5 and abs(memory - their_memory) <= 0.05 * their_memory, \
        f"CPU {cpu:.1f} and {their_cpu:.1f} %, memory {memory / 1e6:.0f} and {their_memory / 1e6:.0f} MB"


def run(report, trireme, folder):
    def agree():
        said = ""
        for attempt in range(ATTEMPTS):
            equal, said = compare(trireme, folder, attempt)
            if equal:
                return said
        require(False, f"after {ATTEMPTS} attempts: {said}")

    report.check("samples of the host, beside dstat", agree)
