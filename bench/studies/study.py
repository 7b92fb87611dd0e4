"""What studies share: runs of trireme, tables, and findings about what must hold and does not."""
import argparse
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Study:
    def __init__(self, binary):
        self.binary = binary
        self.findings = []

    def run(self, words, before=()):
        """The summary of trireme train WORDS; before: what starts it."""
        command = [*before, self.binary, "train", *words, "--quiet", "--json"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            sys.exit(f"{' '.join(command)}\n{ended.stderr.strip()}")
        return json.loads(ended.stdout.strip().splitlines()[-1])

    def hold(self, true, what):
        """Something that must hold; gives the mark for its row."""
        if not true:
            self.findings.append(what)
        return "" if true else "←"

    def conclude(self):
        """Tells the findings; the status to exit with."""
        print(f"\n{len(self.findings)} findings")
        for finding in self.findings:
            print(f"  {finding}")
        return 1 if self.findings else 0


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
