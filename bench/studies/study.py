"""What the studies share: they run trireme, print tables, and collect findings where something that must hold does not."""
import argparse
import collections
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOG_LINES = 10  # of each log of a run that failed


class Study:
    def __init__(self, binary):
        self.binary = binary
        self.findings = []

    def attempt(self, words, out, before=()):
        """The summary of trireme train WORDS with the run folder out; None where it failed, which is a finding. before: what starts it."""
        command = [*before, self.binary, "train", *words, "--out", out, "--quiet", "--json"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            self.findings.append("\n".join([" ".join(command), ended.stderr.strip(), *logs_of(out)]))
            return None
        return json.loads(ended.stdout.strip().splitlines()[-1])

    def run(self, words, out, before=()):
        """The same for a run without which the study cannot go on."""
        said = self.attempt(words, out, before)
        if said is None:
            sys.exit(self.conclude())
        return said

    def hold(self, true, what):
        """Checks something that must hold. Returns the mark for its row."""
        if not true:
            self.findings.append(what)
        return "" if true else "←"

    def conclude(self):
        """Prints the findings. Returns the exit status."""
        print(f"\n{len(self.findings)} findings")
        for finding in self.findings:
            print(f"  {finding}")
        return 1 if self.findings else 0


def logs_of(run):
    """The last lines of every log of a run folder, which may be gone soon."""
    folder = os.path.join(run, "log")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as log:
            yield from (f"{name}: {line.rstrip()}" for line in collections.deque(log, LOG_LINES))


def arguments_of(what):
    """A parser with the options of every study."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--binary", default=os.path.join(TOP, "build", "release", "trireme"), help="trireme; else that of script/build")
    return parser


def fetch(binary, name):
    subprocess.run([binary, "data", "get", name], check=True, stdout=subprocess.DEVNULL)


def show(title, rows):
    rows = [tuple(map(str, row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    print(f"\n{title}")
    for row in rows:
        print("  ".join(["", *map(str.rjust, row, widths)]).rstrip())
    sys.stdout.flush()
