"""tf.data on click records, with all CPUs. usage: tensorflow_records.py FOLDER SECONDS
Prints {"records_per_second": …}: files read in parallel, batches of 1,024 parsed by parse_example into dense tensors."""
import glob
import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # after its setting, which it reads when it is loaded

FIELDS, BATCH = 39, 1024
SCHEMA = {"index": tf.io.FixedLenFeature([FIELDS], tf.int64), "value": tf.io.FixedLenFeature([FIELDS], tf.float32),
          "label": tf.io.FixedLenFeature([], tf.int64)}


def main():
    folder, seconds = sys.argv[1], float(sys.argv[2])
    paths = sorted(glob.glob(os.path.join(folder, "clicks-*")))
    records = tf.data.TFRecordDataset(paths, num_parallel_reads=tf.data.AUTOTUNE).repeat().batch(BATCH)
    parsed = records.map(lambda batch: tf.io.parse_example(batch, SCHEMA), num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)
    batches = iter(parsed.prefetch(tf.data.AUTOTUNE))
    for _ in range(100):  # AUTOTUNE finds its settings
        next(batches)
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        next(batches)
        count += BATCH
    print(json.dumps({"records_per_second": count / (time.perf_counter() - begin)}))


if __name__ == "__main__":
    main()
