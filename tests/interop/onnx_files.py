"""Every built-in dense model, exported and run by onnxruntime: the same probabilities as trireme's; and models of PyTorch, imported."""
import os
import subprocess

import numpy
import onnx
import onnxruntime
import torch

import torch_models
from report import require

TOLERANCE = 1e-5
ROWS = 3

# model, source to train on for a few steps
MODELS = [
    ("softmax", "fake:28x28x1:10"),
    ("lenet", "fake:28x28x1:10"),
    ("flowers", "fake:96x96x3:5"),
    ("alexnet", "fake:224x224x3:10"),
    ("resnet20", "fake:32x32x3:10"),
    ("mobilenet", "fake:64x64x3:10"),
]


def call(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    require(result.returncode == 0, f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout


def predict(trireme, what, x):
    """The probabilities of trireme for the rows of x, as given on standard input."""
    rows = "\n".join(" ".join(map(str, row)) for row in x.reshape(len(x), -1).tolist()) + "\n"
    lines = call([trireme, "predict", what, "--data", "-", "--quiet"], input=rows).splitlines()
    require(len(lines) == len(x), f"{len(lines)} lines for {len(x)} rows")
    return lines


def probabilities(lines, classes):
    return numpy.array([[float(word) for word in line.split("\t")[1:1 + classes]] for line in lines])


def run_model(trireme, folder, model, source):
    out, path = os.path.join(folder, model), os.path.join(folder, model + ".onnx")
    call([trireme, "train", model, "--data", source + ":16", "--steps", "2", "--batch", "4", "--rate", "0.001", "--quiet", "--out", out])
    call([trireme, "export", out, "--onnx", path])
    onnx.checker.check_model(path, full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    shape = session.get_inputs()[0].shape
    x = numpy.random.default_rng(1).integers(0, 256, (ROWS, *shape[1:]), dtype=numpy.uint8)
    theirs = session.run(["probabilities"], {"x": x})[0]
    error = numpy.abs(theirs - probabilities(predict(trireme, out, x), theirs.shape[1])).max()
    require(error <= TOLERANCE, f"probabilities differ by {error:.1e}")
    return f"largest difference {error:.1e}"


def import_from_torch(trireme, folder, name, height, channels):
    """A model of PyTorch's, with weights and statistics of its own, whose input is channels first."""
    torch.manual_seed(3)
    model = torch_models.make(name).float()
    model.train()(torch.randn(8, channels, height, height))
    model.eval()
    path, out = os.path.join(folder, name + "-torch.onnx"), os.path.join(folder, name + "-torch")
    torch.onnx.export(model, torch.zeros(1, channels, height, height), path, input_names=["picture"], opset_version=13)
    call([trireme, "import", path, "--out", out])
    x = torch.randn(ROWS, height, height, channels)
    theirs = torch.softmax(model(x.permute(0, 3, 1, 2)), 1).detach().numpy()
    ours = probabilities(predict(trireme, out + ".safetensors", x.numpy()), theirs.shape[1])
    error = numpy.abs(theirs - ours).max()
    require(error <= TOLERANCE, f"probabilities differ by {error:.1e}")
    return f"largest difference {error:.1e}"


def run(report, trireme, folder):
    for model, source in MODELS:
        report.check(f"onnxruntime runs {model}", lambda: run_model(trireme, folder, model, source))
    for name, height, channels in (("lenet", 28, 1), ("resnet20", 32, 3), ("mobilenet", 64, 3)):
        report.check(f"{name} of PyTorch is imported", lambda: import_from_torch(trireme, folder, name, height, channels))
