"""The command `trireme`, which comes with this package."""

import json
import os
import subprocess
import sys

from trireme.native import FOLDER

BINARY = str(FOLDER / "trireme")


class JobFailed(Exception):
    """What the command said. `status` is its exit status: 1 the work failed, 2 a wrong call."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def _words(options):
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        if value is True:
            yield name
        elif value is not None and value is not False:
            yield "%s=%s" % (name, value)


def run(model, data, **options):
    """`trireme train MODEL --data DATA`, with options named as the command has them ("eval_every" is --eval-every, True switches on).

    Gives the summary as a dictionary. For several workers, parameter servers, checkpoints every minute, samples and verdicts.
    """
    command = [BINARY, "train", str(model), "--data=" + str(data), "--json", *_words(options)]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = result.stdout.strip().splitlines()
    if result.returncode:
        said = [line for line in result.stderr.splitlines() if line.startswith("trireme: ")]
        raise JobFailed("\n".join(said)[len("trireme: ") :] or result.stderr, result.returncode)
    return json.loads(lines[-1])


def main():
    os.execv(BINARY, ["trireme", *sys.argv[1:]])
