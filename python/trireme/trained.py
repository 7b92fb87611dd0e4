"""Models that have been trained: predictions, figures, files."""

import pathlib
import shutil
import tempfile

import numpy

from trireme.data import _TYPES, PARTS, Dataset
from trireme.native import TriremeError, check, ffi, lib, make, text

_NUMPY = {number: dtype for dtype, number in _TYPES.items()}


class Model:
    """A trained model. `path` is its checkpoint, which `trireme eval`, `predict` and `--init` take as well."""

    def __init__(self, path, batch=0):
        self.path = pathlib.Path(path)
        self.trained = make("tri_trained", lib.tri_trained_destroy, lib.tri_trained_open, str(path).encode(), batch)
        self.input = lib.tri_trained_input(self.trained)

    @classmethod
    def in_temporary_file(cls, write):
        """The model whose checkpoint write(path) writes; the file goes with it."""
        folder = tempfile.TemporaryDirectory(prefix="trireme-")
        path = pathlib.Path(folder.name) / "model.safetensors"
        write(path)
        model = cls(path)
        model.folder = folder
        return model

    @property
    def shape(self):
        """Of one example."""
        return tuple(self.input.shape.dim[i] for i in range(self.input.shape.rank))

    @property
    def classes(self):
        """Their names, or their numbers."""
        count = lib.tri_trained_classes(self.trained)
        return [text(lib.tri_trained_class(self.trained, i)) or i for i in range(count)]

    @property
    def parameters(self):
        """By name; copies."""
        graph, store = lib.tri_trained_graph(self.trained), lib.tri_trained_store(self.trained)
        flat, arrays = lib.tri_store_parameters(store), {}
        for i in range(lib.tri_graph_count(graph)):
            node = lib.tri_graph_node(graph, i)
            reach, shape = lib.tri_node_range(node), lib.tri_node_shape(node)
            if reach.count:
                memory = numpy.frombuffer(ffi.buffer(flat + reach.first, reach.count * 4), dtype=numpy.float32)
                arrays[text(lib.tri_node_name(node))] = memory.reshape([shape.dim[k] for k in range(shape.rank)]).copy()
        return arrays

    def predict(self, x):
        """x [examples][…shape] → the probability of each class or label, [examples][classes], or the numbers, [examples][outputs]."""
        x = numpy.ascontiguousarray(x, dtype=_NUMPY[self.input.type])
        if x.shape[1:] != self.shape:
            raise ValueError("an example has the shape %s, and the model takes %s" % (x.shape[1:], self.shape))
        out = numpy.empty((len(x), lib.tri_trained_classes(self.trained)), dtype=numpy.float32)
        if len(x):
            place = ffi.cast("void *", x.ctypes.data)
            check(lib.tri_trained_predict(self.trained, place, len(x), ffi.cast("float *", out.ctypes.data)))
        return out

    def open(self, name, part=None):
        """A Dataset for this model: photos get its size, and columns, categories and classes have the numbers that they had in training.

        part: "train", "validation" or "test"; without it the test part, or all where the source has no parts.
        """
        try:
            number = PARTS[part or "test"]
            return Dataset(make("tri_source", lib.tri_source_destroy, lib.tri_trained_source, self.trained, str(name).encode(), number))
        except TriremeError as error:
            if part or error.kind != "not found":
                raise
            return self.open(name, "train")

    def evaluate(self, data):
        """Loss and accuracy over a Dataset, or over a source by its name; of numbers the loss, mse, mae and r2."""
        data = self.open(data) if isinstance(data, (str, pathlib.PurePath)) else data
        if isinstance(data, Dataset):
            self._check_numbers(data)
        graph, store = lib.tri_trained_graph(self.trained), lib.tri_trained_store(self.trained)
        return evaluate(graph, store, data)

    def _check_numbers(self, data):
        """Another table may number categories differently, another folder classes."""
        own, names = text(lib.tri_trained_columns(self.trained)), self.classes
        if own and data.columns and data.columns != own:
            raise ValueError("the table was opened with categories and means of its own, not those of training: open it by Model.open")
        if data.class_names and isinstance(names[0], str) and data.class_names != names[: data.classes]:
            raise ValueError("the classes are %s, and the model learnt %s: open the data by Model.open" % (data.class_names, names))

    def save(self, path):
        """Copy the checkpoint. A file that is there is replaced, whole or not at all."""
        path = pathlib.Path(path)
        draft = path.with_name(path.name + ".tmp")
        shutil.copyfile(self.path, draft)
        draft.replace(path)


def load(path, batch=0):
    """The model of a run folder, or of a checkpoint. batch: examples computed at once; 0: chosen."""
    return Model(path, batch)


def evaluate(graph, store, data, batch=250):
    """Loss and accuracy of the store's parameters over a Dataset; of numbers the loss, mse, mae and r2."""
    if not isinstance(data, Dataset):
        raise TypeError("evaluate wants a Dataset, not %s" % type(data).__name__)
    copy = make("tri_graph", lib.tri_graph_destroy, lib.tri_graph_copy, graph, batch)
    options = ffi.new("tri_plan_options *", {"batch": batch})
    plan = make("tri_plan", lib.tri_plan_destroy, lib.tri_plan_create, copy, options, store, keep=(store,))
    order = ffi.new("tri_dataset_options *", {"batch": batch, "epochs": 1})
    dataset = make("tri_dataset", lib.tri_dataset_destroy, lib.tri_dataset_create, data.source, order, keep=(data,))
    kind, loss, right, examples, errors = lib.tri_graph_labels(graph), 0, 0, 0, []
    for rows in batches(dataset):
        check(lib.tri_plan_run(plan, rows))
        loss += float(value_of(plan, "loss")[0])
        logits = value_of(plan, "logits").reshape(rows.rows, -1)[: rows.count]
        examples += rows.count
        if kind != lib.TRI_LABEL_CLASS:
            targets = numpy.frombuffer(ffi.buffer(rows.targets, rows.count * rows.outputs * 4), dtype=numpy.float32)
            targets = targets.reshape(rows.count, -1).astype(numpy.float64)
            right += float(((logits > 0) == (targets > 0)).mean(axis=1).sum())
            errors.append((targets, logits - targets))
            continue
        labels = numpy.frombuffer(ffi.buffer(rows.labels, rows.count * 4), dtype=numpy.int32)
        guesses = logits[:, 0] > 0 if logits.shape[1] == 1 else logits.argmax(axis=1)
        right += int((guesses == labels).sum())
    figures = {"loss": loss / examples, "examples": examples}
    return {**figures, **_errors(errors)} if kind == lib.TRI_LABEL_NUMBERS else {**figures, "accuracy": right / examples}


def _errors(parts):
    """parts: (targets, errors) of batches, [rows][outputs] each."""
    targets, errors = (numpy.concatenate(each) for each in zip(*parts))
    spread = ((targets - targets.mean(axis=0)) ** 2).sum(axis=0)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        explained = 1 - (errors**2).sum(axis=0) / spread
    varied = explained[spread > 0]
    return {"mse": float((errors**2).mean()), "mae": float(abs(errors).mean()), "r2": float(varied.mean()) if len(varied) else float("nan")}


def batches(dataset):
    place = ffi.new("tri_batch **")
    while True:
        check(lib.tri_dataset_next(dataset, ffi.cast("const tri_batch **", place)))
        if place[0] == ffi.NULL:
            return
        yield place[0]


def value_of(plan, name):
    tensor = ffi.new("tri_tensor *")
    check(lib.tri_plan_value(plan, name.encode(), tensor))
    count = lib.tri_shape_count(tensor.shape)
    return numpy.frombuffer(ffi.buffer(tensor.data, count * 4), dtype=numpy.float32)
