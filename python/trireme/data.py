"""Where examples come from."""

import numpy

from trireme.native import ffi, lib, make, text

PARTS = {"train": lib.TRI_PART_TRAIN, "test": lib.TRI_PART_TEST, "validation": lib.TRI_PART_VALIDATION}
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


def _as_labels(y, sets):
    """[examples] of int32: classes; or [examples][outputs] of float32."""
    y = numpy.asarray(y)
    if y.dtype.kind != "f" and not sets:
        return numpy.ascontiguousarray(y, dtype=numpy.int32)
    if y.ndim not in (1, 2):
        raise ValueError("y wants a number or a row of numbers for each example, not an array of %d dimensions" % y.ndim)
    return numpy.ascontiguousarray(y.reshape(len(y), -1), dtype=numpy.float32)


class Dataset:
    """Examples: arrays of yours, or a source that the command knows ("fashion", "digits:1000", files, folders)."""

    def __init__(self, source):
        self.source = source
        self.info = lib.tri_source_describe(source)

    @classmethod
    def from_arrays(cls, x, y=None, classes=0, class_names=None, sets=False):
        """x: [examples][…], uint8 or float32; it is not copied where it is contiguous.

        y: [examples] whole numbers: classes from 0. [examples] or [examples][outputs] floats: numbers to be learnt, by mse_loss or
        huber_loss. With sets, [examples][labels] of 0 and 1: which labels hold, for sigmoid_loss.
        """
        x = as_examples(x)
        if x.ndim < 2:
            raise ValueError("x wants a row for each example: an array of two or more dimensions, not of %d" % x.ndim)
        labels = None if y is None else _as_labels(y, sets)
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
        if y is not None and labels.dtype == numpy.int32:
            arrays.labels = ffi.cast("int32_t *", labels.ctypes.data)
        elif y is not None:
            arrays.targets = ffi.cast("float *", labels.ctypes.data)
            arrays.outputs, arrays.sets = labels.shape[1], sets
        return cls(make("tri_source", lib.tri_source_destroy, lib.tri_source_from_arrays, arrays, keep=(x, labels, names, list_of_names)))

    @classmethod
    def open(cls, name, part="train", seed=1, size=None, features=0, labels="classes", label=None):
        """A source by name, as `trireme train --data` takes it. size: (height, width) that photos are brought to.

        labels: what text and records are read for: "classes", "numbers" or "sets". label: the column of a CSV table that is to be
        predicted, or several with commas between them. To evaluate a trained model, Model.open gives categories and classes the numbers
        that they had in training.
        """
        kinds = {"classes": lib.TRI_LABEL_CLASS, "numbers": lib.TRI_LABEL_NUMBERS, "sets": lib.TRI_LABEL_SET}
        height, width = size or (0, 0)
        options = ffi.new("tri_source_options *", {"seed": seed, "height": height, "width": width, "features": features,
                                                   "labels": kinds[labels]})
        column = ffi.NULL if label is None else ffi.new("char[]", str(label).encode())
        options.label = column
        return cls(make("tri_source", lib.tri_source_destroy, lib.tri_source_open, str(name).encode(), PARTS[part], options))

    def __len__(self):
        return self.info.examples

    @property
    def shape(self):
        """Of one example."""
        return tuple(self.info.shape.dim[i] for i in range(self.info.shape.rank))

    @property
    def outputs(self):
        """Numbers that an example is labelled with; 0 where labels are classes."""
        return self.info.outputs

    @property
    def classes(self):
        return self.info.classes

    @property
    def columns(self):
        """Of a CSV table: what each column means to a model, as JSON text; None elsewhere."""
        return text(self.info.columns)

    @property
    def class_names(self):
        if self.info.class_names == ffi.NULL:
            return None
        return [text(self.info.class_names[i]) for i in range(self.info.classes)]
