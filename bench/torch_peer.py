"""PyTorch's training step. usage: torch_peer.py MODEL BATCH STEPS eager|channels-last|compiled
Prints {"rate": examples/s, "first_step": the wall time at which the first step had ended}. Batches are ready-made tensors in memory."""
import json
import sys
import time

import torch
from torch import nn

from layer_models import L2, LARGE, MOBILE_BLOCKS


def softmax():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 10))


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 3), nn.ReLU(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 3), nn.ReLU(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def alexnet():
    return nn.Sequential(
        nn.Conv2d(3, 64, 11, stride=4, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(inplace=True),
        nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True),
        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
        nn.Flatten(), nn.Dropout(), nn.Linear(9216, 4096), nn.ReLU(inplace=True),
        nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, 1000))


def normed(inputs, outputs, size, stride=1, groups=1):
    return [nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.way = nn.Sequential(*normed(inputs, outputs, 3, stride), nn.ReLU(inplace=True), *normed(outputs, outputs, 3))
        self.shortcut = nn.Identity() if stride == 1 else nn.Sequential(*normed(inputs, outputs, 1, stride))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.way(x) + self.shortcut(x))


def resnet20():
    blocks = [Residual(max(16, channels // (2 if first else 1)), channels, 2 if first and channels > 16 else 1)
              for channels in (16, 32, 64) for first in (True, False, False)]
    return nn.Sequential(*normed(3, 16, 3), nn.ReLU(inplace=True), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def mobilenet():
    parts, inputs = [*normed(3, 32, 3, 2), nn.ReLU(inplace=True)], 32
    for outputs, stride in MOBILE_BLOCKS:
        parts += [*normed(inputs, inputs, 3, stride, inputs), nn.ReLU(inplace=True), *normed(inputs, outputs, 1), nn.ReLU(inplace=True)]
        inputs = outputs
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000))


MODELS = {"softmax": (softmax, (1, 28, 28), 10), "lenet": (lenet, (1, 28, 28), 10), "alexnet": (alexnet, (3, 224, 224), 1000),
          "resnet20": (resnet20, (3, 32, 32), 10), "mobilenet": (mobilenet, (3, 224, 224), 1000)}


def main():
    name, batch, steps, mode = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    make, shape, classes = MODELS[name]
    model = make()
    layout = torch.channels_last if mode == "channels-last" else torch.contiguous_format
    if mode == "channels-last":
        model = model.to(memory_format=torch.channels_last)
    # momentum as in the models' own lines; softmax has plain sgd
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0 if name == "softmax" else 0.9, weight_decay=L2.get(name, 0))
    batches = [(torch.rand(batch, *shape).contiguous(memory_format=layout), torch.randint(classes, (batch,)))
               for _ in range(1 if name in LARGE else 8)]
    forward = torch.compile(model) if mode == "compiled" else model
    loss_of = nn.CrossEntropyLoss()

    def step(number):
        x, y = batches[number % len(batches)]
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(forward(x), y)
        loss.backward()
        optimizer.step()
        return loss

    step(0).item()
    first_step = time.time()
    if name not in LARGE:
        for number in range(10):
            step(number)
    start = time.perf_counter()
    for number in range(steps):
        loss = step(number)
    loss.item()
    print(json.dumps({"rate": batch * steps / (time.perf_counter() - start), "first_step": first_step}))


if __name__ == "__main__":
    main()
