"""Models that learn numbers and sets of labels: one step beside PyTorch's, least squares beside scikit-learn's, and NumPy's own files."""
import csv
import json
import os
import re
import subprocess

import numpy
import torch
from safetensors.numpy import load_file, save_file
from sklearn.linear_model import LinearRegression
from sklearn.utils.class_weight import compute_class_weight
from torch import nn

from report import require

TOLERANCE = 1e-5
RATE = 0.1
ROWS, FEATURES, OUTPUTS = 48, 7, 3

LOSSES = {
    "mse_loss()": nn.MSELoss(),
    "huber_loss()": nn.HuberLoss(),
    "huber_loss(delta=0.7)": nn.HuberLoss(delta=0.7),
    "sigmoid_loss()": nn.BCEWithLogitsLoss(),
}


def execute(trireme, *words):
    result = subprocess.run([trireme, *map(str, words)], capture_output=True, text=True)
    require(result.returncode == 0, f"{' '.join(map(str, words))}: {result.stderr.strip()}")
    return result.stdout


def newest(run):
    folder = os.path.join(run, "checkpoint")
    return load_file(os.path.join(folder, sorted(name for name in os.listdir(folder) if name.endswith(".safetensors"))[-1]))


def compare_step(trireme, folder, loss):
    """From the same weights and examples, in one batch."""
    random = numpy.random.default_rng(3)
    x = random.normal(size=(ROWS, FEATURES)).astype(numpy.float32)
    y = random.normal(size=(ROWS, OUTPUTS)).astype(numpy.float32)
    y = (y > 0).astype(numpy.float32) if loss == "sigmoid_loss()" else y
    name = os.path.join(folder, re.sub(r"\W+", "-", loss))
    numpy.savez(name + ".npz", x=x, y=y)
    with open(name + ".model", "w") as file:
        file.write(f"input()\ndense(5)\ntanh()\ndense(outputs)\n{loss}\n")
    layers = nn.Sequential(nn.Linear(FEATURES, 5), nn.Tanh(), nn.Linear(5, OUTPUTS)).double()
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter.copy_(torch.from_numpy(random.normal(size=parameter.shape).astype(numpy.float32) / 2))
    named = {"dense1.weight": layers[0].weight, "dense1.bias": layers[0].bias, "dense2.weight": layers[2].weight,
             "dense2.bias": layers[2].bias}
    save_file({key: value.detach().float().numpy() for key, value in named.items()}, name + ".safetensors")
    execute(trireme, "train", name + ".model", "--data", name + ".npz", "--init", name + ".safetensors", "--batch", ROWS, "--steps", 1, "--rate",
            RATE, "--rule", "sgd", "--shuffle", 0, "--quiet", "--out", name + "-run")
    value = LOSSES[loss](layers(torch.from_numpy(x).double()), torch.from_numpy(y).double())
    value.backward()
    ours, worst = newest(name + "-run"), 0
    for key, parameter in named.items():
        expected = (parameter - RATE * parameter.grad).detach().numpy()
        worst = max(worst, float(abs(ours[key] - expected).max() / abs(expected).max()))
    require(worst <= TOLERANCE, f"parameters differ by {worst:.1e}")
    return f"differs by {worst:.1e} at most"


def compare_class_weights(trireme, folder, balanced):
    """One step beside CrossEntropyLoss(weight=…), whose mean divides by the sum of the weights; balanced weights are scikit-learn's."""
    random = numpy.random.default_rng(6)
    x = random.normal(size=(ROWS, FEATURES)).astype(numpy.float32)
    y = random.choice(3, ROWS, p=[0.7, 0.2, 0.1])
    weights = compute_class_weight("balanced", classes=numpy.arange(3), y=y) if balanced else numpy.array([0.5, 1, 3.25])
    name = os.path.join(folder, f"weighted-{balanced}")
    numpy.savez(name + ".npz", x=x, y=y)
    with open(name + ".model", "w") as file:
        file.write("input()\ndense(classes)\nsoftmax_loss\n")
    layer = nn.Linear(FEATURES, 3).double()
    save_file({"dense1.weight": layer.weight.detach().float().numpy(), "dense1.bias": layer.bias.detach().float().numpy()},
              name + ".safetensors")
    execute(trireme, "train", name + ".model", "--data", name + ".npz", "--init", name + ".safetensors", "--batch", ROWS, "--steps", 1, "--rate",
            RATE, "--rule", "sgd", "--quiet", "--out", name + "-run", "--class-weights", "balanced" if balanced else ",".join(map(str, weights)))
    nn.CrossEntropyLoss(weight=torch.from_numpy(weights))(layer(torch.from_numpy(x).double()), torch.from_numpy(y)).backward()
    ours, worst = newest(name + "-run"), 0
    for key, parameter in {"dense1.weight": layer.weight, "dense1.bias": layer.bias}.items():
        expected = (parameter - RATE * parameter.grad).detach().numpy()
        worst = max(worst, float(abs(ours[key] - expected).max() / abs(expected).max()))
    require(worst <= TOLERANCE, f"parameters differ by {worst:.1e}")
    return f"differs by {worst:.1e} at most"


def compare_least_squares(trireme, folder):
    """A table with a category, by many small steps, and what scikit-learn computes at once."""
    random = numpy.random.default_rng(4)
    numbers, city = random.normal(size=(600, 4)), random.integers(0, 3, 600)
    price = numbers @ [1.5, -2, 0.25, 3] + numpy.array([1, 5, -2])[city] + 0.2 * random.normal(size=600)
    path = os.path.join(folder, "houses.csv")
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["a", "b", "c", "d", "city", "price"])
        for row, where, value in zip(numbers, city, price):
            table.writerow([f"{number:.9g}" for number in row] + [("Rome", 'Bonn, "Rhine"', "Oslo")[where], f"{value:.9g}"])
    with open(os.path.join(folder, "line.model"), "w") as file:
        file.write("input()\ndense(outputs)\nmse_loss()\n")
    run = os.path.join(folder, "houses-run")
    execute(trireme, "train", os.path.join(folder, "line.model"), "--data", path, "--label", "price", "--batch", 600, "--epochs", 400, "--rate",
            0.2, "--rule", "sgd", "--quiet", "--out", run)
    rows = json.loads(execute(trireme, "predict", run, "--data", path, "--json"))["rows"]
    features = numpy.column_stack([numbers, numpy.eye(3)[city]])
    expected = LinearRegression().fit(features, price).predict(features)
    worst = float(abs(numpy.array([row["outputs"][0] for row in rows]) - expected).max())
    require(worst < 2e-3, f"predictions differ by {worst:.1e}")
    return f"600 predictions differ by {worst:.1e} at most"


def read_arrays(trireme, folder):
    """Every type, by NumPy's own writers, predicted by a model that adds up what it is given."""
    random = numpy.random.default_rng(5)
    whole = random.integers(0, 100, (40, 6))
    seen = []
    for number, kind in enumerate(("f4", "f8", "i1", "u2", "i4", "u4", "i8", "u8")):
        for save in (numpy.savez, numpy.savez_compressed):
            path = os.path.join(folder, f"{number}-{save.__name__}.npz")
            save(path, x=whole.astype(kind), y=whole.sum(axis=1).astype("f4"))
            about = json.loads(execute(trireme, "data", "info", path, "--json"))
            require(about["records"] == 40 and about["shape"] == [6], f"{kind}: {about}")
            seen.append(path)
    with open(os.path.join(folder, "sum.model"), "w") as file:
        file.write("input()\ndense(1, init=constant(1))\nmse_loss()\n")
    for path in seen:
        run = path + "-run"
        execute(trireme, "train", os.path.join(folder, "sum.model"), "--data", path, "--steps", 1, "--rate", "1e-30", "--quiet", "--out", run)
        rows = json.loads(execute(trireme, "predict", run, "--data", path, "--json"))["rows"]
        require([row["outputs"] for row in rows] == [[float(each)] for each in whole.sum(axis=1)], f"{path}: sums differ")
        require([row["label"] for row in rows] == [[float(each)] for each in whole.sum(axis=1)], f"{path}: labels differ")
    return f"{len(seen)} archives"


def run(report, trireme, folder):
    for loss in LOSSES:
        report.check(f"one step of {loss} is PyTorch's", lambda loss=loss: compare_step(trireme, folder, loss))
    for balanced in (False, True):
        report.check(f"one step with {'balanced' if balanced else 'given'} class weights is PyTorch's",
                     lambda balanced=balanced: compare_class_weights(trireme, folder, balanced))
    report.check("least squares on a CSV table are scikit-learn's", lambda: compare_least_squares(trireme, folder))
    report.check("arrays of every type are read as NumPy wrote them", lambda: read_arrays(trireme, folder))
