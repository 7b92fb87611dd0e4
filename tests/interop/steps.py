"""One full training step of each model, by Trireme and by PyTorch in double precision, from the same weights and batch.

A ReLU near zero, or two nearly equal values under a maximum, is decided by rounding: there two programs (PyTorch in single and in
double precision, too) send the gradient different ways. Such examples say nothing about either, so a first step is recorded to find
them, and the step that is compared is made of the others.

Where batches are normalised each example depends on the others, and in a deep model nearly every one hangs on rounding somewhere. Of these the
first batch is taken in which none does, by a wider margin: all of its examples are compared.
"""
import os
import subprocess

import torch
from safetensors import safe_open
from torch import nn

import torch_models
from report import require

TOLERANCE = 1e-4
RATE = 0.1

MARGIN = 2e-6  # of a layer's usual value: nearer than that, rounding decides
WIDE_MARGIN = 5e-6  # of deep models: PyTorch's own single precision is off by some 4e-6 there
NOISE = 3  # times PyTorch's own error in single precision: MobileNet's last layers normalise a few values, which magnifies rounding
BATCHES = 100  # to look through for one that is decided

# model, source, records to take, rows of the batch. DEEP: the first batch of so many records that is decided as a whole
CASES = [
    ("softmax", "fake:28x28x1:10", 100, 100),
    ("softmax", "fake:28x28x1:10", 61, 64),
    ("softmax", "digits", 7, 7),
    ("lenet", "fake:28x28x1:10", 64, 64),
    ("lenet", "digits", 61, 64),
    ("lenet", "digits", 7, 7),
    ("lenet-smooth", "digits", 61, 64),
    ("alexnet", "fake:224x224x3:1000", 16, 16),
    ("mobilenet-gelu", "fake:64x64x3:10", 16, 16),
]
DEEP = [
    ("resnet20", "fake:32x32x3:10:4096", 8),
    ("mobilenet", "fake:32x32x3:10:4096", 4),
]


class Record:
    """What step wrote down."""

    def __init__(self, path):
        with safe_open(path, framework="pt") as file:
            self.names = file.metadata()["parameters"].split()
            self.tensors = {key: file.get_tensor(key) for key in file.keys()}

    def __getitem__(self, key):
        return self.tensors[key]

    def parameters(self, prefix):
        return [(name, self.tensors[f"{prefix}/{name}"]) for name in self.names]

    def statistics(self, prefix):
        return [(name, tensor) for name, tensor in self.parameters(prefix) if torch_models.is_statistic(name)]

    def trained(self, prefix):
        return [(name, tensor) for name, tensor in self.parameters(prefix) if not torch_models.is_statistic(name)]


def expect_close(name, ours, theirs, tolerance=TOLERANCE):
    """Relative to the largest element: single numbers near zero carry rounding alone."""
    scale = theirs.abs().max().item()
    require(scale > 0, f"{name} is all zero in PyTorch: nothing to compare")
    require(bool(torch.isfinite(ours).all()), f"{name} is not finite")
    error = (ours.double() - theirs).abs().max().item() / scale
    require(error <= tolerance, f"{name} differs by {error:.1e} of its largest element")
    return error


def single_precision_errors(model_name, record):
    """How far PyTorch's own single precision is from its double precision, in the gradients of the same step."""
    gradients = []
    for dtype in (torch.float64, torch.float32):
        model = torch_models.load(torch_models.make(model_name), record.parameters("before")).to(dtype).train()
        x = torch_models.scaled(model_name, record["x"]).to(dtype)
        torch.nn.functional.cross_entropy(model(x), record["labels"].long(), reduction="sum").backward()
        gradients.append([parameter.grad.double() for parameter in model.parameters()])
    return [((single - double).abs().max() / double.abs().max()).item() for double, single in zip(*gradients)]


def compare(model_name, record, tolerance=TOLERANCE):
    model = torch_models.load(torch_models.make(model_name), record.parameters("before"))
    weights = record["weights"].double()
    kept = weights > 0
    x = torch_models.scaled(model_name, record["x"])[kept]
    logits = model.eval()(x).detach()
    losses = torch.nn.functional.cross_entropy(model.train()(x), record["labels"].long()[kept], reduction="none",
                                                label_smoothing=0.1 if model_name.endswith("-smooth") else 0.0)
    loss = (losses * weights[kept]).sum()
    loss.backward()
    errors = [expect_close("logits", record["logits"][kept], logits, tolerance), expect_close("loss", record["loss"], loss.detach(), tolerance)]
    for (name, after), (_, buffer) in zip(record.statistics("after"), torch_models.statistics(model)):
        errors.append(expect_close(f"{name} after the step", after, buffer, tolerance))
    for parameter, (name, gradient), (_, after) in zip(model.parameters(), record.trained("gradient"), record.trained("after")):
        errors.append(expect_close(f"gradient of {name}", gradient, parameter.grad, tolerance))
        errors.append(expect_close(f"{name} after the step", after, parameter.detach() - RATE * parameter.grad / weights.sum(), tolerance))
    return f"{len(errors)} tensors, largest relative error {max(errors):.1e}"


def undecided_by(layer, x, margin):
    """Which examples of x are so near to a decision of this layer that rounding may change it."""
    if isinstance(layer, nn.ReLU):
        margins = x.abs()
    elif isinstance(layer, nn.MaxPool2d):
        windows = nn.functional.unfold(x.flatten(0, 1).unsqueeze(1), layer.kernel_size, stride=layer.stride)
        first, second = windows.topk(2, dim=1).values.unbind(1)
        margins = torch.where(first > 0, first - second, first.max()).reshape(len(x), -1)
    else:
        return torch.zeros(len(x), dtype=torch.bool)
    return margins.flatten(1).min(1).values < margin * x.std()


@torch.no_grad()
def undecided_rows(model, x, margin=MARGIN):
    """Which examples hang on rounding somewhere, in a batch of these: where batches are normalised, each depends on the others."""
    undecided = torch.zeros(len(x), dtype=torch.bool)

    def look(layer, inputs, _):
        undecided.logical_or_(undecided_by(layer, inputs[0], margin))

    hooks = [layer.register_forward_hook(look) for layer in model.modules() if isinstance(layer, (nn.ReLU, nn.MaxPool2d))]
    model(x)
    for hook in hooks:
        hook.remove()
    return undecided


def decided(model_name, record, count):
    """The rows, of the first count, in which no decision hangs on rounding."""
    x = torch_models.scaled(model_name, record["x"])[:count]
    model = torch_models.load(torch_models.make(model_name), record.parameters("before")).train()
    rows = torch.arange(count)
    while len(rows):
        undecided = undecided_rows(model, x[rows])
        if not undecided.any():
            break
        rows = rows[~undecided]
    return rows.tolist()


def take_step(program, path, model, source, rows, records):
    command = [program, model, source, str(rows), str(RATE), path, *map(str, records)]
    result = subprocess.run(command, capture_output=True, text=True)
    require(result.returncode == 0, result.stderr.strip() or f"step ended with status {result.returncode}")
    record = Record(path)
    os.remove(path)
    return record


# What is another in a variant of a model. With gelu MobileNet has no decisions, and larger pictures can be compared.
VARIANTS = {"-gelu": ("relu()", "gelu()"), "-smooth": ("softmax_loss()", "softmax_loss(smoothing=0.1)")}


def model_file(folder, model):
    """The model's name, or the file of a variant of it."""
    for suffix, (old, new) in VARIANTS.items():
        if model.endswith(suffix):
            path = os.path.join(folder, model + ".model")
            source = os.path.join(os.path.dirname(__file__), "..", "..", "models", model.removesuffix(suffix) + ".model")
            with open(source, encoding="utf-8") as text, open(path, "w", encoding="utf-8") as out:
                out.write(text.read().replace(old, new))
            return path
    return model


def step_and_compare(program, folder, model, source, count, rows):
    path, file = os.path.join(folder, "step.safetensors"), model_file(folder, model)
    records = decided(model, take_step(program, path, file, source, rows, range(count)), count)
    require(records, f"all {count} examples have decisions that hang on rounding: take more")
    return f"{len(records)} examples, " + compare(model, take_step(program, path, file, source, rows, records))


def deep_step_and_compare(program, folder, model, source, count):
    path = os.path.join(folder, "step.safetensors")
    for first in range(0, BATCHES * count, count):
        record = take_step(program, path, model, source, count, range(first, first + count))
        torch_model = torch_models.load(torch_models.make(model), record.parameters("before")).train()
        if not undecided_rows(torch_model, torch_models.scaled(model, record["x"]), WIDE_MARGIN).any():
            single = max(single_precision_errors(model, record))
            tolerance = max(TOLERANCE, NOISE * single)
            return f"records {first} to {first + count - 1}, " + compare(model, record, tolerance) + f" (PyTorch's own: {single:.1e})"
    raise AssertionError(f"none of {BATCHES} batches of {count} examples is free of decisions that hang on rounding")


def run(report, program, folder):
    for model, source, count, rows in CASES:
        report.check(f"a step of {model}, {source}, batch {rows}", lambda: step_and_compare(program, folder, model, source, count, rows))
    for model, source, count in DEEP:
        report.check(f"a step of {model}, {source}, {count} examples, none left out",
                     lambda: deep_step_and_compare(program, folder, model, source, count))
