"""What a link carries: a bare stream over TCP. usage: link_rate.py receive ADDRESS PORT | link_rate.py send ADDRESS PORT SECONDS
The receiver takes one connection and prints {"bytes_per_second": of all but the first tenth of it}."""
import json
import socket
import sys
import time

CHUNK = 1 << 20


def receive(address, port):
    buffer = bytearray(CHUNK)
    with socket.create_server((address, port)) as server:
        connection, _ = server.accept()
    counts = [(time.perf_counter(), 0)]
    while got := connection.recv_into(buffer):
        counts.append((time.perf_counter(), counts[-1][1] + got))
    (start, before), (end, all_of) = counts[len(counts) // 10], counts[-1]
    print(json.dumps({"bytes_per_second": (all_of - before) / (end - start)}))


def connect(address, port):
    """Tries again while the receiver is not listening yet."""
    for _ in range(200):
        try:
            return socket.create_connection((address, port), timeout=10)
        except ConnectionRefusedError:
            time.sleep(0.02)
    sys.exit(f"link_rate.py: nobody listens at {address}:{port}")


def send(address, port, seconds):
    chunk = bytes(CHUNK)
    with connect(address, port) as connection:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            connection.sendall(chunk)


if sys.argv[1] == "receive":
    receive(sys.argv[2], int(sys.argv[3]))
else:
    send(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
