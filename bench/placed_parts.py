"""The part of the benchmark that measures graphs across tasks: the product of blocks beside sgemm, and the full product on a grid of tasks
beside ScaLAPACK's psgemm. It also compares the bytes that moved with the bytes that must move."""
import os
import tempfile

from contenders import Unavailable, run
from ranks import MPIRUN

SIZE = 4096
BLOCKS = (512, 1024)  # each contender with each size of blocks; the best of each is compared
ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def grid():
    """Rows and columns of tasks, a CPU each."""
    return (2, 2) if len(os.sched_getaffinity(0)) >= 4 else (2, 1)


def product_lines(size, block, down, across):
    """C = A·B as SUMMA. A and B are variables, so no run makes them again."""
    side = size // block

    def place(i, j):
        return f"place={i % down * across + j % across}"

    for name in "ab":
        for i in range(side):
            for j in range(side):
                yield f"{name}{i}_{j} = parameter({block}x{block}, init=uniform(1), {place(i, j)})"
    for k in range(side):
        for i in range(side):
            for j in range(side):
                name = f"c{i}_{j}_{k}" if k == 0 else f"p{i}_{j}_{k}"
                yield f"{name} = matmul(a{i}_{k}, b{k}_{j}, {place(i, j)})"
                if k:
                    yield f"c{i}_{j}_{k} = add(c{i}_{j}_{k - 1}, {name}, {place(i, j)})"
    for i in range(side):
        yield f"t{i} = trace(c{i}_{i}_{side - 1})"
        for j in range(side):
            if i != j:
                yield f"s{i}_{j} = sum(c{i}_{j}_{side - 1}, axis=all)"


def bytes_that_must_move(size, block, down, across):
    """Each block of A goes along its row of the grid, each of B along its column; scalars of other tasks go to task 0."""
    side = size // block
    scalars = sum(1 for i in range(side) for j in range(side) if i % down or j % across)
    return size * size * 4 * (across - 1 + down - 1) + 4 * scalars


class PlacedParts:
    """Parts of Bench: they use its interleave, expect and limit."""

    def run_graph(self, lines, tasks, repeat, *options):
        with tempfile.TemporaryDirectory(prefix="trireme-bench-") as folder:
            path = os.path.join(folder, "product.graph")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            words = [self.trireme.binary, "run", path, "--threads", "1", "--no-rewrite", "--repeat", str(repeat), "--json", *options]
            said, _, _ = run([*words, *(["--workers", str(tasks)] if tasks > 1 else [])])
        seconds = max(task["seconds"] for task in said["tasks"]) / repeat
        return {"seconds": seconds, "GFLOP/s": sum(task["flops"] for task in said["tasks"]) / repeat / seconds / 1e9,
                "bytes": sum(task["bytes_sent"] for task in said["tasks"]) / repeat}

    def block_product(self):
        lines = ["a = parameter(1024x1024, init=uniform(1))", "b = parameter(1024x1024, init=uniform(1))", "c = matmul(a, b)", "t = trace(c)"]
        return self.run_graph(lines, 1, 3 if self.quick else 60)

    def scalapack(self, size, block, down, across):
        program = os.path.join(self.build, "bench", "bench_scalapack")
        if not os.path.exists(program):
            raise Unavailable("ScaLAPACK was not installed when the build was configured (script/setup bench)")
        command = ["mpirun", "-n", str(down * across), *MPIRUN[3:], program, *map(str, (size, block, down, across, 1 if self.quick else 3))]
        said, _, _ = run(command, ONE)
        return {"seconds": said["seconds"], "GFLOP/s": 2 * size**3 / said["seconds"] / 1e9}

    def placed(self):
        down, across = grid()
        size, sizes = (512, (64,)) if self.quick else (SIZE, BLOCKS)
        blocks = self.interleave("a block's product, one CPU", {"Trireme, a block": self.block_product} | self.machine())
        self.expect("a block's product in a plan, GFLOP/s, against sgemm", self.best(blocks, "Trireme", "GFLOP/s"),
                    self.best(blocks, "sgemm, one", "mean"), 0.9)
        contenders = {}
        for block in sizes:
            lines = list(product_lines(size, block, down, across))
            contenders |= {
                f"Trireme, blocks of {block}": lambda lines=lines: self.run_graph(lines, down * across, 1 if self.quick else 3),
                f"ScaLAPACK psgemm, blocks of {block}": lambda block=block: self.scalapack(size, block, down, across)}
        full = self.interleave(f"{size}×{size}, {down}×{across} tasks", contenders | self.machine())
        for block in sizes:
            moved = full[f"Trireme, blocks of {block}"]["bytes"]
            self.expect(f"full product, blocks of {block}, bytes moved, against the bound of its places", moved,
                        bytes_that_must_move(size, block, down, across), 1, at_most=True)
            self.expect(f"full product, blocks of {block}, bytes moved, against 2-D SUMMA", moved, size * size * 4 * (across + down - 2), 1.1,
                        at_most=True)
        self.expect("full product, GFLOP/s, against ScaLAPACK", self.best(full, "Trireme", "GFLOP/s"), self.best(full, "ScaLAPACK", "GFLOP/s"), 1)
