"""Photos to batches by tf.data and by PyTorch's DataLoader. usage: photos_peer.py tf.data|tf.data-half|DataLoader SIDE SECONDS FOLDER
Prints {"rate": photos/s}. tf.data-half decodes at half scale (ratio=2), whatever the photo's size. One folder a class, 32 photos a batch, two
decoding threads or processes: as many as Trireme gets."""
import glob
import json
import os
import sys
import time

BATCH = 32
WORKERS = 2


def photos(folder):
    return sorted(glob.glob(os.path.join(folder, "*", "*.jpg")) or glob.glob(os.path.join(folder, "train", "*", "*.jpg")))


def tensorflow_batches(paths, side, ratio):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    def load(path):
        pixels = tf.io.decode_jpeg(tf.io.read_file(path), channels=3, ratio=ratio)
        return tf.cast(tf.image.resize(pixels, [side, side]), tf.uint8)

    data = tf.data.Dataset.from_tensor_slices(paths).repeat().shuffle(len(paths), seed=1)
    return iter(data.map(load, num_parallel_calls=WORKERS, deterministic=True).batch(BATCH).prefetch(tf.data.AUTOTUNE))


def torch_batches(paths, side):
    import numpy
    import torch
    from PIL import Image

    class Photos(torch.utils.data.Dataset):
        def __len__(self):
            return 1 << 30

        def __getitem__(self, index):
            with Image.open(paths[index * 7919 % len(paths)]) as photo:
                return torch.from_numpy(numpy.array(photo.convert("RGB").resize((side, side), Image.Resampling.BILINEAR)))

    return iter(torch.utils.data.DataLoader(Photos(), batch_size=BATCH, num_workers=WORKERS))


def main():
    what, side, seconds, folder = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    paths = photos(folder)
    batches = torch_batches(paths, side) if what == "DataLoader" else tensorflow_batches(paths, side, 2 if what.endswith("half") else 1)
    for _ in range(4):  # starts threads and processes and reads the files once
        next(batches)
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        count += len(next(batches))
    print(json.dumps({"rate": count / (time.perf_counter() - begin)}), flush=True)
    os._exit(0)  # does not wait for worker processes


if __name__ == "__main__":
    main()
