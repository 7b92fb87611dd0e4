"""TFRecord files, both ways: TensorFlow reads what Trireme wrote, Trireme reads what TensorFlow wrote, both notice damage.

tests/interop/records.c says which records there are.
"""
import glob
import json
import os
import subprocess

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy  # noqa: E402
import tensorflow as tf  # noqa: E402

from report import require  # noqa: E402

KINDS = {"": "", ".gz": "GZIP", ".z": "ZLIB"}
CLICKS, PICTURES, SHAPE = 50, 5, (6, 4, 3)


def click(number):
    index = [j * 1000003 + number for j in range(number + 1)]
    return {"index": index, "value": [j / 4 - number for j in range(number + 1)], "label": number % 2}


def pixels(number):
    return (7 * number + 3 * numpy.arange(numpy.prod(SHAPE))).astype(numpy.uint8).reshape(SHAPE)


def photo(number):
    return tf.io.encode_jpeg(pixels(number), quality=95).numpy()


def decode(jpeg):
    return tf.io.decode_jpeg(jpeg, dct_method="INTEGER_ACCURATE").numpy()


def integers(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def text(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def example(features):
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def click_example(number):
    wanted = click(number)
    return example({"index": integers(*wanted["index"]), "value": floats(*wanted["value"]), "label": integers(wanted["label"])})


def picture_example(number, encoded):
    content = {"image/encoded": text(photo(number))} if encoded else {"image/raw": text(pixels(number).tobytes())}
    size = dict(zip(("image/height", "image/width", "image/channels"), map(integers, SHAPE)))
    return example(content | size | {"image/class/label": integers(number % 3), "image/class/text": text(b"class %d" % (number % 3))})


def call(program, *arguments):
    result = subprocess.run([program, *arguments], capture_output=True, text=True)
    require(result.returncode == 0, f"{' '.join((program, *arguments))}: {result.stderr.strip()}")
    return result.stdout


def read_ours(program, path):
    return [json.loads(line) for line in call(program, "read", path).splitlines()]


def parse(record):
    return tf.train.Example.FromString(record.numpy()).features.feature


def tensorflow_reads_clicks(folder, ending):
    records = list(tf.data.TFRecordDataset(os.path.join(folder, "clicks" + ending), compression_type=KINDS[ending]))
    require(len(records) == CLICKS, f"{len(records)} records instead of {CLICKS}")
    for number, record in enumerate(records):
        found = parse(record)
        wanted = click(number)
        require(list(found["index"].int64_list.value) == wanted["index"], f"indices of record {number} differ")
        require(list(found["value"].float_list.value) == wanted["value"], f"values of record {number} differ")
        require(list(found["label"].int64_list.value) == [wanted["label"]], f"the label of record {number} differs")
    return f"{CLICKS} clicks"


def batches_are_parsed(folder):
    """As a training program would: batched parse_example with a schema."""
    schema = {"index": tf.io.VarLenFeature(tf.int64), "value": tf.io.VarLenFeature(tf.float32), "label": tf.io.FixedLenFeature([], tf.int64)}
    records = tf.data.TFRecordDataset(os.path.join(folder, "clicks")).batch(CLICKS)
    parsed = tf.io.parse_example(next(iter(records)), schema)
    wanted = sum((click(number)["index"] for number in range(CLICKS)), [])
    require(parsed["index"].values.numpy().tolist() == wanted, "indices differ")
    require(parsed["label"].numpy().tolist() == [number % 2 for number in range(CLICKS)], "labels differ")
    return f"{len(wanted)} indices"


def tensorflow_reads_pictures(program, folder, sort, ending):
    records = list(tf.data.TFRecordDataset(os.path.join(folder, sort + ending), compression_type=KINDS[ending]))
    require(len(records) == PICTURES, f"{len(records)} records instead of {PICTURES}")
    worst, ours_seen = 0, read_ours(program, os.path.join(folder, sort + ending))
    for number, record in enumerate(records):
        found = parse(record)
        require(found["image/class/label"].int64_list.value == [number % 3], f"the label of record {number} differs")
        require(found["image/class/text"].bytes_list.value == [b"class %d" % (number % 3)], f"the class of record {number} differs")
        if sort == "raw":
            shape = [found[f"image/{side}"].int64_list.value[0] for side in ("height", "width", "channels")]
            seen = numpy.frombuffer(found["image/raw"].bytes_list.value[0], numpy.uint8).reshape(shape)
            require((seen == pixels(number)).all(), f"pixels of record {number} differ")
        else:
            seen = decode(found["image/encoded"].bytes_list.value[0])
            require(seen.shape == SHAPE, f"record {number} has shape {seen.shape}")
            worst = max(worst, int(abs(seen.astype(int).ravel() - ours_seen[number]["pixels"]).max()))
    require(worst <= 2, f"decoded pixels differ by up to {worst}")
    return f"{PICTURES} pictures" + (f", decoded pixels differ by up to {worst}" if sort == "encoded" else "")


def we_read_clicks(program, folder, ending):
    path = os.path.join(folder, "theirs-clicks" + ending)
    with tf.io.TFRecordWriter(path, KINDS[ending]) as writer:
        for number in range(CLICKS):
            writer.write(click_example(number))
    seen = read_ours(program, path)
    require(seen == [click(number) for number in range(CLICKS)], f"records differ: {seen[:2]} …")
    return f"{CLICKS} clicks"


def we_read_pictures(program, folder, encoded, ending):
    path = os.path.join(folder, f"theirs-pictures-{encoded}" + ending)
    with tf.io.TFRecordWriter(path, KINDS[ending]) as writer:
        for number in range(PICTURES):
            writer.write(picture_example(number, encoded))
    seen = read_ours(program, path)
    require(len(seen) == PICTURES, f"{len(seen)} records instead of {PICTURES}")
    for number, record in enumerate(seen):
        require((record["label"], record["class"]) == (number % 3, f"class {number % 3}"), f"the class of record {number} differs")
        wanted = decode(photo(number)) if encoded else pixels(number)
        difference = abs(wanted.astype(int).ravel() - record["pixels"]).max()
        require(difference <= (2 if encoded else 0), f"pixels of record {number} differ by up to {difference}")
    return f"{PICTURES} pictures"


def both_notice_damage(program, folder):
    """One byte of the data of record 7, then one of its length, is changed in a copy of the file."""
    with open(os.path.join(folder, "clicks"), "rb") as file:
        sound = file.read()
    at = 0
    for _ in range(7):
        at += 16 + int.from_bytes(sound[at:at + 8], "little")
    for offset, before in ((at + 40, "data"), (at + 1, "length")):
        path = os.path.join(folder, f"damaged-{before}")
        with open(path, "wb") as file:
            file.write(sound[:offset] + bytes([sound[offset] ^ 16]) + sound[offset + 1:])
        good = 0
        try:
            for _ in tf.data.TFRecordDataset(path):
                good += 1
            require(False, f"TensorFlow did not notice a damaged {before}")
        except tf.errors.DataLossError:
            require(good == 7, f"TensorFlow read {good} records before a damaged {before}")
        seen = read_ours(program, path)
        message = seen[7].get("damaged", "")
        require(f"record 7 at byte {at}" in message, f"ours said of a damaged {before}: {message or 'nothing'}")
        require(len(seen) == (CLICKS if before == "data" else 8), f"ours gave {len(seen)} records around a damaged {before}")
        require(sum("damaged" in record for record in seen) == 1, "ours called more than one record damaged")
    return "data and length"


def made_clicks(trireme, folder):
    """What `data make clicks --format tfrecord` writes."""
    out = os.path.join(folder, "made")
    call(trireme, "data", "make", "clicks", "--count", "1000", "--features", "100000", "--format", "tfrecord", "--out", out, "--quiet")
    paths = sorted(path for path in glob.glob(os.path.join(out, "**"), recursive=True) if "tfrecord" in os.path.basename(path))
    require(paths, f"no TFRecord files in {out}")
    seen = [parse(record) for record in tf.data.TFRecordDataset(paths)]
    told = json.loads(call(trireme, "data", "info", out, "--json").splitlines()[-1])
    require(len(seen) == told["records"], f"TensorFlow reads {len(seen)} records, data info says {told['records']}")
    require(all(len(found["index"].int64_list.value) == len(found["value"].float_list.value) == 39 for found in seen), "not 39 features")
    require(told["damaged"] == 0, f"data info calls {told['damaged']} damaged")
    return f"{len(seen)} clicks"


def run(report, trireme, program, folder):
    report.check("TFRecord: files for TensorFlow are written", lambda: call(program, "write", folder))
    for ending, kind in KINDS.items():
        kind = kind.lower() or "plain"
        report.check(f"TFRecord: TensorFlow reads our clicks, {kind}", lambda: tensorflow_reads_clicks(folder, ending))
        report.check(f"TFRecord: we read TensorFlow's clicks, {kind}", lambda: we_read_clicks(program, folder, ending))
        for sort in ("raw", "encoded"):
            report.check(f"TFRecord: TensorFlow reads our pictures, {sort}, {kind}", lambda: tensorflow_reads_pictures(program, folder, sort, ending))
            report.check(f"TFRecord: we read TensorFlow's pictures, {sort}, {kind}",
                         lambda: we_read_pictures(program, folder, sort == "encoded", ending))
    report.check("TFRecord: parse_example takes our clicks", lambda: batches_are_parsed(folder))
    report.check("TFRecord: both notice damage", lambda: both_notice_damage(program, folder))
    report.check("TFRecord: TensorFlow reads what data make writes", lambda: made_clicks(trireme, folder))
