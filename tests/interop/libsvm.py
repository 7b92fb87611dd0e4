"""LIBSVM text as scikit-learn reads it and as Trireme does, and what Trireme writes read by scikit-learn."""
import gzip
import os
import random
import subprocess

import numpy
import scipy.sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from report import require

ODD = ("# a comment\n\n"
       "+1 1:0.5 3:-2.25e-3 7:1e10 # another\n"
       "-1\t2:.5\t4:5.\r\n"
       "-1 qid:3 1:1\n"
       "   \n"
       "+1\n"
       "-1 5:0.1234567890123456789 9:16777217 12:1.17549435e-38 13:3.4028234e38 14:1e-45")


def read_ours(program, path, features=0):
    result = subprocess.run([program, path, str(features)], capture_output=True, text=True)
    require(result.returncode == 0, result.stderr.strip())
    head, *lines = result.stdout.splitlines()
    examples, columns, classes = map(int, head.split())
    labels, values, keys, ends = [], [], [], [0]
    for line in lines:
        label, *features = line.split()
        labels.append(int(label))
        for feature in features:
            key, value = feature.split(":")
            keys.append(int(key))
            values.append(float.fromhex(value))
        ends.append(len(keys))
    require(len(labels) == examples, f"{len(labels)} lines for {examples} examples")
    return scipy.sparse.csr_matrix((numpy.float32(values), keys, ends), shape=(examples, columns)), numpy.array(labels), classes


def compare(program, path, classes_of):
    """Every bit of every value; classes_of: their labels → class numbers."""
    ours, labels, classes = read_ours(program, path)
    theirs, their_labels = load_svmlight_file(path, dtype=numpy.float64)
    expected = numpy.array([classes_of(label) for label in their_labels])
    require(ours.shape == theirs.shape, f"{ours.shape} where scikit-learn sees {theirs.shape}")
    require(bool((labels == expected).all()), "labels differ")
    require(classes == max(2, expected.max() + 1), f"{classes} classes")
    require(bool((ours.indptr == theirs.indptr).all() and (ours.indices == theirs.indices).all()), "features differ")
    with numpy.errstate(over="ignore"):
        rounded = theirs.data.astype(numpy.float32)
    require(bool((ours.data.view(numpy.uint32) == rounded.view(numpy.uint32)).all()), "values differ")
    return f"{ours.shape[0]} × {ours.shape[1]}, {ours.nnz} values"


def write_random(path, classes, zero_based):
    matrix = scipy.sparse.random(3000, 5000, density=0.01, random_state=1, format="csr")
    matrix.data = (matrix.data - 0.5) * 10.0 ** numpy.random.default_rng(1).integers(-6, 6, matrix.nnz)
    labels = numpy.random.default_rng(2).integers(0, classes, 3000)
    matrix = matrix.tolil()
    matrix[0, 0] = 1  # the first and the last feature are there, so that both see how they are counted and how many there are
    matrix[1, 4999] = 1
    dump_svmlight_file(matrix.tocsr(), labels, path, zero_based=zero_based, comment="made by scikit-learn")


def theirs_from_zero(program, folder):
    path = os.path.join(folder, "zero.libsvm")
    write_random(path, 5, True)
    return compare(program, path, int)


def theirs_from_one(program, folder):
    path = os.path.join(folder, "one.libsvm")
    write_random(path, 2, False)
    return compare(program, path, int)


def odd(program, folder):
    path = os.path.join(folder, "odd.libsvm")
    with open(path, "w", newline="") as file:
        file.write(ODD)
    return compare(program, path, lambda label: int(label > 0))


def compressed(program, folder):
    path = os.path.join(folder, "some.libsvm.gz")
    generator = random.Random(1)
    with gzip.open(path, "wt") as file:
        for _ in range(500):
            keys = sorted(generator.sample(range(1, 1000), 20))
            file.write(f"{generator.choice([1, 2, 3])} " + " ".join(f"{key}:{generator.gauss(0, 1)!r}" for key in keys) + "\n")
    return compare(program, path, lambda label: int(label) - 1)


def ours_by_them(program, trireme, folder):
    out = os.path.join(folder, "clicks")
    subprocess.run([trireme, "data", "make", "clicks", "--out", out, "--format", "libsvm", "--count", "3000", "--features", "20000",
                    "--partitions", "1", "--quiet"], check=True, capture_output=True)
    return compare(program, os.path.join(out, "train-00000-of-00001.libsvm"), int)


def run(report, trireme, program, folder):
    report.check("LIBSVM by scikit-learn, indices from 0, 5 classes", lambda: theirs_from_zero(program, folder))
    report.check("LIBSVM by scikit-learn, indices from 1, 2 classes", lambda: theirs_from_one(program, folder))
    report.check("LIBSVM with comments, blanks, tabs, queries and odd numbers", lambda: odd(program, folder))
    report.check("LIBSVM in a gzip file, classes from 1", lambda: compressed(program, folder))
    report.check("LIBSVM by data make clicks, read by scikit-learn", lambda: ours_by_them(program, trireme, folder))
