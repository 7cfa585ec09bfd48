# SPDX-License-Identifier: MIT
"""Typical servers: under smc_run each starts, serves over SMC-D, reloads, serves, stops."""
import glob
import os
import pwd
import signal
import socket
import subprocess
import sys
import tempfile

from kern import done, listing, ok, run, wait_for
from nginx import nginx_conf

WORK = tempfile.mkdtemp(dir="/dev/shm")
USER = pwd.getpwnam("nobody")

# Connects, says when it is connected, and stays until its standard input ends.
CLIENT = """
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
print("connected", flush=True)
sys.stdin.read()
"""

NODE = """
const http = require('http');
http.createServer((q, r) => r.end('hello')).listen(7005, '127.0.0.1');
"""

HAPROXY = """
global
    stats socket %(work)s/haproxy.sock mode 600 level admin
    master-worker
defaults
    mode http
    timeout connect 5s
    timeout client 20s
    timeout server 20s
frontend front
    bind 127.0.0.1:7004
    default_backend back
backend back
    server one 127.0.0.1:7002
"""

SSHD = """
Port 7006
ListenAddress 127.0.0.1
HostKey %(work)s/key
AuthorizedKeysFile %(work)s/key.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PidFile %(work)s/sshd.pid
"""


def write(name, text):
    path = os.path.join(WORK, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text % {"work": WORK} if "%(work)s" in text else text)
    return path


def is_up(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
        return True
    except OSError:
        return False


def modes(port):
    """The transport of a held connection, seen from the client and the server."""
    with subprocess.Popen(["smc_run", sys.executable, "-c", CLIENT, str(port)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as client:
        if client.stdout.readline() != "connected\n":
            return ["the client does not connect"]
        seen = wait_for(lambda: len(both(port)) == 2 and both(port)) or both(port)
        client.stdin.close()
    return seen


def both(port):
    ends = listing("(", "dport", "=", ":%d" % port, "or", "sport", "=", ":%d" % port, ")",
                   "and", "state", "ACTIVE")
    return sorted(end["mode"] for end in ends)


def quiet(*argv, **kwargs):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                          check=False, **kwargs)


def http(port):
    return run("smc_run", "curl", "-sS", "-m", "120", "http://127.0.0.1:%d/" % port)[:2] == (0, "hello")


def as_user(*argv):
    return ("setpriv", "--reuid=%d" % USER.pw_uid, "--regid=%d" % USER.pw_gid, "--clear-groups", *argv)


class Server:
    """A program under smc_run, from its start to its end."""

    def __init__(self, name, port, argv, serves, reload=None, stop=signal.SIGTERM, prefix=()):
        self.name, self.port, self.serves, self.stop = name, port, serves, stop
        self.reload = reload or (lambda: False)
        self.log = open(os.path.join(WORK, name + ".log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen([*prefix, "smc_run", *argv], stdout=self.log,
                                        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=WORK)

    def words(self):
        self.log.seek(0)
        return self.log.read()[-3000:]

    def check(self):
        ok(wait_for(lambda: is_up(self.port)), self.name + ": starts", self.words())
        ok(self.serves(), self.name + ": serves", self.words())
        seen = modes(self.port)
        print("# %s: %s" % (self.name, " ".join(seen) or "no SMC socket"))
        ok(seen == ["SMCD", "SMCD"], self.name + ": both ends over SMC-D", seen)
        if self.reload():
            ok(wait_for(self.serves), self.name + ": serves after a reload", self.words())
            ok(wait_for(lambda: modes(self.port) == ["SMCD", "SMCD"]), self.name +
               ": and still over SMC-D", modes(self.port))
        return self

    def end(self):
        self.process.send_signal(self.stop)
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "killed"
        ok(status in (0, -self.stop, 128 + self.stop), self.name + ": ends when asked", (status, self.words()))
        ok(wait_for(lambda: not is_up(self.port)), self.name + ": and does not serve any more")


def redis():
    def serves():
        cli = ["smc_run", "redis-cli", "-p", "7001"]
        return run(*cli, "set", "key", "x" * 100000)[1] == "OK\n" and \
            run(*cli, "get", "key")[1] == "x" * 100000 + "\n"
    return Server("redis", 7001, ["redis-server", "--port", "7001", "--save", "", "--bind", "127.0.0.1"],
                  serves, lambda: run("redis-cli", "-p", "7001", "debug", "reload")[0] == 0)


def nginx():
    conf = nginx_conf(WORK, 'listen 127.0.0.1:7002 reuseport fastopen=8; location / { return 200 "hello"; }', 2)
    return Server("nginx", 7002, ["nginx", "-c", conf], lambda: http(7002),
                  lambda: quiet("nginx", "-c", conf, "-s", "reload").returncode == 0)


def memcached():
    def serves():
        status, out, _ = run("smc_run", sys.executable, "-c", """
import socket
s = socket.create_connection(("127.0.0.1", 7003), 20)
s.sendall(b"set k 0 0 50000\\r\\n" + b"v" * 50000 + b"\\r\\nget k\\r\\nquit\\r\\n")
print(s.makefile("rb").read().count(b"v"))
""")
        return (status, out) == (0, "50000\n")
    return Server("memcached", 7003, ["memcached", "-u", "root", "-l", "127.0.0.1", "-p", "7003"], serves)


def haproxy():
    conf = write("haproxy.cfg", HAPROXY)

    def reload():
        server.process.send_signal(signal.SIGUSR2)
        return True
    server = Server("haproxy", 7004, ["haproxy", "-W", "-f", conf], lambda: http(7004), reload)
    return server


def node():
    return Server("node", 7005, ["node", write("server.js", NODE)], lambda: http(7005))


def sshd():
    os.makedirs("/run/sshd", exist_ok=True)
    if "sshd" not in [user.pw_name for user in pwd.getpwall()]:
        with open("/etc/passwd", "a", encoding="ascii") as file:
            file.write("sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n")
    key = os.path.join(WORK, "key")
    if not os.path.exists(key):
        quiet("ssh-keygen", "-q", "-N", "", "-t", "ed25519", "-f", key)
    conf = write("sshd_config", SSHD)

    def serves():
        return run("smc_run", "ssh", "-F", "/dev/null", "-i", key, "-p", "7006", "-o", "BatchMode=yes",
                   "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                   "root@127.0.0.1", "head -c 300000 /dev/zero | wc -c")[1].strip() == "300000"

    def reload():
        server.process.send_signal(signal.SIGHUP)
        return True
    server = Server("sshd", 7006, ["/usr/sbin/sshd", "-D", "-e", "-f", conf], serves, reload)
    return server


def postgres():
    tools = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
    data = os.path.join(WORK, "data")
    made = quiet(*as_user(tools + "/initdb", "-D", data, "-A", "trust", "-N", "--locale=C"), cwd="/")
    if made.returncode:
        ok(False, "postgres: initdb", made.stdout)

    def serves():
        return run("smc_run", "psql", "-h", "127.0.0.1", "-p", "7007", "-U", "nobody", "-d", "postgres",
                   "-Atc", "select length(repeat('x', 1000000))")[1] == "1000000\n"
    return Server("postgres", 7007, [tools + "/postgres", "-D", data, "-p", "7007", "-k", WORK, "-h",
                                     "127.0.0.1", "-c", "dynamic_shared_memory_type=mmap"], serves,
                  lambda: quiet(*as_user(tools + "/pg_ctl", "-D", data, "reload"), cwd="/").returncode == 0,
                  signal.SIGINT, as_user())


def main():
    os.chmod(WORK, 0o777)
    backend = nginx().check()
    haproxy().check().end()
    backend.end()
    for start in (redis, memcached, node, sshd, postgres):
        start().check().end()
    done()


main()
