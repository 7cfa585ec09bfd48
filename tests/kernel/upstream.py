#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the kernel does wrong, to be shown to its developers: nothing of smc-tools takes part.

    lab/smc-lab run -k 6.12 --rxe -- tests/kernel/upstream.py device
        Linux 6.12, Soft-RoCE: a device is removed while connections are made. Now and then "rdma link delete"
        never returns from smc_smcr_terminate_all(), though there is no link group any more.
    lab/smc-lab run -k lo -- tests/kernel/upstream.py moment
        Linux 6.12, loopback-ism: a client closes its non-blocking socket while the handshake ends. Now and then
        the server has a connection that never ends.

Prints how often it tried and what it saw; exit status 1 if it saw the fault."""
import os
import random
import select
import socket
import subprocess
import sys
import threading
import time

AF_SMC = 43


def smc_socket():
    """Python knows no addresses of AF_SMC, and the kernel wants those of AF_INET."""
    fd = socket.socket(AF_SMC, socket.SOCK_STREAM, 0).detach()
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fd)


def listen():
    listener = smc_socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(256)
    return listener


def serve(listener, take):
    while True:
        take(listener.accept()[0])


def in_thread(function, *args):
    threading.Thread(target=function, args=args, daemon=True).start()


def connect_on(address):
    while True:
        with smc_socket() as sock:
            try:
                sock.connect(address)
                sock.send(b"x")
                sock.recv(1)
            except OSError:
                pass


def answer(sock):
    with sock:
        sock.recv(1)


def device(tries=40, patience=60):
    listener = listen()
    in_thread(serve, listener, lambda sock: in_thread(answer, sock))
    for _ in range(16):
        in_thread(connect_on, listener.getsockname())
    for i in range(tries):
        time.sleep(0.5)
        delete = subprocess.Popen(["rdma", "link", "delete", "rxelo"])
        try:
            delete.wait(patience)
        except subprocess.TimeoutExpired:
            with open("/proc/%d/stack" % delete.pid, encoding="ascii") as file:
                print("removal %d has not returned in %d s:\n%s" % (i + 1, patience, file.read()))
            return 1
        subprocess.run(["rdma", "link", "add", "rxelo", "type", "rxe", "netdev", "lo"], check=True)
    print("%d removals, each returned" % tries)
    return 0


def moment(tries=3000, patience=30):
    listener, taken = listen(), []
    in_thread(serve, listener, taken.append)
    for _ in range(tries):
        with smc_socket() as sock:
            sock.setblocking(False)
            sock.connect_ex(listener.getsockname())
            time.sleep(random.uniform(0, 0.004))
    end = time.monotonic() + patience
    left = {sock.fileno() for sock in taken}
    poll = select.poll()
    for fd in left:
        poll.register(fd, select.POLLIN)
    while left and time.monotonic() < end:
        for fd, _ in poll.poll(1000):
            poll.unregister(fd)
            left.discard(fd)
    print("%d clients that went away, %d connections accepted, %d of them have not ended in %d s" %
          (tries, len(taken), len(left), patience))
    return 1 if left else 0


STATUS = {"device": device, "moment": moment}[sys.argv[1]]()
sys.stdout.flush()
os._exit(STATUS)
