"""PyTorch's DistributedDataParallel over gloo on this machine, a process a rank with its share of the CPUs.
usage: torch_ddp.py MODEL BATCH STEPS eager|channels-last RANKS     BATCH is each rank's
Prints {"rate": examples/s of all ranks}. Batches are ready-made tensors in memory. Each rank is this script again, with its number and ports."""
import json
import os
import sys
import time

import torch
from torch import nn
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel

from peer_ranks import start_ranks
from torch_peer import MODELS

WARM_UP_STEPS = 10


def train(name, batch, steps, mode, ranks, rank, port):
    torch.set_num_threads(max(1, os.cpu_count() // ranks))
    init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    make, shape, classes = MODELS[name]
    layout = torch.channels_last if mode == "channels-last" else torch.contiguous_format
    model = DistributedDataParallel(make().to(memory_format=layout), gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0 if name == "softmax" else 0.9)
    x = torch.rand(batch, *shape).contiguous(memory_format=layout)
    y = torch.randint(classes, (batch,))
    loss_of = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss_of(model(x), y).backward()
        optimizer.step()

    for _ in range(1 if name == "alexnet" else WARM_UP_STEPS):
        step()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    rate = ranks * batch * steps / (time.perf_counter() - start)
    destroy_process_group()
    return rate


def main():
    name, batch, steps, mode, ranks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
    if len(sys.argv) == 6:
        sys.exit(start_ranks(__file__, sys.argv[1:], ranks))
    rank, port = int(sys.argv[6]), sys.argv[7]
    rate = train(name, batch, steps, mode, ranks, rank, port)
    if rank == 0:
        print(json.dumps({"rate": rate}))


if __name__ == "__main__":
    main()
