"""Where examples come from."""

import numpy

from trireme.native import ffi, lib, make, text

_TYPES = {numpy.dtype("uint8"): lib.TRI_U8, numpy.dtype("float32"): lib.TRI_F32}


def shape_of(dimensions):
    shape = ffi.new("tri_shape *", {"rank": len(dimensions)})
    for i, size in enumerate(dimensions):
        shape.dim[i] = size
    return shape[0]


def as_examples(x):
    """x as the library takes it: uint8 or float32, in C's order. Only what is otherwise is copied."""
    x = numpy.asarray(x)
    if x.dtype not in _TYPES:
        x = x.astype(numpy.float32)
    return numpy.ascontiguousarray(x)


class Dataset:
    """Examples: arrays of yours, or a source that the command knows ("fashion", "digits:1000", files, folders)."""

    def __init__(self, source):
        self.source = source
        self.info = lib.tri_source_describe(source)

    @classmethod
    def from_arrays(cls, x, y=None, classes=0, class_names=None):
        """x: [examples][…], uint8 or float32; y: [examples] classes from 0. x is not copied where it is contiguous."""
        x = as_examples(x)
        if x.ndim < 2:
            raise ValueError("x wants a row for each example: an array of two or more dimensions, not of %d" % x.ndim)
        labels = ffi.NULL if y is None else numpy.ascontiguousarray(y, dtype=numpy.int32)
        if y is not None and len(labels) != len(x):
            raise ValueError("x has %d examples, y has %d" % (len(x), len(labels)))
        names = [ffi.new("char[]", name.encode()) for name in class_names or ()]
        list_of_names = ffi.new("char *[]", names) if names else ffi.NULL
        arrays = ffi.new(
            "tri_arrays *",
            {
                "type": _TYPES[x.dtype],
                "shape": shape_of(x.shape[1:]),
                "examples": len(x),
                "x": ffi.cast("void *", x.ctypes.data),
                "classes": classes or len(names),
                "class_names": list_of_names,
            },
        )
        if y is not None:
            arrays.labels = ffi.cast("int32_t *", labels.ctypes.data)
        return cls(make("tri_source", lib.tri_source_destroy, lib.tri_source_from_arrays, arrays, keep=(x, labels, names, list_of_names)))

    @classmethod
    def open(cls, name, part="train", seed=1, size=None, features=0):
        """A source by name, as `trireme train --data` takes it. size: (height, width) that photos are brought to."""
        parts = {"train": lib.TRI_PART_TRAIN, "test": lib.TRI_PART_TEST, "validation": lib.TRI_PART_VALIDATION}
        height, width = size or (0, 0)
        options = ffi.new("tri_source_options *", {"seed": seed, "height": height, "width": width, "features": features})
        return cls(make("tri_source", lib.tri_source_destroy, lib.tri_source_open, str(name).encode(), parts[part], options))

    def __len__(self):
        return self.info.examples

    @property
    def shape(self):
        """Of one example."""
        return tuple(self.info.shape.dim[i] for i in range(self.info.shape.rank))

    @property
    def classes(self):
        return self.info.classes

    @property
    def class_names(self):
        if self.info.class_names == ffi.NULL:
            return None
        return [text(self.info.class_names[i]) for i in range(self.info.classes)]
