# SPDX-License-Identifier: MIT
"""An ssh between guests: commands run on the peer, with their input, output and status.
usage: agent.py serve | agent.py ssh [OPTION]... -- HOST COMMAND..."""
import os
import socket
import struct
import subprocess
import sys
import threading

PORT = 7022
# If this file exists, a host dies while it runs a command that contains the text.
DEADLY = "/run/deadly"


def send(conn, lock, channel, data):
    with lock:
        conn.sendall(struct.pack(">BI", channel, len(data)) + data)


def pump(read, write, end):
    for data in iter(lambda: read(65536), b""):
        write(data)
    end()


def serve_one(conn):
    line = b""
    while not line.endswith(b"\0"):
        line += conn.recv(1)
    command = line[:-1].decode()
    lock = threading.Lock()
    program = subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    threading.Thread(target=pump, args=(conn.recv, program.stdin.write, program.stdin.close), daemon=True).start()
    threads = [threading.Thread(target=pump, args=(lambda size, f=f: os.read(f.fileno(), size), lambda data, n=n: send(conn, lock, n, data), int))
               for n, f in ((1, program.stdout), (2, program.stderr))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    status = program.wait()
    if os.path.exists(DEADLY):
        with open(DEADLY, encoding="ascii") as file:
            if file.read().strip() in command:
                status = 255
    send(conn, lock, 0, bytes([status & 255]))
    conn.close()


def serve():
    """Return: the thread that serves."""
    listener = socket.create_server(("0.0.0.0", PORT))

    def work():
        while True:
            threading.Thread(target=serve_one, args=(listener.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def install():
    """Put an "ssh" into the path."""
    with open("/usr/bin/ssh", "w", encoding="ascii") as file:
        file.write('#!/bin/sh\nexec python3 -B "%s" ssh "$@"\n' % os.path.abspath(__file__))
    os.chmod("/usr/bin/ssh", 0o755)


def exact(conn, size):
    data = b""
    while len(data) < size:
        more = conn.recv(size - len(data))
        if not more:
            sys.exit(255)
        data += more
    return data


def ssh(words):
    words = words[words.index("--") + 2:]
    try:
        conn = socket.create_connection((os.environ["SMC_LAB_PEER_IP"], PORT), 10)
    except OSError as error:
        print("ssh: cannot connect: %s" % error.strerror, file=sys.stderr)
        sys.exit(255)
    conn.settimeout(None)
    conn.sendall(" ".join(words).encode() + b"\0")
    threading.Thread(target=pump, args=(lambda size: os.read(0, size), conn.sendall, lambda: conn.shutdown(socket.SHUT_WR)), daemon=True).start()
    while True:
        channel, size = struct.unpack(">BI", exact(conn, 5))
        data = exact(conn, size)
        if not channel:
            os._exit(data[0])
        os.write(channel, data)


if __name__ == "__main__":
    if sys.argv[1] == "ssh":
        ssh(sys.argv[2:])
    install()
    serve().join()
