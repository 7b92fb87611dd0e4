"""Training in this process, on all its CPUs. trireme.run starts jobs of several processes."""

import dataclasses
import time

from trireme.data import Dataset
from trireme.native import check, ffi, lib, make, text
from trireme.trained import Model, batches

ALL = 2**63 - 1
_LABELS = {lib.TRI_LABEL_CLASS: "classes", lib.TRI_LABEL_NUMBERS: "numbers", lib.TRI_LABEL_SET: "sets"}


@dataclasses.dataclass
class Progress:
    """After a step. loss is that of its batch, before the step."""

    step: int
    examples: int
    epoch: int
    loss: float
    seconds: float


def train(model, data, *, epochs=None, steps=None, batch=None, rate=None, rule=None, numbers=None, clip=0.0, average=None, seed=1, shuffle=True,
          threads=0, init=None, out=None, progress=None):
    """Train a model and return it.

    model: a built-in name, a .model file, or a model's text (with line breaks). data: a Dataset, or a source's name.
    What is not given is the model's own. numbers: of the rule, {"momentum": 0.9}. average: the decay of a
    moving average of all weights, such as 0.999; the trained model is that average. init: a checkpoint to start from.
    out: a file for the checkpoint; without it the model lives in a temporary one. progress(Progress) is called after each step, and ends
    the training where it returns False.
    """
    model = _open_model(model)
    data = data if isinstance(data, Dataset) else Dataset.open(data, seed=seed, labels=_LABELS[lib.tri_model_labels(model)])
    job = _Job(model, data, batch, rule, numbers or {}, clip, average, seed, threads)
    if init is not None:
        check(lib.tri_checkpoint_load(str(init).encode(), job.graph, job.store))
    defaults = lib.tri_model_default(job.model)
    if epochs is None and steps is None:
        epochs = defaults.epochs or 10
    job.run(epochs or 0, steps, rate if rate is not None else defaults.rate or 0.01, shuffle, progress)
    return job.finish(out)


def _open_model(model):
    name = str(model)
    if "\n" in name:
        source = name.encode()
        return make("tri_model", lib.tri_model_destroy, lib.tri_model_parse, b"model", source, len(source))
    return make("tri_model", lib.tri_model_destroy, lib.tri_model_open, name.encode())


class _Job:
    """The objects of a training, each made of those before it."""

    def __init__(self, model, data, batch, rule, numbers, clip, average, seed, threads):
        self.data, self.seed = data, seed
        self.model = model
        self.defaults = lib.tri_model_default(self.model)
        self.batch = batch or self.defaults.batch or 100
        given = ffi.new("tri_model_input *", lib.tri_model_input_of(data.info))
        self.graph = make("tri_graph", lib.tri_graph_destroy, lib.tri_model_build, self.model, given, self.batch)
        self.store = self._make_store(*self._make_rule(rule, numbers, clip, average))
        options = ffi.new("tri_plan_options *", {"batch": self.batch, "training": True, "seed": seed, "threads": threads})
        self.plan = make("tri_plan", lib.tri_plan_destroy, lib.tri_plan_create, self.graph, options, self.store, keep=(self.store,))

    def _make_rule(self, name, numbers, clip, average):
        """The model's rule, with what was given in its place; and the texts that it points to."""
        own = self.defaults.rule
        rule = ffi.new("tri_rule *", {"clip": clip, "average": own.average if average is None else average,
                                      "state": lib.tri_graph_state_of(self.graph)})
        if name is None or (own.name != ffi.NULL and text(own.name) == name):
            wanted = {text(n.name): n.value for n in own.set if n.name != ffi.NULL}
            rule.name = own.name
        else:
            wanted = {}
        wanted.update(numbers)
        names = [ffi.new("char[]", key.encode()) for key in wanted]
        if len(names) > len(rule.set):
            raise ValueError("a rule has at most %d numbers" % len(rule.set))
        for place, key, number in zip(rule.set, names, wanted.values()):
            place.name, place.value = key, number
        if rule.name == ffi.NULL and name is not None:
            names.append(ffi.new("char[]", name.encode()))
            rule.name = names[-1]
        return rule, names

    def _make_store(self, rule, names):
        floats = lib.tri_graph_parameter_floats(self.graph)
        store = make("tri_store", lib.tri_store_destroy, lib.tri_store_local_create, floats, rule, keep=(rule, names))
        lib.tri_graph_initialise(self.graph, self.seed, lib.tri_store_parameters(store))
        check(lib.tri_graph_add_tables(self.graph, store))
        check(lib.tri_graph_initialise_tables(self.graph, self.seed, store))
        lib.tri_store_begin_averages(store)
        return store

    def run(self, epochs, steps, rate, shuffle, progress):
        order = ffi.new(
            "tri_dataset_options *",
            {"batch": self.batch, "seed": self.seed, "shuffle": ALL if shuffle else 0, "epochs": epochs,
             "in_place": lib.tri_plan_takes_scattered(self.plan)},
        )
        dataset = make("tri_dataset", lib.tri_dataset_destroy, lib.tri_dataset_create, self.data.source, order, keep=(self.data,))
        loss, step, started, examples = ffi.new("double *"), ffi.new("tri_step *", {"rate": rate}), time.monotonic(), 0
        for rows in batches(dataset):
            check(lib.tri_store_begin(self.store, step))
            check(lib.tri_plan_train(self.plan, rows, loss))
            step.step += 1
            examples += rows.count
            told = progress and progress(Progress(step.step, examples, rows.epoch, loss[0] / max(rows.count, 1), time.monotonic() - started))
            if told is False or step.step == steps:
                break
        check(lib.tri_store_flush(self.store))

    def finish(self, out):
        if out is None:
            return Model.in_temporary_file(self._save)
        self._save(out)
        return Model(out)

    def _save(self, path):
        check(lib.tri_checkpoint_save(str(path).encode(), self.model, self.graph, self.store, self.data.info))
