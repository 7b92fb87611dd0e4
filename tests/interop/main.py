"""Compares Trireme with other people's programs. usage: main.py TRIREME PROGRAMS, the binary and the folder of interop_step and others."""
import os
import subprocess
import sys
import tempfile

import kubernetes
import libsvm
import onnx_files
import placed
import python_package
import records
import runs
import samples
import sparse
import steps
import targets
import traces
import web
from report import Report


def main():
    trireme, programs = (os.path.abspath(path) for path in sys.argv[1:])
    report = Report()
    kubernetes.run(report, subprocess.run([trireme, "train", "--help"], capture_output=True, text=True, check=True).stdout)
    with tempfile.TemporaryDirectory(prefix="trireme-interop-") as top:

        def folder(name):
            os.mkdir(os.path.join(top, name))
            return os.path.join(top, name)

        libsvm.run(report, trireme, os.path.join(programs, "interop_lines"), folder("libsvm"))
        sparse.run(report, trireme, folder("sparse"))
        steps.run(report, os.path.join(programs, "interop_step"), folder("steps"))
        targets.run(report, trireme, folder("targets"))
        runs.run(report, trireme, folder("runs"))
        onnx_files.run(report, trireme, folder("onnx"))
        placed.run(report, trireme, folder("placed"))
        samples.run(report, trireme, folder("samples"))
        web.run(report, trireme, folder("web"))
        traces.run(report, trireme, folder("traces"))
        python_package.run(report, trireme, folder("python"))
        records.run(report, trireme, os.path.join(programs, "interop_records"), folder("records"))
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
