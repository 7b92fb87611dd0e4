"""Starts the ranks of a peer that brings no launcher of its own: the same script again and again, with its number and ports for all."""
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
    """script ARGUMENTS… RANK PORTS…, count times, until all have ended. The exit status: 0 where all are."""
    ports = list(map(str, free_ports(count)))
    processes = [subprocess.Popen([sys.executable, script, *arguments, str(rank), *ports], preexec_fn=die_with_parent)
                 for rank in range(count)]
    try:
        return max(abs(process.wait(DEADLINE)) for process in processes)
    finally:
        for process in processes:
            process.kill()
            process.wait()
