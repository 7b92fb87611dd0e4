"""One full training step of each model, by Trireme and by PyTorch in double precision, from the same weights and batch."""
import os
import subprocess

import torch
from safetensors import safe_open

import torch_models
from report import require

TOLERANCE = 1e-4
RATE = 0.1

# model, source, batch. Sources with fewer examples than a batch make rows of weight 0.
CASES = [
    ("softmax", "fake:28x28x1:10:100", 100),
    ("softmax", "fake:28x28x1:10:61", 64),
    ("softmax", "digits:7", 7),
    ("lenet", "fake:28x28x1:10:64", 64),
    ("lenet", "fake:28x28x1:10:61", 64),
    ("lenet", "digits:7", 7),
    ("alexnet", "fake:224x224x3:1000:8", 8),
    ("alexnet", "fake:224x224x3:1000:3", 4),
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


def expect_close(name, ours, theirs):
    """Relative to the largest element: single numbers near zero carry rounding alone."""
    scale = theirs.abs().max().item()
    require(scale > 0, f"{name} is all zero in PyTorch: nothing to compare")
    require(bool(torch.isfinite(ours).all()), f"{name} is not finite")
    error = (ours.double() - theirs).abs().max().item() / scale
    require(error <= TOLERANCE, f"{name} differs by {error:.1e} of its largest element")
    return error


def compare(model_name, record):
    model = torch_models.load(torch_models.make(model_name), record.parameters("before"))
    weights = record["weights"].double()
    logits = model(torch_models.scaled(model_name, record["x"]))
    losses = torch.nn.functional.cross_entropy(logits, record["labels"].long(), reduction="none")
    loss = (losses * weights).sum()
    loss.backward()
    kept = weights > 0
    errors = [expect_close("logits", record["logits"][kept], logits.detach()[kept]), expect_close("loss", record["loss"], loss.detach())]
    for parameter, (name, gradient), (_, after) in zip(model.parameters(), record.parameters("gradient"), record.parameters("after")):
        errors.append(expect_close(f"gradient of {name}", gradient, parameter.grad))
        errors.append(expect_close(f"{name} after the step", after, parameter.detach() - RATE * parameter.grad / weights.sum()))
    return f"{len(errors)} tensors, largest relative error {max(errors):.1e}"


def step_and_compare(program, folder, model, source, batch):
    path = os.path.join(folder, "step.safetensors")
    result = subprocess.run([program, model, source, str(batch), str(RATE), path], capture_output=True, text=True)
    require(result.returncode == 0, result.stderr.strip() or f"step ended with status {result.returncode}")
    try:
        return compare(model, Record(path))
    finally:
        os.remove(path)


def run(report, program, folder):
    for model, source, batch in CASES:
        report.check(f"a step of {model}, {source}, batch {batch}", lambda: step_and_compare(program, folder, model, source, batch))
