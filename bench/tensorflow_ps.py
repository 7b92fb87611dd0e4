"""TensorFlow's parameter servers on this machine, as processes: softmax on pictures of 28×28, one server. Its servers never exit, so that
all are killed when the figure is there. usage: tensorflow_ps.py MODE WORKERS BATCH SECONDS

Prints {"rate": global steps a second, with every worker warmed up}. Modes:
    async, sync                      tf.compat.v1 with replica_device_setter (and SyncReplicasOptimizer) as programs have it: a monitored
                                     session that is fed with the next batch and gives the global step
    stripped-async, stripped-sync    the same graph as fast as it can be driven: a bare session, and always the one batch that lies in a
                                     variable of the worker's own; no program trains so
    strategy                         tf.distribute's ParameterServerStrategy, whose coordinator is one process more

Each process is this script again: tensorflow_ps.py MODE WORKERS BATCH SECONDS ROLE INDEX PORTS…, the server's port first."""
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy

from job import free_ports

WARM_UP_STEPS = 50
RATE = 0.01
PIXELS, CLASSES, EXAMPLES = 784, 10, 10000
DEADLINE = 120  # seconds that all processes have to get ready
PR_SET_PDEATHSIG = 1


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(role, index, arguments, complaints):
    return subprocess.Popen([sys.executable, __file__, *arguments[:4], role, str(index), *arguments[4:]], text=True, preexec_fn=die_with_parent,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints)


def measure(mode, workers, batch, seconds):
    """Starts all processes. Returns the last line of the one that measures: worker 0, or the coordinator."""
    roles = [*(("worker", index) for index in range(workers)), ("ps", 0)] + ([("chief", 0)] if mode == "strategy" else [])
    arguments = [mode, str(workers), str(batch), str(seconds), *map(str, free_ports(workers + 1))]
    with tempfile.TemporaryFile("w+") as complaints:
        processes = {role: start(*role, arguments, complaints) for role in roles}
        measuring = processes[roles[-1] if mode == "strategy" else ("worker", 0)]
        deadline = threading.Timer(DEADLINE + seconds, measuring.kill)
        deadline.start()
        try:
            measuring.stdout.readline()  # it has initialised the model
            for process in processes.values():
                process.stdin.close()
            said = measuring.stdout.read().strip()
        finally:
            deadline.cancel()
            for process in processes.values():
                process.kill()
            for process in processes.values():
                process.wait()
        complaints.seek(0)
        print(said or sys.exit(complaints.read() or f"tensorflow_ps.py: no figure after {DEADLINE + seconds:.0f} s"))


def cluster_of(ports):
    addresses = [f"127.0.0.1:{port}" for port in ports]
    return {"ps": addresses[:1], "worker": addresses[1:]}


class Sessions:
    """Every worker has its own graph. The variables are on the server."""

    def __init__(self, tf, mode, workers, batch, ports):
        self.v1 = v1 = tf.compat.v1
        self.sync, self.stripped = mode.split("-")[-1] == "sync", mode.startswith("stripped")
        self.workers, self.batch = workers, batch
        v1.disable_eager_execution()
        self.cluster = v1.train.ClusterSpec(cluster_of(ports))
        self.x = self.y = self.images = self.labels = self.steps = self.ready = self.tell_ready = self.train = None
        self.taken = 0

    def own_batch(self):
        """The worker keeps the batch in variables of its own, so that no step makes it again."""
        v1 = self.v1
        x = v1.random_uniform([self.batch, PIXELS], seed=1)
        y = v1.random_uniform([self.batch], maxval=CLASSES, dtype=v1.int32, seed=1)
        return [v1.Variable(one, collections=[v1.GraphKeys.LOCAL_VARIABLES], trainable=False) for one in (x, y)]

    def fed_batch(self):
        generator = numpy.random.default_rng(1)
        self.images = generator.random((EXAMPLES, PIXELS), dtype=numpy.float32)
        self.labels = generator.integers(0, CLASSES, EXAMPLES, dtype=numpy.int32)
        return self.v1.placeholder(self.v1.float32, [None, PIXELS]), self.v1.placeholder(self.v1.int32, [None])

    def build(self, index):
        """Returns the hooks that its session needs."""
        v1 = self.v1
        with v1.device(f"/job:worker/task:{index}/cpu:0"):
            self.x, self.y = self.own_batch() if self.stripped else self.fed_batch()
        with v1.device(v1.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=self.cluster)):
            self.steps = v1.train.get_or_create_global_step()
            self.ready = v1.get_variable("ready", [], initializer=v1.zeros_initializer(), trainable=False)
            self.tell_ready = v1.assign_add(self.ready, 1.0)
            w = v1.get_variable("w", [PIXELS, CLASSES], initializer=v1.zeros_initializer())
            b = v1.get_variable("b", [CLASSES], initializer=v1.zeros_initializer())
            loss = v1.reduce_mean(v1.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=v1.matmul(self.x, w) + b))
            optimizer = v1.train.GradientDescentOptimizer(RATE)
            if self.sync:
                optimizer = v1.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=self.workers, total_num_replicas=self.workers)
            self.train = optimizer.minimize(loss, global_step=self.steps)
        return [optimizer.make_session_run_hook(index == 0)] if self.sync else []

    def serve(self):
        self.v1.train.Server(self.cluster, job_name="ps", task_index=0).join()

    def step(self, session, bare):
        if self.stripped:
            bare.run(self.train)
            return
        first, self.taken = self.taken, (self.taken + self.batch) % (EXAMPLES - self.batch)
        session.run([self.train, self.steps], {self.x: self.images[first:first + self.batch], self.y: self.labels[first:first + self.batch]})

    def work(self, index, seconds):
        server = self.v1.train.Server(self.cluster, job_name="worker", task_index=index)
        with self.v1.Graph().as_default():
            hooks = self.build(index)
            if index != 0:
                sys.stdin.read()  # a worker that finds the model "not ready" sleeps for 30 s
            with self.v1.train.MonitoredTrainingSession(master=server.target, is_chief=index == 0, hooks=hooks) as session:
                bare = session._tf_sess()  # the same session without the hooks around every call
                print("initialised", flush=True)
                for _ in range(WARM_UP_STEPS):
                    self.step(session, bare)
                bare.run(self.tell_ready)
                while index != 0 or bare.run(self.ready) < self.workers:
                    self.step(session, bare)
                begun, before = time.perf_counter(), bare.run(self.steps)
                while time.perf_counter() < begun + seconds:
                    self.step(session, bare)
                after, ended = bare.run(self.steps), time.perf_counter()
                say_and_leave((int(after) - int(before)) / (ended - begun))


def say_and_leave(rate):
    """Closing a session waits for workers that never end."""
    print(json.dumps({"rate": rate}), flush=True)
    os._exit(0)


class Strategy:
    """A coordinator hands out steps. The workers are TensorFlow servers, too."""

    def __init__(self, tf, workers, batch, ports):
        self.tf, self.workers, self.batch = tf, workers, batch
        cluster = cluster_of(ports)
        self.cluster = tf.train.ClusterSpec(cluster)

    def serve(self, role, index):
        self.tf.distribute.Server(self.cluster, job_name=role, task_index=index, protocol="grpc").join()

    def coordinate(self, seconds):
        tf = self.tf
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(self.cluster, rpc_layer="grpc")
        strategy = tf.distribute.ParameterServerStrategy(resolver)
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
        with strategy.scope():
            w = tf.Variable(tf.zeros([PIXELS, CLASSES]))
            b = tf.Variable(tf.zeros([CLASSES]))

        def batches():
            x = tf.random.uniform([self.batch, PIXELS], seed=1)
            y = tf.random.uniform([self.batch], maxval=CLASSES, dtype=tf.int32, seed=1)
            return tf.data.Dataset.from_tensors((x, y)).cache().repeat().prefetch(4)

        @tf.function
        def step(iterator):
            x, y = next(iterator)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(x, w) + b))
            for variable, gradient in zip((w, b), tape.gradient(loss, (w, b))):
                variable.assign_sub(RATE * gradient)

        print("initialised", flush=True)
        iterator = iter(coordinator.create_per_worker_dataset(batches))
        rounds = WARM_UP_STEPS * self.workers

        def run(count):
            for _ in range(count):
                coordinator.schedule(step, args=(iterator,))
            coordinator.join()

        run(rounds)
        begun, steps = time.perf_counter(), 0
        while time.perf_counter() < begun + seconds:
            run(rounds)
            steps += rounds
        say_and_leave(steps / (time.perf_counter() - begun))


def main():
    mode, workers, batch, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    if len(sys.argv) == 5:
        return measure(mode, workers, batch, seconds)
    role, index, ports = sys.argv[5], int(sys.argv[6]), sys.argv[7:]
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf  # after its setting, which it reads when it is loaded; the process that starts the others does not need TensorFlow
    if mode == "strategy":
        strategy = Strategy(tf, workers, batch, ports)
        return strategy.coordinate(seconds) if role == "chief" else strategy.serve(role, index)
    sessions = Sessions(tf, mode, workers, batch, ports)
    return sessions.serve() if role == "ps" else sessions.work(index, seconds)


main()
