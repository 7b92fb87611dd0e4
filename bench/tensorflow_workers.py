"""TensorFlow's MultiWorkerMirroredStrategy on this machine, a process a worker with its share of the CPUs.
usage: tensorflow_workers.py MODEL BATCH STEPS RANKS     BATCH is each worker's
Prints {"rate": examples/s of all workers}. Batches are ready-made tensors in memory. Each worker is this script again, with its number and ports."""
import json
import os
import sys
import time

from peer_ranks import start_ranks

WARM_UP_STEPS = 10


def train(name, batch, steps, ranks, rank, ports):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": [f"127.0.0.1:{port}" for port in ports]}, "task": {"type": "worker", "index": rank}})
    import tensorflow as tf  # after its settings, which it reads when it is loaded
    from tensorflow_peer import MODELS, MOMENTUM, RATE

    tf.config.threading.set_intra_op_parallelism_threads(max(1, os.cpu_count() // ranks))
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    make, shape, classes = MODELS[name]
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input(shape), *make()])
        optimizer = tf.keras.optimizers.SGD(RATE, momentum=0 if name == "softmax" else MOMENTUM)
        optimizer.build(model.trainable_variables)
    x = tf.random.uniform((batch, *shape))
    y = tf.random.uniform((batch,), maxval=classes, dtype=tf.int32)

    def replica_step(x, y):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x, training=True))
            loss = tf.reduce_sum(losses) / (batch * ranks)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    @tf.function
    def step(x, y):
        return strategy.run(replica_step, args=(x, y))

    for _ in range(1 if name == "alexnet" else WARM_UP_STEPS):
        step(x, y)
    start = time.perf_counter()
    for _ in range(steps):
        loss = step(x, y)
    float(strategy.reduce("SUM", loss, axis=None))
    return ranks * batch * steps / (time.perf_counter() - start)


def main():
    name, batch, steps, ranks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    if len(sys.argv) == 5:
        sys.exit(start_ranks(__file__, sys.argv[1:], ranks))
    rank, ports = int(sys.argv[5]), sys.argv[6:]
    rate = train(name, batch, steps, ranks, rank, ports)
    if rank == 0:
        print(json.dumps({"rate": rate}), flush=True)
    os._exit(0)  # its threads may keep the others waiting


if __name__ == "__main__":
    main()
