"""How fast scikit-learn reads LIBSVM text. usage: sklearn_peer.py FILE; prints {"parse": MB/s}, of one call, after the imports."""
import json
import os
import sys
import time

import numpy
from sklearn.datasets import load_svmlight_file

path = sys.argv[1]
with open(path, "rb") as file:  # now the file is in memory, as it is for all contenders
    while file.read(1 << 24):
        pass
start = time.perf_counter()
load_svmlight_file(path, dtype=numpy.float32)
print(json.dumps({"parse": os.path.getsize(path) / 1e6 / (time.perf_counter() - start)}))
