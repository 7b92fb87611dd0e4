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


class Block(nn.Module):
    """Two convolutions and the way around them. The shortcut comes first, as in resnet20.model."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.shortcut = nn.Sequential()
        if stride > 1:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False), nn.BatchNorm2d(outputs))
        self.first = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs))
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.second(self.first(x)) + self.shortcut(x))


def resnet20(classes):
    blocks, inputs = [], 16
    for outputs in (16, 32, 64):
        for number in range(3):
            blocks.append(Block(inputs, outputs, 2 if number == 0 and outputs > 16 else 1))
            inputs = outputs
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes))


def mobilenet(classes, activation=nn.ReLU):
    layers, inputs = [nn.Conv2d(3, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), activation()], 32
    for outputs, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + 5 * [(512, 1)] + [(1024, 2), (1024, 1)]:
        layers += [nn.Conv2d(inputs, inputs, 3, stride=stride, padding=1, groups=inputs, bias=False), nn.BatchNorm2d(inputs), activation(),
                   nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), activation()]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, classes))


def make(name):
    return {"softmax": lambda: softmax(784, 10), "lenet": lambda: lenet(10), "lenet-smooth": lambda: lenet(10), "alexnet": lambda: alexnet(1000),
            "resnet20": lambda: resnet20(10), "mobilenet": lambda: mobilenet(10),
            "mobilenet-gelu": lambda: mobilenet(10, nn.GELU)}[name]()


def scaled(name, x):
    """Bytes [n][h][w][c] to what the model's input line makes of them, [n][c][h][w]."""
    x = x.permute(0, 3, 1, 2).double()
    if name == "resnet20":
        return x / 63.75 - 2
    return x / 127.5 - 1 if name.startswith(("alexnet", "mobilenet")) else x / 255


def is_statistic(name):
    return name.endswith((".running_mean", ".running_var"))


def statistics(model):
    """The running statistics, in the order of the layers."""
    return [(name, buffer) for name, buffer in model.named_buffers() if is_statistic(name)]


def load(model, tensors):
    """Give the model the tensors in its own order of parameters; their shapes must be PyTorch's."""
    for (_, buffer), tensor in zip(statistics(model), [tensor for name, tensor in tensors if is_statistic(name)]):
        buffer.data = tensor.double().clone()
    tensors = [(name, tensor) for name, tensor in tensors if not is_statistic(name)]
    parameters = list(model.parameters())
    if len(parameters) != len(tensors):
        raise AssertionError(f"{len(tensors)} tensors for {len(parameters)} parameters")
    for parameter, (name, tensor) in zip(parameters, tensors):
        if parameter.shape != tensor.shape:
            raise AssertionError(f"{name} is {tuple(tensor.shape)}, PyTorch has {tuple(parameter.shape)}")
        parameter.data = tensor.double().clone()
    return model
