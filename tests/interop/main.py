"""Compares Trireme with other people's programs. usage: main.py TRIREME STEP, the binary and tests/interop/step.c's program."""
import sys
import tempfile

import runs
import steps
from report import Report


def main():
    trireme, step = sys.argv[1:]
    report = Report()
    with tempfile.TemporaryDirectory(prefix="trireme-interop-") as folder:
        steps.run(report, step, folder)
        runs.run(report, trireme, folder)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
