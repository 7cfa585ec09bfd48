#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernel bugs, shown to its developers without any part of smc-tools.

    lab/smc-lab run -k 6.12 --rxe -- tests/kernel/upstream.py device
        Linux 6.12, Soft-RoCE: a device is removed while connections are made. Now and then "rdma link delete"
        never returns from smc_smcr_terminate_all(), though there is no link group any more.
    lab/smc-lab run -k lo -- tests/kernel/upstream.py moment
        Linux 6.12, loopback-ism: a client closes its non-blocking socket while the handshake ends. Now and then
        the server has a connection that never ends.
    lab/smc-lab run -k 6.12 --rxe -- tests/kernel/upstream.py signal
        Linux 6.12, Soft-RoCE: a signal each millisecond comes to servers. One that ends the wait for a slot in
        smc_wr_tx_get_free_slot() takes -EPIPE with it, and nobody tries again: what send() has accepted is not
        sent until the next send(), and after close() the peer never sees the end.
    lab/smc-lab run -k lo -- tests/kernel/upstream.py owner
        All kernels: the TCP socket inside an SMC socket has no file, so "meta skuid" of nftables never matches its
        packets. A rule that accepts an owner's packets stops his SMC connections, one that drops them is passed by.
    lab/smc-lab run -k 7.2 -- tests/kernel/upstream.py vrf
        Linux 6.12 and 7.2: the TCP socket inside an SMC socket gets SO_BINDTODEVICE at listen() only. If a port is bound
        before, inet_csk_get_port() finds another bucket than that of the port in a VRF, and warns twice. TCP warns,
        too, if its device is set between bind() and listen(); with SMC no order is right.
    lab/smc-lab run -k lo -- tests/kernel/upstream.py unreachable
        Before Linux 7.2: a non-blocking connect() to a host that ICMP reports as unreachable ends with POLLHUP alone
        and without an error. select() never wakes, SO_ERROR is 0.
    lab/smc-lab run -k 6.12 --rxe -- tests/kernel/upstream.py name
        Linux 6.12, Soft-RoCE: a program calls shutdown() for writing, and then the last link breaks. The kernel releases
        the TCP socket inside an SMC socket that the program still has: getsockname() reads at address 0 (smc_getname).
        Linux 7.2 answers.

Prints how often it tried and what it saw; exit status 1 if it saw the fault."""
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time

AF_SMC = 43


def smc_socket():
    """Python has no addresses for AF_SMC, and the kernel expects those of AF_INET."""
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


# More than a send buffer, so that the last part goes when the peer has made room.
DATA, PATIENCE = bytes(100000), 20


class Sender:
    """A server of many connections; each gets all data and then the end, and none is waited for."""

    def __init__(self, listener):
        self.poll, self.left = select.poll(), {}
        self.listener = listener
        listener.setblocking(False)
        self.poll.register(listener, select.POLLIN)

    def accept(self):
        try:
            sock = self.listener.accept()[0]
        except OSError:
            return
        sock.setblocking(False)
        self.left[sock.fileno()] = [sock, DATA]
        self.poll.register(sock, select.POLLOUT)

    def send(self, fd):
        sock, data = self.left[fd]
        try:
            self.left[fd][1] = data[sock.send(data):]
        except BlockingIOError:
            return
        except OSError:
            self.left[fd][1] = b""
        if not self.left[fd][1]:
            self.poll.modify(sock, select.POLLIN)

    def close(self, fd):
        self.poll.unregister(fd)
        self.left.pop(fd)[0].close()

    def go_on(self):
        while True:
            for fd, _ in self.poll.poll():
                if fd == self.listener.fileno():
                    self.accept()
                elif self.left[fd][1]:
                    self.send(fd)
                else:
                    self.close(fd)


def serve_under_signals(listener):
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    Sender(listener).go_on()


def read_all(address, tries, stalled):
    for _ in range(tries):
        with smc_socket() as sock:
            sock.connect(address)
            sock.settimeout(PATIENCE)
            missing = len(DATA)
            try:
                while missing:
                    missing -= len(sock.recv(missing))
                sock.send(b"x")
                sock.recv(1)
            except TimeoutError:
                stalled.append(missing)


def signals(tries=150, servers=2, clients=32):
    listener, stalled, pids = listen(), [], []
    for _ in range(servers):
        pids.append(os.fork())
        if not pids[-1]:
            serve_under_signals(listener)
    threads = [threading.Thread(target=read_all, args=(listener.getsockname(), tries, stalled)) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    print("%d connections; nothing came for %d s: %d waited for data, %d for the end" %
          (tries * clients, PATIENCE, sum(map(bool, stalled)), stalled.count(0)))
    return 1 if stalled else 0


def reaches(make, address):
    with make() as sock:
        sock.settimeout(PATIENCE)
        try:
            sock.connect(address)
        except OSError:
            return False
        return True


def owner():
    listener, faults = listen(), 0
    in_thread(serve, listener, lambda sock: None)
    address = listener.getsockname()
    of_root = "oif lo tcp dport %d meta skuid 0" % address[1]
    for rules, want in ((of_root + " accept; oif lo tcp dport %d drop" % address[1], True), (of_root + " drop", False)):
        subprocess.run(["nft", "-f", "-"], text=True, check=True,
                       input="table inet t {\n chain c {\n type filter hook output priority 0; %s\n }\n}\n" % rules)
        tcp, smc = reaches(socket.socket, address), reaches(smc_socket, address)
        print("%s: TCP %s, SMC %s" % (rules, tcp, smc))
        faults += tcp == want and smc != want
        subprocess.run(["nft", "delete", "table", "inet", "t"], check=True)
    return 1 if faults else 0


def warnings(make, order, port):
    """Number of the kernel's warnings after these calls of a listener in the VRF "red", in this order."""
    calls = {"device": lambda sock: sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"red"),
             "bind": lambda sock: sock.bind(("0.0.0.0", port)), "listen": lambda sock: sock.listen()}
    subprocess.run(["dmesg", "-C"], check=True)
    with make() as sock:
        for call in order:
            calls[call](sock)
    return subprocess.run(["dmesg"], stdout=subprocess.PIPE, text=True, check=True).stdout.count("WARNING:")


def vrf():
    subprocess.run("modprobe -q vrf; ip link add red type vrf table 100; ip link set red up", shell=True, check=True)
    orders = ("device", "bind", "listen"), ("bind", "device", "listen")
    counts = [[warnings(make, order, 9000 + 10 * i + n) for n, make in enumerate((socket.socket, smc_socket))]
              for i, order in enumerate(orders)]
    for order, (tcp, smc) in zip(orders, counts):
        print("%s: %d warnings by TCP, %d by SMC" % (", ".join(order), tcp, smc))
    return 1 if counts[0][1] > counts[0][0] else 0


def attempt(make, address):
    """What select() and SO_ERROR say of a non-blocking connection that fails."""
    with make() as sock:
        sock.setblocking(False)
        sock.connect_ex(address)
        wakes = bool(select.select([], [sock], [], PATIENCE)[1])
        poll = select.poll()
        poll.register(sock, select.POLLOUT)
        return wakes, poll.poll(0)[0][1], sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)


def unreachable():
    subprocess.run("modprobe -q veth; ip netns add far && ip link add near type veth peer name far netns far &&"
                   " ip addr add 10.78.0.1/24 dev near && ip link set near up && ip -n far link set far up &&"
                   " ip -n far addr add 10.78.0.2/24 dev far && ip netns exec far sysctl -qw net.ipv4.ip_forward=1 &&"
                   " ip -n far route add unreachable 10.79.0.0/24 && ip route add 10.79.0.0/24 via 10.78.0.2",
                   shell=True, check=True)
    tcp, smc = (attempt(make, ("10.79.0.1", 80)) for make in (socket.socket, smc_socket))
    for name, (wakes, events, err) in (("TCP", tcp), ("SMC", smc)):
        print("%s: select() %s, events 0x%x, SO_ERROR %d" % (name, "wakes" if wakes else "sleeps on", events, err))
    return 1 if (tcp[0], tcp[2]) != (smc[0], smc[2]) else 0


def name_of_released():
    """For a child: an Oops ends the caller."""
    listener = listen()
    peer = smc_socket()
    peer.connect(listener.getsockname())
    sock = listener.accept()[0]
    sock.shutdown(socket.SHUT_WR)
    subprocess.run(["ip", "link", "set", "lo", "down"], check=True)
    time.sleep(2)
    print("after the link group's end: getsockname() %s" % (sock.getsockname(),))
    sys.stdout.flush()


def name():
    # The guest goes on.
    with open("/proc/sys/kernel/panic_on_oops", "w", encoding="ascii") as file:
        file.write("0")
    pid = os.fork()
    if not pid:
        name_of_released()
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    faults = [line for line in subprocess.run(["dmesg"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
              if "BUG:" in line or "RIP:" in line]
    print("\n".join(faults) or "status %d, nothing in the kernel's log" % status)
    return 1 if faults else 0


STATUS = {"device": device, "moment": moment, "signal": signals, "owner": owner, "vrf": vrf,
          "unreachable": unreachable, "name": name}[sys.argv[1]]()
sys.stdout.flush()
os._exit(STATUS)
