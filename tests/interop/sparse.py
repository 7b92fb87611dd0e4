"""Sparse models beside NumPy and scikit-learn: the same steps give the same loss, LIBLINEAR's accuracy, and the measures of two classes."""
import json
import os
import subprocess

import numpy
import scipy.sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from report import require

RATE, BATCH, EPOCHS = 0.05, 100, 3


def train(trireme, folder, data, *options):
    """A run's summary."""
    result = subprocess.run([trireme, "train", "sparse-lr", "--data", data, "--json", "--quiet", *options],
                            cwd=folder, capture_output=True, text=True)
    require(result.returncode == 0, result.stderr.strip())
    return json.loads(result.stdout.splitlines()[-1])


def make(folder, name, rows, features, seed):
    """Rows of ten features each, whose labels follow weights that both files share, with noise."""
    generator = numpy.random.default_rng(seed)
    weights = numpy.random.default_rng(0).normal(size=features)
    keys = numpy.concatenate([generator.choice(features, 10, replace=False) for _ in range(rows)])
    matrix = scipy.sparse.csr_matrix((generator.normal(size=10 * rows), keys, numpy.arange(0, 10 * rows + 1, 10)), shape=(rows, features))
    labels = (generator.random(rows) < 1 / (1 + numpy.exp(-(matrix @ weights)))).astype(int)
    path = os.path.join(folder, name)
    dump_svmlight_file(matrix, 2 * labels - 1, path, zero_based=False)
    return path


def mean_loss(matrix, labels, weights, bias):
    score = matrix @ weights + bias
    return numpy.logaddexp(0, numpy.where(labels > 0, -score, score)).mean()


def reference(matrix, labels, rule):
    """Logistic regression by sgd or adagrad in double precision, in the order of the file; the loss afterwards."""
    weights, bias = numpy.zeros(matrix.shape[1]), 0.0
    squares, bias_squares = numpy.zeros_like(weights), 0.0
    for first in list(range(0, matrix.shape[0], BATCH)) * EPOCHS:
        rows, wanted = matrix[first:first + BATCH], labels[first:first + BATCH]
        slope = (1 / (1 + numpy.exp(-(rows @ weights + bias))) - wanted) / rows.shape[0]
        gradient, bias_gradient = rows.T @ slope, slope.sum()
        if rule == "adagrad":
            squares += gradient ** 2
            bias_squares += bias_gradient ** 2
            gradient = gradient / (numpy.sqrt(squares) + 1e-8)
            bias_gradient = bias_gradient / (numpy.sqrt(bias_squares) + 1e-8)
        weights -= RATE * gradient
        bias -= RATE * bias_gradient
    return mean_loss(matrix, labels, weights, bias)


def same_steps(trireme, folder, path, rule):
    matrix, labels = load_svmlight_file(path, dtype=numpy.float64)
    ours = train(trireme, folder, path, "--test", path, "--rule", rule, "--rate", str(RATE), "--batch", str(BATCH), "--epochs", str(EPOCHS),
                 "--shuffle", "0", "--deterministic", "--out", f"steps-{rule}")["test_loss"]
    theirs = reference(matrix, (labels > 0).astype(float), rule)
    require(abs(ours - theirs) <= 1e-6 * theirs, f"a loss of {ours}, NumPy's is {theirs}")
    return f"loss {ours:.7f}, NumPy's {theirs:.7f}"


def without_locks(trireme, folder, path):
    options = ("--test", path, "--rule", "sgd", "--rate", "0.5", "--epochs", "2", "--shuffle", "0")
    exact = train(trireme, folder, path, *options, "--deterministic", "--out", "exact")["test_logloss"]
    quick = train(trireme, folder, path, *options, "--threads", "4", "--out", "quick")["test_logloss"]
    require(abs(quick - exact) <= 0.005 * exact, f"a log loss of {quick} without locks, {exact} with them")
    return f"log loss {quick:.5f} without locks, {exact:.5f} with them"


def liblinear(trireme, folder, train_path, test_path):
    matrix, labels = load_svmlight_file(train_path)
    matrix.indices, matrix.indptr = matrix.indices.astype(numpy.int32), matrix.indptr.astype(numpy.int32)  # as LIBLINEAR wants them
    test, test_labels = load_svmlight_file(test_path, n_features=matrix.shape[1])
    theirs = LogisticRegression(solver="liblinear", C=1.0, max_iter=1000, tol=1e-6).fit(matrix, labels).score(test, test_labels)
    ours = train(trireme, folder, train_path, "--test", test_path, "--features", str(matrix.shape[1]), "--rule", "adagrad", "--rate", "0.2",
                 "--l2", str(1 / matrix.shape[0]), "--batch", "500", "--epochs", "40", "--eval-every", "end", "--out", "liblinear")["test_accuracy"]
    require(abs(ours - theirs) <= 0.002, f"accuracy {ours:.4f}, LIBLINEAR's is {theirs:.4f}")
    return f"accuracy {ours:.4f}, LIBLINEAR's {theirs:.4f}"


def first_run(trireme, folder, train_path, test_path):
    """What a first-time user gets, who passes no option of the learning."""
    matrix, labels = load_svmlight_file(train_path)
    test, test_labels = load_svmlight_file(test_path, n_features=matrix.shape[1])
    theirs = LogisticRegression(max_iter=1000).fit(matrix, labels).score(test, test_labels)
    ours = train(trireme, folder, train_path, "--test", test_path, "--features", str(matrix.shape[1]), "--out", "first")["test_accuracy"]
    require(ours >= theirs - 0.01, f"accuracy {ours:.4f}, scikit-learn's is {theirs:.4f}")
    return f"accuracy {ours:.4f}, scikit-learn's {theirs:.4f}"


def measures(trireme, folder, test_path):
    def ask(command, *options):
        result = subprocess.run([trireme, command, "liblinear", "--data", test_path, *options], cwd=folder, capture_output=True, text=True)
        require(result.returncode == 0, result.stderr.strip())
        return result.stdout

    told = json.loads(ask("eval", "--json"))
    labels = load_svmlight_file(test_path)[1] > 0
    predicted = numpy.array([row["probabilities"][1] for row in json.loads(ask("predict", "--json"))["rows"]])
    theirs = {"test_auc": roc_auc_score(labels, predicted), "test_logloss": log_loss(labels, predicted),
              "test_calibration": predicted.mean() / labels.mean()}
    for key, value in theirs.items():
        require(abs(told[key] - value) <= 1e-5, f"{key} {told[key]}, scikit-learn's is {value}")
    return ", ".join(f"{key[5:]} {value:.5f}" for key, value in theirs.items())


def run(report, trireme, folder):
    trireme = os.path.abspath(trireme)
    train_path, test_path = make(folder, "some.libsvm", 20000, 2000, 1), make(folder, "others.libsvm", 20000, 2000, 2)
    for rule in ("sgd", "adagrad"):
        report.check(f"sparse logistic regression by {rule}, as NumPy computes it", lambda rule=rule: same_steps(trireme, folder, train_path, rule))
    report.check("sparse logistic regression, threads without locks", lambda: without_locks(trireme, folder, train_path))
    report.check("sparse logistic regression, as accurate as LIBLINEAR", lambda: liblinear(trireme, folder, train_path, test_path))
    report.check("sparse logistic regression without options, beside scikit-learn", lambda: first_run(trireme, folder, train_path, test_path))
    report.check("AUC, log loss and calibration, as scikit-learn has them", lambda: measures(trireme, folder, test_path))
