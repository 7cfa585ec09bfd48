# SPDX-License-Identifier: MIT
"""The same sessions of well-known protocols over TCP and over SMC, captured.

usage: dialogs.py redis|http|pgsql      the client's part, on the port that the protocol is known by
       dialogs.py httpd                 the server of http
Over TCP the capture is what the network has: DIRECTORY/dialog-NAME-tcp.pcap. smc_dump has its own."""
import glob
import http.client
import http.server
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys

PORTS = {"redis": 6379, "http": 8080, "pgsql": 5432}
ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
BODY = bytes(i * 7 & 255 for i in range(1000)) * 1000
WORK = "/run/dialogs"


# ---- clients ----

class Lines:
    """Replies of a redis server."""
    def __init__(self, port):
        self.conn = socket.create_connection(("127.0.0.1", port))
        self.file = self.conn.makefile("rb")

    def answer(self):
        line = self.file.readline()
        size = int(line[1:]) if line[:1] in b"$*" else 0
        if line[:1] == b"$" and size >= 0:
            return self.file.read(size + 2)[:-2]
        return [self.answer() for _ in range(size)] if line[:1] == b"*" else line[1:-2]

    def say(self, *commands):
        """Send any number of commands by one write."""
        self.conn.sendall(b"".join(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)
                                   for words in [command.encode().split(b" ") for command in commands]))
        return [self.answer() for _ in commands]


def redis(port):
    lines = Lines(port)
    lines.say("FLUSHALL")
    lines.say("SET greeting hello")
    assert lines.say("GET greeting") == [b"hello"]
    lines.say(*["RPUSH list item%d" % i for i in range(200)])
    assert len(lines.say("LRANGE list 0 -1")[0]) == 200
    lines.say("INCR greeting", "INCR counter", "NOSUCHCOMMAND", "GET nothing")
    # tshark shows data that spans two packets twice. This value is large, but request and answer fit into one packet
    # each.
    lines.say("SET big " + "v" * 6000)
    assert lines.say("GET big", "STRLEN big") == [b"v" * 6000, b"6000"]
    lines.say("QUIT")


def http_client(port):
    conn = http.client.HTTPConnection("127.0.0.1", port)
    for method, path, body in (("GET", "/small", None), ("GET", "/big?size=1000000", None), ("POST", "/upload", BODY[:300000]),
                               ("HEAD", "/small", None), ("GET", "/nosuch", None), ("GET", "/small", None)):
        conn.request(method, path, body)
        got = conn.getresponse().read()
        assert not path.startswith("/big") or got == BODY
    conn.close()


def pgsql(port):
    environment = dict(os.environ, PGSSLMODE="disable", PGGSSENCMODE="disable")
    subprocess.run(["psql", "-X", "-h", "127.0.0.1", "-p", str(port), "-U", "nobody", "-d", "postgres", "-At", "-c", "create table t (a int, b text)",
                    "-c", "insert into t select i, repeat('x', i) from generate_series(1, 300) i", "-c", "select * from t order by a",
                    "-c", "select nosuch", "-c", "copy t to stdout", "-c", "drop table t"], env=environment, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        bodies = {"/small": b"small", "/big?size=1000000": BODY}
        self.answer(200 if self.path in bodies else 404, bodies.get(self.path, b"nothing"))

    def do_POST(self):
        self.answer(201, b"%d" % len(self.rfile.read(int(self.headers["Content-Length"]))))

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


# ---- the network ----

class Sniffer:
    """A capture of traffic on lo from and to some ports, as by tcpdump -w."""
    def __init__(self, path, ports):
        sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        sniffer.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        sniffer.bind(("lo", ETH_P_ALL))
        sniffer.settimeout(0.2)
        self.pid = os.fork()
        if not self.pid:
            ended = []
            signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
            with open(path, "wb") as file:
                file.write(struct.pack("=IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))
                time = 0
                while True:
                    try:
                        data, name = sniffer.recvfrom(262144)
                    except TimeoutError:
                        if ended:
                            break
                        continue
                    sport, dport = struct.unpack_from(">HH", data, 34)
                    if name[2] == socket.PACKET_OUTGOING or data[12:14] != b"\x08\0" or data[23] != 6 or not {sport, dport} & ports:
                        continue
                    time += 1
                    file.write(struct.pack("=IIII", time // 1000, time % 1000 * 1000, len(data), len(data)) + data)
            os._exit(0)
        sniffer.close()

    def end(self):
        """Wait until earlier traffic is in the file."""
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)


# ---- sessions ----

def as_nobody(*argv):
    return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *argv]


def server_of(name):
    if name == "redis":
        return ["redis-server", "--port", "6379", "--save", "", "--bind", "127.0.0.1"]
    if name == "http":
        return [sys.executable, __file__, "httpd"]
    tools = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
    if not os.path.exists(WORK + "/data"):
        os.makedirs(WORK, exist_ok=True)
        os.chmod(WORK, 0o777)
        assert pwd.getpwuid(65534).pw_name == "nobody"
        subprocess.run(as_nobody(tools + "/initdb", "-D", WORK + "/data", "-A", "trust", "-N", "--locale=C"), check=True,
                       stdout=subprocess.DEVNULL, cwd="/")
    return as_nobody(tools + "/postgres", "-D", WORK + "/data", "-k", WORK, "-h", "127.0.0.1", "-c",
                     "dynamic_shared_memory_type=mmap")


def listens(port):
    """Over TCP, or as the TCP socket inside an SMC socket."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        return any(line.split()[1].endswith(":%04X" % port) and line.split()[3] == "0A" for line in table.readlines()[1:])


def wait_listening(port, server):
    while not listens(port):
        assert server.poll() is None, "the server ended"


def session(name, directory, way):
    prefix = ["smc_run"] if way == "smc" else []
    sniffer = Sniffer("%s/dialog-%s-tcp.pcap" % (directory, name), {PORTS[name]}) if way == "tcp" else None
    with subprocess.Popen(prefix + server_of(name), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as server:
        wait_listening(PORTS[name], server)
        subprocess.run([*prefix, sys.executable, __file__, name], check=True)
        server.terminate()
    if sniffer:
        sniffer.end()


def dialogs():
    """List of pairs: name, and a function that runs the dialog over @way in @directory; None if its programs are missing."""
    has = {"redis": shutil.which("redis-server"), "http": True, "pgsql": glob.glob("/usr/lib/postgresql/*/bin/postgres") and shutil.which("psql")}
    return [(name, (lambda way, directory, name=name: session(name, directory, way)) if has[name] else None) for name in PORTS]


if __name__ == "__main__":
    if sys.argv[1] == "httpd":
        http.server.ThreadingHTTPServer(("127.0.0.1", PORTS["http"]), Web).serve_forever()
    {"redis": redis, "http": http_client, "pgsql": pgsql}[sys.argv[1]](PORTS[sys.argv[1]])
