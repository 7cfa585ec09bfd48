# SPDX-License-Identifier: MIT
"""usage: learned.py connect COUNT | wait | keys | take KEY SIZE MODE | remove
Part of learned.sh: connections to a server of this process, which all have the same port; wait: one more for each line of
input. Shared memory: the keys; a segment of others; end all of them."""
import ctypes
import socket
import sys
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
PORT = 7100


def answer(listener):
    while True:
        conn = listener.accept()[0]
        conn.sendall(conn.recv(1))
        conn.close()


def connect(count):
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", PORT)) as sock:
            sock.sendall(b"x")
            sock.recv(1)


def segments():
    with open("/proc/sysvipc/shm", encoding="ascii") as file:
        return [line.split()[:2] for line in file][1:]


def main(action, *args):
    if action in ("connect", "wait"):
        threading.Thread(target=answer, args=[socket.create_server(("127.0.0.1", PORT), backlog=64)], daemon=True).start()
        connect(int(args[0]) if args else 1)
        for _ in sys.stdin if action == "wait" else ():
            connect(1)
            print("connected", flush=True)
    elif action == "keys":
        print(*(key for key, _ in segments()))
    elif action == "take":
        key, size, mode = args
        sys.exit(LIBC.shmget(int(key), ctypes.c_size_t(int(size)), 0o3000 | int(mode, 8)) < 0)
    elif action == "remove":
        for _, number in segments():
            LIBC.shmctl(int(number), 0, None)


main(*sys.argv[1:])
