"""A placed graph in TensorBoard, whose graph tab colours nodes by device, and in Graphviz."""
import glob
import os
import shutil
import subprocess

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from report import require

GRAPH = """a0 = random_block(32x32, init=uniform(1), matrix=1, place=0)
a1 = random_block(32x32, init=uniform(1), matrix=1, column=32, place=1)
b1 = random_block(32x32, init=uniform(1), matrix=2, row=32, place=2)
w = parameter(32x32, init=zero, place=2)
c1 = matmul(a1, b1, place=1)
s = add(w, b1)
keep = assign(w, s)
t0 = trace(a0)
t1 = trace(c1)
larger = cond(t0, t0, t1, place=0)
"""
TASKS = {"a0": 0, "a1": 1, "b1": 2, "w": 2, "c1": 1, "s": 2, "keep": 2, "t0": 0, "t1": 1, "larger": 0}


def compute(trireme, folder):
    with open(os.path.join(folder, "placed.graph"), "w", encoding="utf-8") as file:
        file.write(GRAPH)
    command = [trireme, "run", "placed.graph", "--workers", "3", "--dot", "placed.dot", "--events", "events", "--quiet"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    require(result.returncode == 0, f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout.strip()


def check_devices(folder):
    require(len(glob.glob(os.path.join(folder, "events", "*tfevents*"))) == 1, "not one event file")
    events = EventAccumulator(os.path.join(folder, "events"))
    events.Reload()
    nodes = {node.name: node for node in events.Graph().node}
    require(set(nodes) == set(TASKS), f"the nodes are {sorted(nodes)}")
    for name, task in TASKS.items():
        require(nodes[name].device == f"/job:worker/task:{task}", f"{name} is on {nodes[name].device}, expected task {task}")
    require(list(nodes["larger"].input) == ["t0", "t0", "t1"], f"larger reads {list(nodes['larger'].input)}")
    return f"{len(nodes)} nodes on 3 devices"


def check_picture(folder):
    if not shutil.which("dot"):
        return "dot is not installed (Debian: apt install graphviz): not drawn"
    drawn = subprocess.run(["dot", "-Tsvg", "placed.dot"], capture_output=True, text=True, cwd=folder)
    require(drawn.returncode == 0 and not drawn.stderr, drawn.stderr.strip())
    for word in ("/job:worker/task:2", "4096 B", "cond scalar"):
        require(word in drawn.stdout, f"the picture has no '{word}'")
    return f"{len(drawn.stdout)} bytes of SVG"


def run(report, trireme, folder):
    if not shutil.which("mpirun"):
        print("mpirun is not installed (Debian: apt install openmpi-bin): placed graphs are not looked at")
        return
    report.check("a placed graph", lambda: compute(trireme, folder))
    report.check("its devices in TensorBoard", lambda: check_devices(folder))
    report.check("its picture by Graphviz", lambda: check_picture(folder))
