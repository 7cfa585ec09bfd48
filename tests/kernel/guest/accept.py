# SPDX-License-Identifier: MIT
"""Servers that poll a blocking SMC listener, while clients go away during their handshake: each goes on
serving, and whoever is served gets every byte. accept.py DEAD: so many such clients for each server."""
import os
import subprocess
import sys
import tempfile
import threading

from kern import done, equal, ok

DEAD = int(sys.argv[1])
BURST = 30
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

one, other = One(("127.0.0.1", 0), Echo), Loud(("127.0.0.1", 0), Echo)
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
    set $name [lindex [fconfigure [socket -server connected -myaddr 127.0.0.1 0] -sockname] 2]
}
puts "$one $other"
flush stdout
vwait forever
"""


def script(name, text):
    path = os.path.join(WORK, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def check(name, *argv):
    """The server must answer at its second port whatever happens at the first one."""
    gone = 0
    with subprocess.Popen(["smc_run", "-d", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as server:
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(server.stderr))
        reader.start()
        ports = server.stdout.readline().split()
        rounds = DEAD // BURST
        load = subprocess.run(["polled", "load", *ports, str(rounds), str(BURST)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        running = server.poll() is None
        os.killpg(server.pid, 9)
        reader.join()
    words = [line for line in lines if not line.startswith(("ld_pre_smc[", "smc_run: "))]
    gone = sum("of a client that is gone -> TCP" in line for line in lines)
    print("# %s: %d of %d clients went away during their handshake" % (name, gone, rounds * BURST))
    equal(load.stdout, "%d and %d of %d\n" % (rounds, rounds, rounds), name + ": everybody is served")
    ok(running and not words, name + ": and the server does not complain", "".join(words))
    ok(gone > 0, name + ": poll() was ready for clients that are gone")


def main():
    check("8 threads", "polled", "serve", "1", "8")
    check("4 processes", "polled", "serve", "4", "1")
    check("socketserver", sys.executable, script("server.py", SOCKETSERVER))
    check("Tcl", "tclsh", script("server.tcl", TCL))
    done()


main()
