"""Photos decoded, resized and written as TFRecord files by Spark. usage: spark_peer.py SIDE FOLDER OUT
Prints {"finished": wall time when the files of the first pass were there, "rate": photos/s of a second pass, which finds all warm}.
Python workers decode with Pillow and write with TensorFlow's own writer, a partition each: the quickest way that Spark has to do so."""
import glob
import json
import os
import sys
import time

PARTITIONS = 8


def write_partition(number, photos, side, out):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf
    from PIL import Image

    def feature(values, kind, wrap):
        return tf.train.Feature(**{kind: wrap(value=values)})

    path = os.path.join(out, f"part-{number:05d}.tfrecord")
    count = 0
    with tf.io.TFRecordWriter(path + ".tmp") as writer:
        for photo, label in photos:
            with Image.open(photo) as image:
                pixels = image.convert("RGB").resize((side, side), Image.BILINEAR).tobytes()
            features = {"image/raw": feature([pixels], "bytes_list", tf.train.BytesList)}
            for name, value in (("height", side), ("width", side), ("channels", 3), ("class/label", label)):
                features["image/" + name] = feature([value], "int64_list", tf.train.Int64List)
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
            count += 1
    os.rename(path + ".tmp", path)
    return [count]


def convert(context, photos, side, out):
    os.makedirs(out)
    parts = context.parallelize(photos, PARTITIONS)
    return parts.mapPartitionsWithIndex(lambda number, items: write_partition(number, items, side, out)).sum()


def main():
    from pyspark import SparkConf, SparkContext

    side, folder, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    classes = sorted(os.listdir(folder))
    photos = [(path, label) for label, name in enumerate(classes) for path in sorted(glob.glob(os.path.join(folder, name, "*.jpg")))]
    conf = SparkConf().setMaster("local[2]").setAppName("photos").set("spark.ui.enabled", "false")
    conf.set("spark.ui.showConsoleProgress", "false")
    os.environ["PYSPARK_PYTHON"] = sys.executable  # workers need its packages, too
    context = SparkContext(conf=conf)
    context.setLogLevel("ERROR")
    assert convert(context, photos, side, os.path.join(out, "first")) == len(photos)
    finished = time.time()
    assert convert(context, photos, side, os.path.join(out, "second")) == len(photos)
    rate = len(photos) / (time.time() - finished)
    context.stop()
    print(json.dumps({"finished": finished, "rate": rate}))


main()
