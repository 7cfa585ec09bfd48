# SPDX-License-Identifier: MIT
"""A root program's sockets with unsent data go to smc_keep of the same namespaces, and to nobody else.
keep_home.py COMMAND [NAME] is one of the others."""
import os
import socket
import subprocess
import sys
import threading

from kern import done, equal, ok, processes, wait_for, write

# A container in the host's network: its root has no capability.
CONTAINER = ["unshare", "--pid", "--mount", "--fork", "setpriv", "--bounding-set=-all"]


def names():
    with open("/proc/net/unix", encoding="ascii", errors="replace") as file:
        return {line.split()[-1] for line in file if "@smc-tools/keep/" in line}


def named():
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def steal(name):
    """Poses as smc_keep, and prints what it gets."""
    write("/proc/self/comm", "smc_keep")
    with named() as listener:
        listener.bind(name.replace("@", "\0"))
        listener.listen()
        print("ready", flush=True)
        while True:
            got = socket.recv_fds(listener.accept()[0], 1, 9)[1]
            if got:
                print("got", len(got), flush=True)
            for fd in got:
                os.close(fd)


def unsent_size(sock):
    """Size of data that does not fit into a reader's buffer, but with the smallest one of a writer."""
    # The option is twice the size of the buffer. A send() that would block is no sign of a full reader: data may be on its way.
    return sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2 + 8192


def victim():
    """Closes a connection whose peer does not read yet, and lets it read when stdin ends."""
    listener, got = socket.create_server(("127.0.0.1", 0)), []

    def drain():
        sock = listener.accept()[0]
        print("closed" if closed.wait() else "", flush=True)
        sys.stdin.read()
        try:
            got.extend(iter(lambda: sock.recv(1 << 20), b""))
        except ConnectionResetError:
            pass

    closed = threading.Event()
    reader = threading.Thread(target=drain)
    reader.start()
    sock = socket.create_connection(listener.getsockname(), 60)
    sent = unsent_size(sock)
    sock.sendall(bytes(sent))
    sock.close()
    closed.set()
    reader.join()
    print("complete" if sum(map(len, got)) == sent else "lost")


class Other(subprocess.Popen):
    """Start this program as another user."""

    def __init__(self, prefix, *words):
        super().__init__([*prefix, sys.executable, __file__, *words], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
        self.first = self.stdout.readline().strip()


def unix_sockets():
    with open("/proc/net/unix", encoding="ascii", errors="replace") as file:
        return {"socket:[%s]" % line.split()[6] for line in file}


def held():
    """Number of sockets passed to keepers; None while one may still get some: it ends without any."""
    pids, own = processes("smc_keep"), unix_sockets()
    found = {link for pid in pids for link in links("/proc/%d/fd" % pid) if link.startswith("socket:")}
    return len(found - own - unix_sockets()) or (None if pids else 0)


def links(directory):
    try:
        return [os.readlink(os.path.join(directory, name)) for name in os.listdir(directory)]
    except OSError:
        return []


def held_at_last():
    """Number of sockets passed to keepers, once it is known."""
    return wait_for(lambda: held() is not None) and held()


def count_keepers():
    return len(processes("smc_keep"))


def closes(prefix=(), way=("smc_run",), count=count_keepers):
    """Result of a victim, with the number of keepers, or what else is counted, and the names that existed."""
    with Other([*prefix, *way], "victim") as other:
        keepers, found = count(), names()
        rest = other.communicate()[0].strip()
    return rest, keepers, found


def main():
    rest, keepers, found = closes()
    equal((rest, keepers, len(found)), ("complete", 1, 1), "the keeper has what is unsent, and one name")
    ok(wait_for(lambda: not names(), 60), "the name is free")
    with Other(CONTAINER, "steal", *found) as thief:
        equal(thief.first, "ready", "a container's root has the name")
        equal(names(), found, "which is the same")
        rest, keepers, _ = closes()
        ok(rest, "the victim ends", rest)
        subprocess.run(["pkill", "-KILL", "-P", str(thief.pid)], check=True)
        equal(thief.communicate()[0], "", "and has got nothing")
    rest, keepers, again = closes()
    equal((rest, keepers, again), ("complete", 1, found), "without it there is a keeper again")
    ok(wait_for(lambda: not names(), 60), "the name is free again")
    # Two unmapped users cannot be distinguished.
    equal(closes(["unshare", "--user"])[1:], (0, set()), "a user that is not mapped gets none")
    rest, keepers, others = closes(["unshare", "--pid", "--mount-proc", "--fork", "sh", "-c", '"$@"; exit', "sh"])
    equal((rest, keepers), ("complete", 1), "a container has its own keeper")
    ok(not others & found, "of another name", others)
    done()


if __name__ != "__main__":
    pass
elif sys.argv[1:]:
    {"steal": steal, "victim": victim}[sys.argv[1]](*sys.argv[2:])
else:
    main()
