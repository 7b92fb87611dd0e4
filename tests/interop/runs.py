"""What a run leaves behind, read by other people's programs: the checkpoint by safetensors, the event files by TensorBoard."""
import glob
import gzip
import json
import os
import subprocess

import numpy
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import torch_models
from report import require

FASHION = "/usr/share/datasets/fashion-mnist"


def train(trireme, folder, model, *options):
    """A short run on Fashion-MNIST; its folder and its summary."""
    out = os.path.join(folder, model)
    command = [trireme, "train", model, "--data", "fashion", "--out", out, "--quiet", "--json", *options]
    result = subprocess.run(command, capture_output=True, text=True)
    require(result.returncode == 0, f"{' '.join(command)}: {result.stderr.strip()}")
    return out, json.loads(result.stdout.strip().splitlines()[-1])


def newest_checkpoint(run):
    files = sorted(glob.glob(os.path.join(run, "checkpoint", "**", "*.safetensors"), recursive=True), key=os.path.getmtime)
    require(files, f"no safetensors file under {run}/checkpoint")
    return load_file(files[-1])


def names_of(model):
    """What Trireme calls the model's parameters, in PyTorch's order: layers are counted by kind."""
    counts = {"conv": 0, "dense": 0}
    for layer in model:
        kind = {torch.nn.Conv2d: "conv", torch.nn.Linear: "dense"}.get(type(layer))
        if kind:
            counts[kind] += 1
            yield from (f"{kind}{counts[kind]}.{name}" for name, _ in layer.named_parameters())


def parameters_of(run, model):
    """The parameters by name; all else in the file must be the rule's state, which is called rule/parameter."""
    tensors = newest_checkpoint(run)
    names = list(names_of(model))
    missing = [name for name in names if name not in tensors]
    require(not missing, f"no tensor {', '.join(missing)}: there are {', '.join(tensors)}")
    strangers = [name for name in tensors if name not in names and name.split("/")[-1] not in names]
    require(not strangers, f"tensors of unknown names: {', '.join(strangers)}")
    return [(name, tensors[name]) for name in names]


def fashion_test():
    def read(name, offset):
        with gzip.open(os.path.join(FASHION, name)) as file:
            return numpy.frombuffer(file.read(), numpy.uint8, offset=offset)

    images = read("t10k-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28, 1)
    return torch.from_numpy(images.copy()), torch.from_numpy(read("t10k-labels-idx1-ubyte.gz", 8).copy()).long()


def check_checkpoint(run, summary, model_name):
    """The names and shapes are PyTorch's, and PyTorch gets the accuracy that the run reports."""
    model = torch_models.make(model_name)
    ordered = parameters_of(run, model)
    torch_models.load(model, ordered)
    images, labels = fashion_test()
    with torch.no_grad():
        right = (model(torch_models.scaled(model_name, images)).argmax(1) == labels).double().mean().item()
    told = summary["test_accuracy"]
    require(abs(right - told) <= 0.0005, f"PyTorch gets {right:.4f} right with these weights, the summary says {told:.4f}")
    return ", ".join(f"{name} {list(tensor.shape)}" for name, tensor in ordered) + f"; {right:.4f} right in both"


def check_events(run, summary):
    folders = sorted({os.path.dirname(path) for path in glob.glob(os.path.join(run, "events", "**", "*tfevents*"), recursive=True)})
    require(len(folders) == 1, f"event files in {len(folders)} folders: {folders}")
    events = EventAccumulator(folders[0], size_guidance={"scalars": 0})
    events.Reload()
    tags = events.Tags()
    for word in ("loss", "accuracy", "rate", "examples"):
        require(any(word in tag for tag in tags["scalars"]), f"no scalar with {word} in its name: {tags['scalars']}")
    steps = [event.step for tag in tags["scalars"] if "loss" in tag for event in events.Scalars(tag)]
    require(max(steps) == summary["steps"], f"the last loss is of step {max(steps)}, the run made {summary['steps']}")
    require(tags["graph"], "no graph")
    nodes = events.Graph().node
    require(len(nodes) > 5, f"a graph of {len(nodes)} nodes")
    names = {node.name for node in nodes}
    missing = [source for node in nodes for source in node.input if source.lstrip("^").split(":")[0] not in names]
    require(not missing, f"inputs of the graph that are no nodes of it: {missing}")
    return f"scalars {', '.join(tags['scalars'])}; a graph of {len(nodes)} nodes"


def curves_of(folder):
    """What TensorBoard's own reader finds in a task's event files."""
    events = EventAccumulator(folder, size_guidance={"scalars": 0, "histograms": 0})
    events.Reload()
    return events


def check_histograms(events, where, steps):
    """The histograms are of the steps asked for, of as many values as the layers have, and their bins add up."""
    layers = {"conv1/weight", "conv1/bias", "dense1/weight", "dense1/bias"}
    names = set(events.Tags()["histograms"])
    wanted = {f"{kind}/{layer}" for kind in ("weights", "gradients") for layer in layers}
    require(wanted <= names, f"{where} lacks histograms of {sorted(wanted - names)}")
    for name in names:
        found = events.Histograms(name)
        require(len(found) >= steps, f"{where}: {name} has {len(found)} histograms, not {steps}")
        for event in found:
            value = event.histogram_value
            require(sum(value.bucket) == value.num > 0, f"{where}: bins of {name} hold {sum(value.bucket)} of {value.num} values")
            require(list(value.bucket_limit) == sorted(value.bucket_limit), f"{where}: limits of {name} do not grow")
            require(value.min <= value.bucket_limit[0] and value.bucket_limit[-1] >= value.max, f"{where}: bins of {name} miss values")
    require(events.Histograms("weights/conv1/bias")[0].histogram_value.num in (6, 20, 32), f"{where}: another number of biases")


def check_strategy(trireme, folder, name, strategy, workers):
    """Each worker's curves of loss and accuracy and its histograms, and the run's own."""
    options = ["--steps", "40", "--log-every", "10", "--histograms", "10", *strategy]
    run, _ = train(trireme, os.path.join(folder, name), "lenet", *options)
    tasks = {os.path.basename(path): curves_of(path) for path in glob.glob(os.path.join(run, "events", "*"))}
    kind = "worker" if name == "mirrored" else "train"
    for index in range(workers):
        events = tasks.get(f"worker-{index}")
        require(events, f"worker-{index} has no event file: {sorted(tasks)}")
        scalars = events.Tags()["scalars"]
        for tag in (f"{kind}/loss", f"{kind}/accuracy"):
            require(tag in scalars, f"worker-{index} has no {tag}: {scalars}")
        right = [event.value for event in events.Scalars(f"{kind}/accuracy")]
        require(all(0 <= value <= 1 for value in right), f"accuracies of worker-{index}: {right}")
        if name != "mirrored" or index == 0:
            check_histograms(events, f"worker-{index}", 1 if name.startswith("ps") else 4)
            require("train/examples_per_second" in scalars or name.startswith("ps"), f"no examples/s: {scalars}")
        if name.startswith("ps"):
            require("test/accuracy" in scalars, f"worker-{index} has no accuracy of its own: {scalars}")
    texts = [tag for events in tasks.values() for tag in events.Tags()["tensors"]]
    require(any("options" in tag for tag in texts), f"no text of options: {texts}")
    nodes = {node.name for events in tasks.values() if events.Tags()["graph"] for node in events.Graph().node}
    require("conv1/weight" in nodes, f"layers are not grouped: {sorted(nodes)}")
    return ", ".join(sorted(tasks))


STRATEGIES = {
    "local": ([], 1),
    "mirrored": (["--strategy", "mirrored", "--workers", "2"], 2),
    "allreduce": (["--strategy", "allreduce", "--workers", "2"], 2),
    "ps-async": (["--strategy", "ps", "--workers", "2"], 2),
    "ps-sync": (["--strategy", "ps", "--sync", "--workers", "2", "--servers", "2"], 2),
}


def run(report, trireme, folder):
    for name, (strategy, workers) in STRATEGIES.items():
        report.check(f"curves and histograms of {name} in TensorBoard", lambda: check_strategy(trireme, folder, name, strategy, workers))
    for model, options in (("softmax", ["--steps", "200", "--batch", "100"]), ("lenet", ["--steps", "200"])):
        runs = []
        report.check(f"train {model}", lambda: runs.append(train(trireme, folder, model, *options)))
        if runs:
            report.check(f"checkpoint of {model} in safetensors and PyTorch", lambda: check_checkpoint(*runs[0], model))
            report.check(f"event files of {model} in TensorBoard", lambda: check_events(*runs[0]))
