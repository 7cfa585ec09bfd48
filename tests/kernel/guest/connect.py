# SPDX-License-Identifier: MIT
"""connect() to a peer that offers SMC and then breaks the handshake: the program gets a TCP connection, and all its bytes
come back. With "unreachable": only hosts that cannot be reached, for a kernel without an SMC device."""
import socket
import subprocess
import sys

from kern import done, equal, ok, run
from tunpeer import ADDRESSES, CLOSE, DEAF, GARBAGE, ICMP, LOCAL, REFUSE, RESET, SILENCE, Peer

WAYS = {RESET: "reset", GARBAGE: "garbage", CLOSE: "close", SILENCE: "silence"}

# Ways of connecting; the data sent afterwards must be echoed.
CLIENT = """
import errno, os, random, select, socket, sys, time

def wait(s):
    return select.select([], [s], [], 60)

def blocking(s, to):
    s.connect(to)

def limited(s, to):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, b"".join(n.to_bytes(8, sys.byteorder) for n in (30, 0)))
    s.connect(to)

def verdict(s, to):
    s.setblocking(False)
    err = s.connect_ex(to)
    assert err == errno.EINPROGRESS, err
    wait(s)
    err = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if err:
        raise OSError(err, os.strerror(err))
    wait(s)

def begin(s, to):
    s.setblocking(False)
    s.connect_ex(to)
    poll = select.poll()
    poll.register(s, select.POLLOUT)
    poll.poll(60000)

def polled(s, to):
    begin(s, to)
    err = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    raise OSError(err, os.strerror(err))

def repeated(s, to):
    begin(s, to)
    err = s.connect_ex(to)
    raise OSError(err, os.strerror(err))

def received(s, to):
    begin(s, to)
    s.recv(1)

def sent(s, to):
    begin(s, to)
    s.send(b"x")

def again(s, to):
    s.setblocking(False)
    while (err := s.connect_ex(to)) in (errno.EINPROGRESS, errno.EALREADY):
        wait(s)
    if err and err != errno.EISCONN:
        raise OSError(err, os.strerror(err))

def epoll(s, to):
    s.setblocking(False)
    with select.epoll() as poll:
        poll.register(s, select.EPOLLOUT)
        s.connect_ex(to)
        for state in "first", "second":
            events = poll.poll(60)
            assert events and events[0][0] == s.fileno(), (state, events)
            err = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if err:
                raise OSError(err, os.strerror(err))

def bound(s, to):
    s.bind((sys.argv[4], 40321))
    s.connect(to)
    assert s.getsockname()[:2] == (sys.argv[4], 40321), s.getsockname()

def echo(s):
    s.setblocking(True)
    s.settimeout(60)
    data, got = random.randbytes(15000), b""
    s.sendall(data)
    s.shutdown(socket.SHUT_WR)
    while part := s.recv(65536):
        got += part
    return "echoed" if got == data else "%d bytes of %d" % (len(got), len(data))

how, address, port = globals()[sys.argv[1]], sys.argv[2], int(sys.argv[3])
for turn in range(int(sys.argv[5])):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if port == int(sys.argv[6]):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_SYNCNT, 1)
        try:
            how(s, (address, port))
            print(echo(s), s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY), s.getblocking(), flush=True)
        except OSError as err:
            print(errno.errorcode.get(err.errno, err), flush=True)
"""


class Client:
    """A connecting program under smc_run."""

    def __init__(self, peer, how, port, family=socket.AF_INET, turns=1, options=("-d",)):
        self.peer, self.port = peer, port
        self.process = subprocess.Popen(
            ["smc_run", *options, sys.executable, "-c", CLIENT, how, ADDRESSES[family], str(port), LOCAL[family],
             str(turns), str(DEAF)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        self.out, self.err = self.process.communicate()
        return self.out


def check_ways(peer):
    """All combinations of broken handshakes, ways to connect, and IP versions. They run in parallel, as a silent peer takes
    six seconds."""
    hows = "blocking", "limited", "verdict", "again", "epoll"
    clients = {(port, how, family): Client(peer, how, port, family)
               for port in WAYS for how in hows for family in ADDRESSES}
    for (port, how, family), client in clients.items():
        name = "%s, %s, IPv%d" % (WAYS[port], how, 4 if family == socket.AF_INET else 6)
        equal(client.end(), "echoed 1 True\n", name + ": connected, and all comes back")
        ok("the SMC handshake broke -> TCP" in client.err, name + ": said in the debug line", client.err)


def seen(peer, port):
    """Number of SYNs since the last call, with the SMC option and without."""
    offers = [smc for _, to, smc in peer.syns if to == port]
    peer.syns = [syn for syn in peer.syns if syn[1] != port]
    return offers.count(True), offers.count(False)


def check_once(peer):
    for port in WAYS:
        seen(peer, port)
    client = Client(peer, "blocking", GARBAGE, turns=3)
    equal(client.end(), "echoed 1 True\n" * 3, "three connections of one process")
    equal(seen(peer, GARBAGE), (1, 3), "the handshake is tried once")
    equal(client.err.count("an SMC handshake broke before -> TCP"), 2, "said in the debug line")
    client = Client(peer, "bound", RESET)
    equal(client.end(), "echoed 1 True\n", "a port that was bound is kept")
    equal([syn[0] for syn in peer.syns if syn[1] == RESET], [40321, 40321], "both times")


def check_others(peer):
    """Failures other than a broken handshake are not retried; with SMC_STRICT no failure is."""
    # select() keeps sleeping: the kernel reports the lack of an answer only as POLLHUP, which poll() sees.
    for how, deaf in ("blocking", "blocking"), ("verdict", "polled"):
        seen(peer, REFUSE), seen(peer, DEAF), seen(peer, GARBAGE)
        equal(Client(peer, how, REFUSE).end(), "ECONNREFUSED\n", how + ": a refusal")
        equal(seen(peer, REFUSE), (1, 0), how + ": is final")
        equal(Client(peer, deaf, DEAF).end(), "ETIMEDOUT\n", deaf + ": no answer to SYN")
        equal(seen(peer, DEAF)[1], 0, deaf + ": is final")
        equal(Client(peer, how, GARBAGE, options=("--strict",)).end(), "EPROTO\n", how + ": SMC_STRICT, no TCP")
        equal(seen(peer, GARBAGE), (1, 0), how + ": SMC_STRICT, tried once")


def check_unreachable(peer):
    """The kernel drops these errors of non-blocking sockets, and wakes poll() but not select()."""
    for port in ICMP:
        for how in "blocking", "limited", "polled", "repeated", "received", "sent":
            equal(Client(peer, how, port).end(), "EHOSTUNREACH\n", "%s: unreachable, ICMP code %d" % (how, ICMP[port]))


def check_filters():
    """Sockets that were SMC sockets before the program installed a filter."""
    for family in "smc", "inet":
        status, out, _ = run("smc_run", "-f", family, "sandbox", "libseccomp")
        equal((status, out), (0, ""), "a filter of libseccomp, -f %s: the program lives" % family)


def main():
    peer = Peer()
    if sys.argv[1:] != ["unreachable"]:
        check_filters()
        check_ways(peer)
        check_once(peer)
        check_others(peer)
    check_unreachable(peer)
    done()


main()
