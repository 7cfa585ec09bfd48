# SPDX-License-Identifier: MIT
"""Loads with known traffic, observed by smc_advise."""
import json
import os
import signal
import socket
import struct
import subprocess

from kern import Forked, ok

SIZE = 4 << 20


class Process(Forked):
    """Does its work, and then holds the result until it is ended."""

    def __init__(self, name, work, *args):
        self.read, write = os.pipe()
        super().__init__(name, self.hold, write, work, *args)
        os.close(write)

    @staticmethod
    def hold(write, work, *args):
        held = [work(*args)]    # its open connections stay open
        os.write(write, b"y")
        signal.pause()
        held.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def wait(self):
        return os.read(self.read, 1) == b"y"

    def end(self):
        super().end()
        os.close(self.read)


def receive(conn, size):
    """Read @size bytes, or fewer up to the end of file."""
    got = 0
    while got < size:
        data = conn.recv(min(size - got, 1 << 20))
        if not data:
            break
        got += len(data)
    return got


def answer(listener):
    """Each request begins with its length, and is answered with a byte. One client at a time."""
    while True:
        client = listener.accept()[0]
        while True:
            head = client.recv(8, socket.MSG_WAITALL)
            if len(head) < 8:
                break
            receive(client, struct.unpack("!Q", head)[0])
            client.sendall(b"x")
        client.close()


def ask(conn, size):
    conn.sendall(struct.pack("!Q", size) + bytes(size))
    assert conn.recv(1) == b"x"


def listening(port, ip, kind=socket.socket):
    listener = kind()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((ip, port))
    listener.listen(64)
    return listener


def one(ip, port, size, kind=socket.socket):
    """A permanent connection."""
    conn = kind()
    conn.connect((ip, port))
    ask(conn, size)
    return conn


class Watch:
    """smc_advise, from its start until it is stopped."""

    def __init__(self, *prefix, interrupt=signal.SIG_DFL):
        self.process = subprocess.Popen([*prefix, "smc_advise", "--for", "24h", "-d", "-j"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, interrupt))
        self.said = []
        for line in self.process.stderr:
            self.said.append(line)
            if line == "[DEBUG] watching\n":
                return
        ok(False, "smc_advise begins", self.said)

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=300)
        return self.process.returncode, json.loads(out) if out else {"error": err}


def rows_of(report, port, side):
    return [row for row in report["rows"] if row.get("port") == port and row["side"] == side]
