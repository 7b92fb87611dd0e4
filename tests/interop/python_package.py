"""The Python package: its wheel is built from this tree, and its own tests run with it."""
import glob
import os
import re
import subprocess
import sys

from report import require

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")


def execute(command, **variables):
    return subprocess.run(command, env=dict(os.environ, **variables), capture_output=True, text=True)


def build(trireme, folder):
    source = os.path.join(folder, "python")
    execute(["cp", "-r", PACKAGE, source])
    os.symlink(os.path.join(os.path.dirname(PACKAGE), "include"), os.path.join(folder, "include"))
    wheel = execute([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, source],
                    TRIREME_BUILD=os.path.dirname(trireme))
    require(wheel.returncode == 0, wheel.stderr[-2000:])
    (path,) = glob.glob(os.path.join(folder, "*.whl"))
    installed = execute([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", os.path.join(folder, "site"), path])
    require(installed.returncode == 0, installed.stderr[-2000:])
    return os.path.basename(path)


def run(report, trireme, folder):
    report.check("the Python package is built as a wheel", lambda: build(trireme, folder))

    def own_tests():
        tests = execute([sys.executable, "-W", "ignore", "-m", "unittest", "discover", "-s", os.path.join(PACKAGE, "tests")],
                        PYTHONPATH=os.path.join(folder, "site"))
        require(tests.returncode == 0, tests.stderr[-3000:])
        return re.search(r"Ran \d+ tests", tests.stderr).group()

    report.check("the Python package trains, predicts, and is a scikit-learn estimator", own_tests)
