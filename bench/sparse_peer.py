"""Sparse models of other people's programs, on click rows of 39 features. The last line is a JSON object.

usage: sparse_peer.py vw DATA ROWS [OPTION=VALUE…]                    one pass over a file in Vowpal Wabbit's format, or over its cache
       sparse_peer.py torch|tensorflow|torch-fm FOLDER FEATURES BATCH SECONDS   keys.i32 and labels.i32 of the folder, in memory, plain SGD
"""
import json
import os
import sys
import time

FIELDS, WIDTH, RATE = 39, 8, 0.1


def rows_of(folder):
    import numpy
    keys = numpy.fromfile(os.path.join(folder, "keys.i32"), numpy.int32).reshape(-1, FIELDS)
    return keys, numpy.fromfile(os.path.join(folder, "labels.i32"), numpy.int32)


def measure(step, batches, seconds):
    """Rows a second of step(i), after one that warms up."""
    step(0)
    step(1 % batches)
    begin, done = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        step(done % batches)
        done += 1
    return done / (time.perf_counter() - begin)


def torch_step(keys, labels, features, batch, factors):
    import torch
    keys, labels = torch.from_numpy(keys).long(), torch.from_numpy(labels).float()
    bias = torch.zeros(1, requires_grad=True)
    linear = torch.nn.EmbeddingBag(features, 1, mode="sum", sparse=True)
    parameters = [bias, linear.weight]
    with torch.no_grad():
        linear.weight.zero_()
    if factors:
        table = torch.nn.Embedding(features, WIDTH, sparse=True)
        with torch.no_grad():
            table.weight.normal_(0, 0.01)
        parameters.append(table.weight)
    optimiser = torch.optim.SGD(parameters, lr=RATE)

    def step(i):
        mine, wanted = keys[i * batch:(i + 1) * batch], labels[i * batch:(i + 1) * batch]
        optimiser.zero_grad()
        score = linear(mine).squeeze(1) + bias
        if factors:
            rows = table(mine)
            score = score + 0.5 * (rows.sum(1).pow(2) - rows.pow(2).sum(1)).sum(1)
        torch.nn.functional.binary_cross_entropy_with_logits(score, wanted).backward()
        optimiser.step()

    return step


def tensorflow_step(keys, labels, features, batch):
    import tensorflow as tf
    weights, bias = tf.Variable(tf.zeros([features])), tf.Variable(0.0)
    keys, labels = tf.constant(keys), tf.constant(labels, tf.float32)

    @tf.function
    def step(i):
        mine, wanted = keys[i * batch:(i + 1) * batch], labels[i * batch:(i + 1) * batch]
        slope = (tf.sigmoid(tf.reduce_sum(tf.gather(weights, mine), 1) + bias) - wanted) * (RATE / batch)
        weights.scatter_sub(tf.IndexedSlices(tf.repeat(slope, FIELDS), tf.reshape(mine, [-1])))
        bias.assign_sub(tf.reduce_sum(slope))

    return lambda i: step(tf.constant(i))


def vowpal_wabbit(path, rows, options):
    import vowpalwabbit
    settings = dict(option.split("=", 1) for option in options)
    settings = {key: True if value == "on" else value for key, value in settings.items()}
    learner = {"b": 25, "loss_function": "logistic", "quiet": True, **{key: settings.pop(key) for key in ("sgd",) if key in settings}}
    begin = time.perf_counter()
    vowpalwabbit.Workspace(**learner).finish()  # makes its tables; that time does not count
    middle = time.perf_counter()
    workspace = vowpalwabbit.Workspace(d=path, **learner, **settings)
    took = max(time.perf_counter() - middle - (middle - begin), 1e-3)
    loss = workspace.get_sum_loss() / max(1, workspace.get_weighted_examples())
    workspace.finish()
    return {"rows/s": rows / took, "log loss": loss}


def main():
    what, where, *rest = sys.argv[1:]
    if what == "vw":
        print(json.dumps(vowpal_wabbit(where, int(rest[0]), rest[1:])))
        return
    features, batch, seconds = int(rest[0]), int(rest[1]), float(rest[2])
    keys, labels = rows_of(where)
    step = tensorflow_step(keys, labels, features, batch) if what == "tensorflow" else torch_step(keys, labels, features, batch, what == "torch-fm")
    print(json.dumps({"rows/s": batch * measure(step, len(labels) // batch, seconds)}))


if __name__ == "__main__":
    main()
