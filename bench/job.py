"""Virtual hosts, and a job with parameter servers whose tasks this program starts itself, on this machine or one on each host. So it
knows what each task costs."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from contenders import Unavailable

SERVER = "ps:0"
EVALUATOR = "evaluator:0"


def free_ports(count):
    """A port that is free at this moment."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Hosts:
    """Virtual hosts 1…count of `trireme cluster`, joined by links of a rate."""

    def __init__(self, binary, count, rate):
        self.binary = binary
        self.name = f"bench-{os.getpid()}"
        self.call("up", "--hosts", str(count), "--rate", rate)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("down")

    def call(self, verb, *options):
        ended = subprocess.run([self.binary, "cluster", verb, self.name, *options], capture_output=True, text=True, check=False)
        if ended.returncode:
            raise Unavailable(ended.stderr.strip() or f"trireme cluster {verb} ended with {ended.returncode}")

    def command(self, host, command):
        """The words that start command on that host, whose process becomes the command itself."""
        return [self.binary, "cluster", "exec", self.name, f"host{host}", *command]

    @staticmethod
    def address(host):
        return f"10.77.0.{host}"


def scheduled_seconds(process_id):
    """CPU time of all threads of a process."""
    folder = f"/proc/{process_id}/task"
    return sum(int(read(f"{folder}/{thread}/schedstat").split()[0]) for thread in os.listdir(folder)) * 1e-9


def peak_bytes(process_id):
    return next(int(line.split()[1]) * 1024 for line in read(f"/proc/{process_id}/status").splitlines() if line.startswith("VmHWM:"))


def received_bytes(process_id):
    """Bytes that eth0 has received, in the network of the process."""
    line = next(line for line in read(f"/proc/{process_id}/net/dev").splitlines() if line.strip().startswith("eth0:"))
    return int(line.split(":")[1].split()[0])


def elsewhere(process_id):
    """Whether the process has arrived on its virtual host."""
    return os.stat(f"/proc/{process_id}/ns/net").st_ino != os.stat("/proc/self/ns/net").st_ino


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Watch(threading.Thread):
    """Looks at a process until it ends: CPU seconds and peak bytes as last seen; on a virtual host also what came over its link."""

    def __init__(self, process_id):
        super().__init__(daemon=True)
        self.process_id = process_id
        self.cpu = self.peak = 0
        self.received = []  # (moment, bytes since the first look)
        self.start()

    def run(self):
        before = None
        try:
            while True:
                self.cpu = max(self.cpu, scheduled_seconds(self.process_id))
                self.peak = max(self.peak, peak_bytes(self.process_id))
                if elsewhere(self.process_id):
                    count = received_bytes(self.process_id)
                    before = count if before is None else before  # by those who used the host earlier
                    self.received.append((time.perf_counter(), count - before))
                time.sleep(0.01)
        except (OSError, StopIteration, IndexError):
            pass  # it has ended

    def moment(self, count):
        """The time at which that number of bytes had arrived."""
        return next(moment for moment, received in self.received if received >= count)


class Job:
    """One server, its workers and an evaluator. options: the words after `train`. hosts: the server on host 1, worker N on host N + 2; the
    evaluator beside the server, so that it takes nothing of the links."""

    def __init__(self, binary, options, workers, key=None, hosts=None):
        self.folder = tempfile.mkdtemp(prefix="trireme-bench-")
        self.hosts = hosts
        self.tasks = [SERVER, *(f"worker:{index}" for index in range(workers)), EVALUATOR]
        self.processes, self.files = {}, {}
        self.addresses = self.place()
        self.command = [binary, "train", *options, "--strategy", "ps", "--cluster", self.cluster_file(), "--threads", "1", "--quiet", "--json",
                        *(["--key", key] if key else [])]
        self.watch = None
        self.killed = set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.wait()
        for file in self.files.values():
            file.close()
        shutil.rmtree(self.folder)

    def place(self):
        if self.hosts:
            return [f"{self.hosts.address(self.host(task))}:{4000 + number}" for number, task in enumerate(self.tasks)]
        return [f"127.0.0.1:{port}" for port in free_ports(len(self.tasks))]

    def host(self, task):
        return 1 if task in (SERVER, EVALUATOR) else self.tasks.index(task) + 1

    def cluster_file(self):
        path = os.path.join(self.folder, "cluster.yaml")
        with open(path, "w", encoding="utf-8") as file:
            for role, addresses in (("ps", self.addresses[:1]), ("worker", self.addresses[1:-1]), ("evaluator", self.addresses[-1:])):
                file.write(f"{role}: {json.dumps(addresses)}\n")
        return path

    def run_folder(self, task):
        return os.path.join(self.folder, task.replace(":", "-"))

    def start(self, task):
        command = [*self.command, "--task", task, "--out", self.run_folder(task)]
        if self.hosts:
            command = self.hosts.command(self.host(task), command)
        self.files[task] = tempfile.TemporaryFile("w+")
        self.processes[task] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.files[task], stderr=subprocess.STDOUT)
        if task == SERVER:
            self.watch = Watch(self.processes[task].pid)

    def start_all(self):
        for task in self.tasks:
            self.start(task)
        return self

    def kill(self, task):
        """Kills the task as if its machine had died. Returns the wall time."""
        self.killed.add(task)
        self.processes[task].kill()
        return time.time()

    def said(self, task):
        self.files[task].seek(0)
        return self.files[task].read().strip().splitlines()

    def finish(self, seconds):
        """Returns the summary, which the server prints. Every task that was not killed must end by itself and without an error, within that many
        seconds."""
        deadline = time.monotonic() + seconds
        for task, process in self.processes.items():
            try:
                status = process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise Unavailable(f"{task} has not ended after {seconds} s: {(self.said(task) or ['without a word'])[-1]}") from None
            if status and task not in self.killed:
                raise Unavailable(f"{task} ended with {status}: {(self.said(task) or ['without a word'])[-1]}")
        self.watch.join()
        return json.loads(self.said(SERVER)[-1])
