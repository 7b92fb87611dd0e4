"""tf.data on click records, with all CPUs. usage: tensorflow_records.py FOLDER SECONDS
Prints {"records_per_second": …}: batches of 1,024 parsed by parse_example into dense tensors; files read one after another or in parallel,
whichever is quicker (handing single small records between threads costs more than reading them)."""
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


def rate(paths, reads, seconds):
    records = tf.data.TFRecordDataset(paths, num_parallel_reads=reads).repeat().batch(BATCH)
    parsed = records.map(lambda batch: tf.io.parse_example(batch, SCHEMA), num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)
    batches = iter(parsed.prefetch(tf.data.AUTOTUNE))
    for _ in range(100):  # AUTOTUNE finds its settings
        next(batches)
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        next(batches)
        count += BATCH
    return count / (time.perf_counter() - begin)


def main():
    folder, seconds = sys.argv[1], float(sys.argv[2])
    paths = sorted(glob.glob(os.path.join(folder, "clicks-*")))
    print(json.dumps({"records_per_second": max(rate(paths, reads, seconds) for reads in (None, tf.data.AUTOTUNE))}))


if __name__ == "__main__":
    main()
