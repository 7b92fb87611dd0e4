"""The shared library, its declarations, and its failures as exceptions."""

import os
import pathlib
import weakref

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


def make(kind, destroy, call, *arguments):
    """The object that call creates; `destroy` ends it when Python lets go of it."""
    place = ffi.new(kind + " **")
    check(call(*arguments, place))
    return ffi.gc(place[0], destroy)


_kept = weakref.WeakKeyDictionary()


def keep(thing, *others):
    """Let others live as long as thing: the library borrows their memory."""
    _kept[thing] = _kept.get(thing, ()) + others
    return thing


def text(pointer):
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()
