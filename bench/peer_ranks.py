"""Starts the ranks of a peer that has no launcher: the same script for each rank, with the rank's number and the ports of all."""
import ctypes
import signal
import subprocess
import sys

from job import free_ports

DEADLINE = 300
PR_SET_PDEATHSIG = 1


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start_ranks(script, arguments, count):
    """script ARGUMENTS… RANK PORTS…, count times. Waits until all have ended, and returns 0 if all exited with 0."""
    ports = list(map(str, free_ports(count)))
    processes = [subprocess.Popen([sys.executable, script, *arguments, str(rank), *ports], preexec_fn=die_with_parent)
                 for rank in range(count)]
    try:
        return max(abs(process.wait(DEADLINE)) for process in processes)
    finally:
        for process in processes:
            process.kill()
            process.wait()
