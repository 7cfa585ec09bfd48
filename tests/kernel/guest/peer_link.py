# SPDX-License-Identifier: MIT
"""The peer of tests/peer over Soft-RoCE, in one guest: first an honest one, 20 000 messages each way in both roles; then each script
that misbehaves on the link. Each connection ends as it should, connections with an honest peer go on, the kernel has nothing to say.
usage: peer_link.py TESTS/PEER [WORD]    only scripts that match this expression"""
import contextlib
import errno
import os
import random
import re
import select
import socket
import subprocess
import sys
import threading

from kern import IPPROTO_SMC, by_inode, done, equal, ok, out_of, run, wait_for

MESSAGES = int(os.environ.get("MESSAGES", "20000"))
SIZES = (1, 64, 1000, 5000)
PEER = ["/usr/bin/python3", "-B", sys.argv[1] + "/smcpeer.py"]
WORD = sys.argv[2] if len(sys.argv) > 2 else "link"
SERVERS, CLIENTS = (line.split(": ")[1].split(", ") for line in out_of(*PEER, "--list").splitlines())
# A call that takes longer than this hangs; the kernel gives up a link after some 30 s.
LIMIT = 150
HONEST = 7500
# The outcome of a client's connection that does not go on over SMC-R.
SERVED = {
    "link deleted": "reset",
    "link never confirmed": "TCP",
    **dict.fromkeys(("link old sequence", "link data never written", "link data beyond the buffer", "link 100 buffers of data"),
                    "other data"),
    **dict.fromkeys(("link end of data", "link closed"), "end"),
    "link aborted": "end or reset",
    # The kernel believes a peer that has read what was never sent, or ends.
    "link read beyond the buffer": "end or SMCR",
}
# Clients whose connections end early; the time decides whether the server sees an end or a reset.
BROKEN = set(SERVED) - {"link never confirmed"}
VERSIONS = {"link version 2.0": "2.0"}
RESETS = {errno.ECONNRESET, errno.ECONNABORTED, errno.ENOTCONN, errno.EPIPE}


def smc_socket():
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC)
    sock.settimeout(LIMIT)
    return sock


def send_all(sock, messages):
    numbers = random.Random(messages)
    with contextlib.suppress(OSError):
        for _ in range(messages):
            sock.sendall(numbers.randbytes(numbers.choice(SIZES)))
        sock.shutdown(socket.SHUT_WR)


def exchange(port, messages):
    """Send messages and compare what comes back. Return: what became of it, and the number of bytes that were right."""
    numbers, got = random.Random(messages), 0
    try:
        with smc_socket() as sock:
            sock.connect(("127.0.0.1", port))
            writer = threading.Thread(target=send_all, args=(sock, messages), daemon=True)
            writer.start()
            for _ in range(messages):
                wanted = numbers.randbytes(numbers.choice(SIZES))
                while wanted:
                    data = sock.recv(len(wanted))
                    if not data or not wanted.startswith(data):
                        return "other data" if data else "end", got
                    got, wanted = got + len(data), wanted[len(data):]
            mode = by_inode(os.fstat(sock.fileno()).st_ino)["mode"]
            return "more data" if sock.recv(1) else mode, got
    except OSError as error:
        return name_of(error), got


def name_of(error):
    return "reset" if error.errno in RESETS else errno.errorcode.get(error.errno, "hang")


def serve(listener, results):
    """Echo, one connection after the other."""
    while True:
        try:
            with listener.accept()[0] as conn:
                conn.settimeout(LIMIT)
                for data in iter(lambda c=conn: c.recv(65536), b""):
                    conn.sendall(data)
                results.append("end")
        except OSError as error:
            results.append(name_of(error))


def start_server(name, port):
    server = subprocess.Popen([*PEER, "serve", name, str(port)], stdout=subprocess.PIPE, text=True)
    equal(server.stdout.readline(), "%d %s\n" % (port, name), "%s: listens" % name)
    return server


def said(server):
    """The peer's last line, if it comes within the time in which it gives up."""
    return server.stdout.readline().strip() if select.select([server.stdout], [], [], 30)[0] else "nothing"


def stop(server):
    server.terminate()
    server.communicate()


def check_honest(port):
    server = start_server("link", HONEST)
    sizes = random.Random(MESSAGES)
    total = sum(len(sizes.randbytes(sizes.choice(SIZES))) for _ in range(MESSAGES))
    equal(exchange(HONEST, MESSAGES), ("SMCR", total), "%d messages to the peer and back" % MESSAGES)
    said = server.stdout.readline()
    equal(said, "link: linked v2.1, %d bytes back\n" % total, "over RDMA, by the count of the peer")
    equal(run(*PEER, "connect", "link", "127.0.0.1", str(port), timeout=900)[1], "link: linked v2.1, %d messages\n" % MESSAGES,
          "%d messages from the peer and back" % MESSAGES)
    return server


def kernel_says():
    return re.findall(r"(?m)^.*(?:BUG|Oops|WARNING|KASAN|general protection|hung task).*$", run("dmesg")[1])


def main():
    listener, results = smc_socket(), []
    listener.settimeout(None)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    port = listener.getsockname()[1]
    threading.Thread(target=serve, args=(listener, results), daemon=True).start()
    honest = check_honest(port)
    for i, name in enumerate(name for name in SERVERS if name.startswith("link ") and re.search(WORD, name)):
        server = start_server(name, HONEST + 1 + i)
        result = exchange(HONEST + 1 + i, 10)[0]
        ok(result in SERVED.get(name, "SMCR").split(" or "), "server '%s': the client" % name, result)
        print("# server '%s': the client: %s; the peer: %s" % (name, result, said(server)), flush=True)
        stop(server)
    for name in (name for name in CLIENTS if name.startswith("link ") and re.search(WORD, name)):
        del results[:]
        try:
            line = run(*PEER, "connect", name, "127.0.0.1", str(port), timeout=LIMIT)[1].strip()
        except subprocess.TimeoutExpired:
            line = "hang"
        # A link that is deleted at once leaves nothing to accept on 6.12.
        wait_for(lambda: results, 30 if name == "link deleted" else LIMIT)
        expected = ("end", "reset") if name in BROKEN else ("end",)
        ok(len(results) == 1 and results[0] in expected or name == "link deleted" and not results, "client '%s': the server" % name,
           results)
        ends = {name in BROKEN, name in BROKEN and "SMCR" not in SERVED[name]}
        ok("ended:" in line and True in ends or line.endswith("linked v%s, 10 messages" % VERSIONS.get(name, "2.1")) and False in ends,
           "client '%s': what came of it" % name, line)
        print("# client '%s': the server: %s; the peer: %s" % (name, results, line), flush=True)
    equal(exchange(HONEST, 100)[0], "SMCR", "an honest peer, after all that")
    stop(honest)
    equal(kernel_says(), [], "the kernel has nothing to say")
    done()


main()
