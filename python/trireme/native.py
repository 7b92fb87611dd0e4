"""The shared library, its declarations, and its failures as exceptions."""

import os
import pathlib

import cffi

FOLDER = pathlib.Path(__file__).resolve().parent / "native"

if "OMP_WAIT_POLICY" not in os.environ:
    # OpenMP's threads spin while they wait, and reads how long when it is loaded: a short spin is as quick, and bears a busy machine.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

ffi = cffi.FFI()
ffi.cdef((FOLDER / "trireme.cdef").read_text())
lib = ffi.dlopen(str(FOLDER / "libtrireme.so"))


class TriremeError(Exception):
    """What the library said. `kind` is its code in words: "bad call", "bad data", "not found", …"""

    def __init__(self, message, kind):
        super().__init__(message)
        self.kind = kind


def check(status):
    """Raise what a call returned, where it failed."""
    if status == ffi.NULL:
        return
    message = ffi.string(lib.tri_status_message(status)).decode()
    kind = ffi.string(lib.tri_code_name(lib.tri_status_code(status))).decode()
    lib.tri_status_free(status)
    raise TriremeError(message, kind)


def make(kind, destroy, call, *arguments, keep=()):
    """The object that call creates; `destroy` ends it when Python lets go of it. What it borrows (keep) lives until then."""
    place = ffi.new(kind + " **")
    check(call(*arguments, place))
    return ffi.gc(place[0], lambda thing, borrowed=keep: destroy(thing))


def text(pointer):
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()
