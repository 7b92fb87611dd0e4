"""The built-in models as PyTorch has them, without dropout, and the scaling of their inputs."""
from torch import nn


def softmax(inputs, classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(inputs, classes))


def lenet(classes):
    return nn.Sequential(
        nn.Conv2d(1, 6, 3), nn.ReLU(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 3), nn.ReLU(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(16 * 5 * 5, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, classes))


def alexnet(classes):
    return nn.Sequential(
        nn.Conv2d(3, 64, 11, stride=4, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(),
        nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(),
        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Flatten(), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, classes))


def make(name):
    return {"softmax": lambda: softmax(784, 10), "lenet": lambda: lenet(10), "alexnet": lambda: alexnet(1000)}[name]()


def scaled(name, x):
    """Bytes [n][h][w][c] to what the model's input line makes of them, [n][c][h][w]."""
    x = x.permute(0, 3, 1, 2).double()
    return x / 127.5 - 1 if name == "alexnet" else x / 255


def load(model, tensors):
    """Give the model the tensors in its own order of parameters; their shapes must be PyTorch's."""
    parameters = list(model.parameters())
    if len(parameters) != len(tensors):
        raise AssertionError(f"{len(tensors)} tensors for {len(parameters)} parameters")
    for parameter, (name, tensor) in zip(parameters, tensors):
        if parameter.shape != tensor.shape:
            raise AssertionError(f"{name} is {tuple(tensor.shape)}, PyTorch has {tuple(parameter.shape)}")
        parameter.data = tensor.double().clone()
    return model
