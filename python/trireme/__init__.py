"""Trireme from Python: train on NumPy arrays or any source that the command knows, predict, and run jobs on several workers.

    import trireme

    data = trireme.Dataset.from_arrays(x, y)          # nothing is copied
    model = trireme.train("lenet", data, epochs=3, progress=print)
    model.save("digits.safetensors")
    trireme.load("digits.safetensors").predict(x)     # probabilities of the classes
    trireme.run("lenet", data="fashion", strategy="ps", workers=2)    # the command; gives its summary
"""

from trireme.command import JobFailed, run
from trireme.data import Dataset
from trireme.native import TriremeError
from trireme.trained import Model, load
from trireme.training import Progress, train

__all__ = ["Dataset", "JobFailed", "Model", "Progress", "TriremeError", "load", "run", "train"]
