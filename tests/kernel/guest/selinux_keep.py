# SPDX-License-Identifier: MIT
"""Services that SELinux confines leave data unsent: with our module smc_keep gets it, and clients that read late get all.
selinux_keep.py client SERVICE is such a client."""
import os
import socket
import subprocess
import sys

from keep_home import held, unsent_size
from kern import done, equal, ok, processes, read, run, wait_for
from selinux import KEEP, OTHER_PORT, SERVICES, denied, enable, load, restart, set_up, start

PAGE = "/var/www/html/zeros"


def client(port):
    """Ask for more than fits, and read the answer after the server has closed the connection."""
    with socket.create_connection(("127.0.0.1", port), 60) as sock:
        size = unsent_size(sock)
        with open(PAGE, "wb") as page:
            page.truncate(size)
        if port == 80:
            sock.sendall(b"GET /zeros HTTP/1.0\r\n\r\n")
        else:
            sock.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$%d\r\n%b\r\n" % (size, bytes(size)))
            sock.recv(5, socket.MSG_WAITALL)
            sock.sendall(b"GET x\r\nQUIT\r\n")
        print("asked", flush=True)
        sys.stdin.read()
        got = 0
        try:
            for data in iter(lambda: sock.recv(1 << 20), b""):
                got += data.count(0)
        except ConnectionResetError:
            pass
        print("complete" if got == size else "lost")


def leaves(service, wait):
    """Return: what a client gets, the result of wait() before it reads, and what the service was denied."""
    denied(service)
    with subprocess.Popen(["smc_run", sys.executable, __file__, "client", str(service.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        process.stdout.readline()
        found = wait()
        return process.communicate()[0].strip(), found, denied(service, r"\w+")


def keeper():
    """Return: number of sockets that smc_keep has, and its context."""
    return wait_for(held), [read("/proc/%d/attr/current" % pid).rstrip("\0") for pid in processes("smc_keep")]


def check(service):
    load("/opt/policy/sockets")
    enable(service)
    equal(restart(service), ("SMCR", True), service.unit + ", without the module's rules for smc_keep: SMC-R")
    rest, sees, found = leaves(service, lambda: wait_for(lambda: "nsfs_t" in run("dmesg")[1]))
    ok(sees and ("nsfs_t", "file", "getattr") in found, "it is denied what it needs to find smc_keep; the data: " + rest, found)
    equal(processes("smc_keep"), [], "which it does not start")
    load("/opt/policy/services")
    equal(restart(service), ("SMCR", True), "with them: SMC-R")
    equal(leaves(service, keeper), ("complete", (1, ["system_u:system_r:%s:s0" % service.domain]), []),
          "smc_keep has the socket, in the service's domain; the client gets all, and nothing is denied")
    ok(wait_for(lambda: not processes("smc_keep")), "smc_keep has gone")


def main():
    set_up()
    load("/opt/policy/services")
    os.setxattr(KEEP + "/smc_keep", "security.selinux", read("/opt/policy/smc_keep.label").strip().encode())
    for service in OTHER_PORT, SERVICES[1]:
        check(service)
    done()


if __name__ == "__main__":
    if sys.argv[1] == "client":
        client(int(sys.argv[2]))
    elif sys.argv[1] == "inside":
        main()
    else:
        start("selinux_keep.py")
