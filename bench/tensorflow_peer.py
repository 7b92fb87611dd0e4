"""TensorFlow's training step. usage: tensorflow_peer.py MODEL BATCH STEPS graph|xla
Prints {"rate": examples/s, "first_step": the wall time at which the first step had ended}. Batches are ready-made tensors in memory."""
import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # after its setting, which it reads when it is loaded

from layer_models import L2, LARGE, MOBILE_BLOCKS

layers = tf.keras.layers


def softmax():
    return [layers.Flatten(), layers.Dense(10)]


def lenet():
    return [
        layers.Conv2D(6, 3, activation="relu"), layers.AveragePooling2D(2),
        layers.Conv2D(16, 3, activation="relu"), layers.AveragePooling2D(2),
        layers.Flatten(), layers.Dense(120, activation="relu"), layers.Dense(84, activation="relu"), layers.Dense(10)]


def alexnet():
    return [
        layers.ZeroPadding2D(2), layers.Conv2D(64, 11, strides=4, activation="relu"), layers.MaxPooling2D(3, 2),
        layers.Conv2D(192, 5, padding="same", activation="relu"), layers.MaxPooling2D(3, 2),
        layers.Conv2D(384, 3, padding="same", activation="relu"),
        layers.Conv2D(256, 3, padding="same", activation="relu"),
        layers.Conv2D(256, 3, padding="same", activation="relu"), layers.MaxPooling2D(3, 2),
        layers.Flatten(), layers.Dropout(0.5), layers.Dense(4096, activation="relu"),
        layers.Dropout(0.5), layers.Dense(4096, activation="relu"), layers.Dense(1000)]


def normed(x, channels, size, stride=1):
    """Padded on both sides, as the others do it: Keras' own padding of strided layers differs."""
    padded = layers.ZeroPadding2D(size // 2)(x) if size > 1 else x
    return layers.BatchNormalization()(layers.Conv2D(channels, size, strides=stride, use_bias=False)(padded))


def normed_depthwise(x, stride):
    return layers.BatchNormalization()(layers.DepthwiseConv2D(3, strides=stride, use_bias=False)(layers.ZeroPadding2D(1)(x)))


def residual(x, channels, stride):
    way = normed(layers.ReLU()(normed(x, channels, 3, stride)), channels, 3)
    return layers.ReLU()(layers.Add()([way, x if stride == 1 else normed(x, channels, 1, stride)]))


def resnet20(x):
    x = layers.ReLU()(normed(x, 16, 3))
    for channels in (16, 32, 64):
        for first in (True, False, False):
            x = residual(x, channels, 2 if first and channels > 16 else 1)
    return layers.Dense(10)(layers.GlobalAveragePooling2D()(x))


def mobilenet(x):
    x = layers.ReLU()(normed(x, 32, 3, 2))
    for channels, stride in MOBILE_BLOCKS:
        x = layers.ReLU()(normed_depthwise(x, stride))
        x = layers.ReLU()(normed(x, channels, 1))
    return layers.Dense(1000)(layers.GlobalAveragePooling2D()(x))


MODELS = {"softmax": (softmax, (28, 28, 1), 10), "lenet": (lenet, (28, 28, 1), 10), "alexnet": (alexnet, (224, 224, 3), 1000),
          "resnet20": (resnet20, (32, 32, 3), 10), "mobilenet": (mobilenet, (224, 224, 3), 1000)}
BRANCHED = (resnet20, mobilenet)  # functions of the input; the others are lists of layers
MOMENTUM = 0.9
RATE = 0.01


def main():
    name, batch, steps, mode = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    make, shape, classes = MODELS[name]
    x = tf.keras.Input(shape)
    model = tf.keras.Model(x, make(x)) if make in BRANCHED else tf.keras.Sequential([x, *make()])
    decay = L2.get(name, 0)
    weights = model.trainable_variables
    velocities = [] if name == "softmax" else [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    batches = [(tf.random.uniform((batch, *shape)), tf.random.uniform((batch,), maxval=classes, dtype=tf.int32))
               for _ in range(1 if name in LARGE else 8)]

    # The update is written out: it is quicker than Keras' optimizers, and so fairer to TensorFlow.
    @tf.function(jit_compile=mode == "xla")
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x, training=True)))
        gradients = tape.gradient(loss, [weight.value for weight in weights])
        for index, (weight, gradient) in enumerate(zip(weights, gradients)):
            if decay:
                gradient += decay * weight
            if velocities:
                velocities[index].assign(MOMENTUM * velocities[index] + gradient)
                gradient = velocities[index]
            weight.value.assign_sub(RATE * gradient)
        return loss

    float(step(*batches[0]))
    first_step = time.time()
    if name not in LARGE:
        for number in range(10):
            step(*batches[number % len(batches)])
    start = time.perf_counter()
    for number in range(steps):
        loss = step(*batches[number % len(batches)])
    float(loss)
    print(json.dumps({"rate": batch * steps / (time.perf_counter() - start), "first_step": first_step}))


if __name__ == "__main__":
    main()
