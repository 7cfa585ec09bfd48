# SPDX-License-Identifier: MIT
"""Servers that poll a blocking SMC listener, while clients go away during their handshake: each goes on
serving, and every served client gets every byte. accept.py DEAD: this many such clients for each server."""
import glob
import os
import subprocess
import sys
import tempfile
import threading

from kern import done, ok, write
from tunpeer import Peer

DEAD = int(sys.argv[1])
BURST = 20
WORK = tempfile.mkdtemp(dir="/dev/shm")

SOCKETSERVER = """
import socketserver

class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        while data := self.request.recv(20000):
            self.request.sendall(data)

class Loud(socketserver.TCPServer):
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        raise

class One(Loud):
    def service_actions(self):
        other.handle_request()

one, other = One(("0.0.0.0", 0), Echo), Loud(("0.0.0.0", 0), Echo)
other.timeout = 0
print(one.server_address[1], other.server_address[1], flush=True)
one.serve_forever(0.01)
"""

TCL = """
proc echo chan {
    set data [read $chan 20000]
    if {[string length $data]} { puts -nonewline $chan $data }
    if {[eof $chan]} { close $chan }
}
proc connected {chan address port} {
    fconfigure $chan -translation binary -blocking 0 -buffering none
    fileevent $chan readable [list echo $chan]
}
foreach name {one other} {
    set $name [lindex [fconfigure [socket -server connected 0] -sockname] 2]
}
puts "$one $other"
flush stdout
vwait forever
"""


def script(name, text):
    path = os.path.join(WORK, name)
    write(path, text)
    return path


def where(group):
    """Kernel stack of each thread of a process group."""
    said = []
    for status in glob.glob("/proc/[0-9]*/task/*/stack"):
        try:
            if os.getpgid(int(status.split("/")[2])) == group:
                with open(status, encoding="ascii") as file:
                    said.append(status + "\n" + file.read())
        except OSError:
            pass
    return "".join(said)


def load(peer, one, other):
    """Clients leave port @one, then both ports serve one client each, in turn. Linux 6.12 loses one connection in thousands:
    the client's socket is connected, the server's is gone. A server that blocks answers neither that client nor the next.
    Return: number of clients that left, and the results."""
    gone, said = 0, []
    with subprocess.Popen(["polled", "ask", one, other], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
        while (gone < DEAD or said[-1] != "answered") and len(said) - said.count("answered") < 2:
            gone += peer.die(int(one), BURST)
            client.stdin.write("go\n")
            client.stdin.flush()
            said.append(client.stdout.readline().strip())
        client.stdin.close()
    print("# rounds: %d, of which lost a client: %d" % (len(said), said.count("lost")))
    return gone, said[-1] == "answered", said[-3:]


def check(peer, name, *argv):
    """The server must answer at its second port, whatever happens at the first."""
    with subprocess.Popen(["smc_run", "-d", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as server:
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(server.stderr))
        reader.start()
        dead, good, said = load(peer, *server.stdout.readline().split())
        running, at = server.poll() is None, "" if good else where(server.pid)
        os.killpg(server.pid, 9)
        reader.join()
    words = [line for line in lines if not line.startswith(("ld_pre_smc[", "smc_run: "))]
    told = sum("accept_gone -> TCP" in line for line in lines)
    print("# %s: %d clients went away during their handshake, %d times accept() had nobody else" % (name, dead, told))
    ok(good and dead >= DEAD, name + ": everybody is served", "%s\n%s" % (said, at))
    ok(running and not words, name + ": and the server does not complain", "".join(words))
    ok(told >= max(1, DEAD // BURST // 2), name + ": poll() was ready for clients that are gone", told)


def main():
    peer = Peer()
    check(peer, "8 threads", "polled", "serve", "1", "8", "0.0.0.0")
    check(peer, "4 processes", "polled", "serve", "4", "1", "0.0.0.0")
    check(peer, "socketserver", sys.executable, script("server.py", SOCKETSERVER))
    check(peer, "Tcl", "tclsh", script("server.tcl", TCL))
    done()


main()
