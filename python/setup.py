"""Builds the library and the binary with CMake and puts both into the wheel; makes the declarations of the C API from its headers.

TRIREME_BUILD names a finished build folder to take them from instead.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

import setuptools
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
SYSTEM_HEADERS = ("stdbool.h", "stddef.h", "stdint.h", "signal.h", "stdio.h")


def build_native():
    """The folder with libtrireme.so and trireme."""
    if "TRIREME_BUILD" in os.environ:
        return pathlib.Path(os.environ["TRIREME_BUILD"])
    subprocess.run(["cmake", "--preset", "release"], cwd=TOP, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "trireme", "trireme_shared"], cwd=TOP, check=True)
    return TOP / "build" / "release"


def declarations():
    """The public headers as cffi reads them: without comments, macros, attributes and the system's own headers."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM_HEADERS:
            (pathlib.Path(empty) / name).touch()
        command = [os.environ.get("CC", "cc"), "-E", "-P", "-nostdinc", "-I", empty, "-I", str(TOP / "include"), "-D__attribute__(x)="]
        text = subprocess.run(command + [str(TOP / "include" / "trireme" / "trireme.h")], check=True, capture_output=True, text=True).stdout
    return "typedef int sig_atomic_t;\n" + text


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        built, native = build_native(), pathlib.Path(self.build_lib) / "trireme" / "native"
        native.mkdir(parents=True, exist_ok=True)
        shutil.copy(built / "libtrireme.so", native / "libtrireme.so")
        shutil.copy(built / "trireme", native / "trireme")
        (native / "trireme.cdef").write_text(declarations())


class PlatformWheel(bdist_wheel):
    """One for every Python 3, since nothing in it is compiled against Python; for this platform, since the library is."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setuptools.setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
