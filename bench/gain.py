# SPDX-License-Identifier: MIT
"""Effect of SMC on programs, by the size of its buffers: each figure is SMC divided by TCP, medians of runs that take turns.
In a guest: with loopback-ism over SMC-D, where nothing is emulated; over Soft-RoCE only sizes can be compared.
usage: gain.py [learned [WORD] | spin | clients [WORD] | known [WORD] | programs [WORD]]
learned: whether smc_run is ever slower than TCP, for programs with WORD only; spin: smc_run --spin, on two processors;
clients: servers by number of clients, beside busy loops and without requests, for rows with WORD only;
known: the loads that the authors of SMC in the kernel have published, and small writes;
programs: those of docs/programs.md, by their own clients"""
import functools
import glob
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import threading
import time

from files import TOOLS, into_memory, opened

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
OVER = "SMC-D" if os.environ["SMC_LAB_KERNEL"] == "lo" else "SMC-R"
SIZES = ["64K", "128K", "256K", "512K", "1M"] + ([] if OVER == "SMC-D" else ["4M"])
HOST = os.environ.get("SMC_LAB_PEER_IP", "127.0.0.1")
NODE = os.environ["SMC_LAB_NODE"] if HOST != "127.0.0.1" else None  # in a pair of guests: 1 has the servers
PART = 10 if NODE else 1  # a pair without KVM is slow
DATABASE = "/dev/shm/database"


def by(size):
    """Start of the command line. @size: "TCP" for no library, buffer size of SMC, or options of smc_run."""
    if size == "TCP":
        return []
    return [TOOLS + "/smc_run", *(size if isinstance(size, list) else ["--strict", "-r", size, "-t", size])]


def out(*argv, **kwargs):
    return subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True, **kwargs).stdout


class Server:
    """A server on its own port, ended by its process id."""
    port = 7000

    def __init__(self, size, *argv, **kwargs):
        Server.port += 1
        argv = [str(Server.port) if word == "PORT" else word for word in argv]
        self.process = subprocess.Popen(by(size) + argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kwargs)
        while not self.listens():
            if self.process.poll() is not None:
                raise SystemExit("%s: status %d" % (argv[0], self.process.returncode))
            time.sleep(0.05)

    @staticmethod
    def listens():
        for name in "/proc/net/tcp", "/proc/net/tcp6":
            with open(name, encoding="ascii") as file:
                if any(words[1].endswith(":%04X" % Server.port) and words[3] == "0A" for words in map(str.split, file)):
                    return True
        return False

    def __enter__(self):
        return str(self.port)

    def __exit__(self, *exc):
        self.process.kill()
        self.process.wait()


def iperf3_rate(way, port, *argv):
    doc = json.loads(out(*by(way), "iperf3", "-c", HOST, "-p", port, *argv, "-J"))
    return doc["end"]["sum_received"]["bits_per_second"]


def iperf3(size, streams="1"):
    with Server(size, "iperf3", "-s", "-p", "PORT") as port:
        return iperf3_rate(size, port, "-t", "3", "-P", streams)


def http(size):
    with Server(size, "python3", "-m", "http.server", "PORT", cwd="/dev/shm") as port:
        return float(out(*by(size), "curl", "-sS", "-f", "-o", "/dev/null", "-w", "%{speed_download}",
                         "http://%s:%s/page" % (HOST, port)))


REDIS = "redis-server", "--port", "PORT", "--save", "", "--appendonly", "no", "--protected-mode", "no"


def redis_rate(way, port, *argv):
    return float(out(*by(way), "redis-benchmark", "-h", HOST, "-p", port, "--csv", *argv, stderr=subprocess.DEVNULL).splitlines()[-1].split(",")[1].strip('"'))


def redis(size, clients, requests, data):
    with Server(size, *REDIS) as port:
        return redis_rate(size, port, "-t", "set" if data > 3 else "get", "-c", str(clients), "-n", str(requests), "-d", str(data))


@functools.cache
def make_database():
    """Return: the server's program."""
    tools = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
    os.mkdir(DATABASE)
    os.chown(DATABASE, 65534, 65534)
    subprocess.run([tools + "/initdb", "-D", DATABASE, "-A", "trust", "-N", "--locale=C"], user=65534, group=65534,
                   stdout=subprocess.DEVNULL, check=True, cwd="/")
    return tools + "/postgres"


def postgres(size):
    """Seconds for two million rows, as rows per second."""
    with Server(size, POSTGRES, "-D", DATABASE, "-p", "PORT", "-k", "/dev/shm", "-h", HOST, user=65534, group=65534,
                cwd="/") as port:
        query = [*by(size), "psql", "-h", HOST, "-p", port, "-U", "nobody", "-d", "postgres", "-qAtc"]
        subprocess.run([*query, "select 1"], stdout=subprocess.DEVNULL, check=True)
        start = time.monotonic()
        subprocess.run([*query, "copy (select generate_series(1, 500000)) to stdout"], stdout=subprocess.DEVNULL,
                       check=True)
        return 500000 / (time.monotonic() - start)


def lives(size):
    return 1e9 / float(out(*by(size), TOOLS + "/life", "100"))


PROGRAMS = [
    ("iperf3, 1 stream", iperf3),
    ("iperf3, 8 streams", lambda size: iperf3(size, "8")),
    ("http.server and curl", http),
    ("PostgreSQL, COPY", postgres),
    ("redis GET, 1 client", lambda size: redis(size, 1, 1000, 3)),
    ("redis GET, 50 clients", lambda size: redis(size, 50, 4000, 3)),
    ("redis GET, 1000 clients", lambda size: redis(size, 1000, 4000, 3)),
    ("redis SET of 64 KiB", lambda size: redis(size, 4, 500, 65536)),
    ("whole lives of connections", lives),
]


def usage():
    """Bytes of buffers used by connections; link groups keep more for later ones."""
    stats = json.loads(out(TOOLS + "/" + ("smcd" if OVER == "SMC-D" else "smcr"), "-j", "stats"))
    return sum(side.get("buffer_usage_bytes", 0) for side in (stats["rx"], stats["tx"]))


def memory(size):
    """MiB of kernel memory for both ends of 100 connections."""
    before = usage()
    holder = subprocess.Popen([*by(size), "python3", "-c",
                               "import socket, sys\nl = socket.create_server(('127.0.0.1', 0), backlog=128)\n"
                               "c = [(socket.create_connection(l.getsockname()), l.accept()) for _ in range(100)]\n"
                               "print(flush=True)\nsys.stdin.read()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    total = usage() - before
    holder.stdin.close()
    holder.wait()
    return total / 2**20


def row(name, figures, form):
    print("| %-26s |" % name + "".join(" %6s |" % ("" if figure is None else form % figure) for figure in figures), flush=True)


def measure(name, program, base):
    """Call @program with each buffer size, and divide its figures by those with @base."""
    figures = {size: [] for size in dict.fromkeys([base, *SIZES])}
    for _ in range(ROUNDS):
        for size, values in figures.items():
            values.append(program(size))
    middle = {size: statistics.median(values) for size, values in figures.items()}
    row(name, [middle[size] / middle[base] for size in SIZES], "%.2f")


# ---- programs that leave short connections to TCP by themselves ----

NGINX = """daemon off; worker_processes 1; pid /dev/shm/nginx.pid; error_log /dev/null;
events { worker_connections 4096; } http { access_log off; server { listen %d; location / { return 200 "hello"; } } }"""
WAYS = {"TCP": "TCP", "smc_run": [], "smc_run --no-learn": ["--no-learn"]}


def busy():
    """Seconds in which the processor worked. While a guest waits for files over 9p, its clock of instructions leaps."""
    with open("/proc/stat", encoding="ascii") as stat:
        idle = sum(map(int, stat.readline().split()[4:6]))
    return time.monotonic() - (0 if NODE else idle / os.sysconf("SC_CLK_TCK"))


def number_after(text, word):
    return float(text[text.index(word) + len(word):].split()[0])


def curls(way, port, count=30):
    start = busy()
    subprocess.run([*by(way), "sh", "-c", "curl -sS http://%s:%s/;" % (HOST, port) * count], stdout=subprocess.DEVNULL, check=True)
    return count / (busy() - start)


def ab(way, port):
    return number_after(out(*by(way), "ab", "-q", "-n", str(5000 // PART), "-c", "8", "http://%s:%s/" % (HOST, port)), "Requests per second:")


def pgbench(way, port, *argv):
    return number_after(out(*by(way), PGBENCH, "-h", HOST, "-p", port, "-U", "nobody", "-S", "-n", "-c", "2", *argv, "postgres"), "tps = ")


LOADS = {
    "nginx, curl for each request": ("nginx", curls),
    "nginx, ab -c 8 without keep-alive": ("nginx", ab),
    "redis, a connection for each GET": ("redis", lambda way, port: redis_rate(way, port, "-t", "get", "-k", "0", "-c", "8", "-n", str(3000 // PART))),
    "redis, 16 GETs at a time": ("another redis", lambda way, port: redis_rate(way, port, "-t", "get", "-P", "16", "-c", "4", "-n", str(40000 // PART))),
    "iperf3": ("iperf3", lambda way, port: iperf3_rate(way, port, "-n", "%dM" % (200 // PART))),
    "pgbench": ("postgres", lambda way, port: pgbench(way, port, "-t", "200")),
    "pgbench -C": ("postgres", lambda way, port: pgbench(way, port, "-t", "20", "-C")),
}


def nginx():
    """Command line of a server on the next port."""
    with open("/dev/shm/nginx.conf", "w", encoding="ascii") as file:
        file.write(NGINX % (Server.port + 1))
    return ["nginx", "-g", "", "-c", "/dev/shm/nginx.conf"]


def serve(argv, **kwargs):
    """Start a server, which ends with the guest; in a pair, in guest 1 only. Return: its port."""
    if NODE == "2":
        Server.port += 1
    else:
        Server([], *argv, **kwargs)
    return str(Server.port)


def start_servers():
    """Return: port of each, by name."""
    servers = {
        "nginx": nginx(),
        "redis": REDIS,
        "another redis": REDIS,
        "iperf3": ["iperf3", "-s", "-p", "PORT"],
    }
    ports = {name: serve(argv) for name, argv in servers.items()}
    if POSTGRES:
        ports["postgres"] = serve([POSTGRES, "-D", DATABASE, "-p", "PORT", "-k", "/dev/shm", "-h", HOST], user=65534, group=65534, cwd="/")
        subprocess.run([PGBENCH, "-h", HOST, "-p", ports["postgres"], "-U", "nobody", "-i", "-q", "postgres"], stderr=subprocess.DEVNULL, check=True)
    return ports


def rates(names, way, ports):
    """Rates of all loads, which run at the same time."""
    got = {}
    threads = [threading.Thread(target=lambda name=name: got.update({name: LOADS[name][1](way, ports[LOADS[name][0]])}))
               for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got


def compare(names, ports):
    """Rates divided by those of a client without the library in the same round, after smc_run has learned."""
    ratios = []
    rates(names, WAYS["smc_run"], ports)
    for turn in range(ROUNDS):
        first = turn % len(WAYS)  # it may have an advantage
        got = {name: rates(names, WAYS[name], ports) for name in [*WAYS][first:] + [*WAYS][:first]}
        ratios.append({load: [got[name][load] / got["TCP"][load] for name in list(WAYS)[1:]] for load in names})
    for load in names:
        print("| %-33s | %5.2f | %5.2f |" % (load, *map(statistics.median, zip(*(ratio[load] for ratio in ratios)))), flush=True)


def run_clients(ports, word):
    for argv in ["sh", "-c", "curl http://%s:1/" % HOST], ["ab", "-V"], ["redis-benchmark", "-v"], ["iperf3", "-v"], [PGBENCH, "-V"]:
        into_memory(opened(TOOLS + "/smc_run", *argv))
    loads = [load for load, (server, _) in LOADS.items() if server in ports and word in load]
    print("| a client, its server under smc_run | smc_run | smc_run --no-learn |\n|---|--:|--:|", flush=True)
    for load in loads:
        compare([load], ports)
    if not word and not NODE:  # links of Soft-RoCE break under all loads
        print("| **all together** | | |", flush=True)
        compare(loads, ports)
    print(out(TOOLS + "/smcss", "--learned"))


def learned(word=""):
    ports = start_servers()
    subprocess.run(["smc-lab-sync", "servers-listen"], check=True)
    if NODE != "1":
        run_clients(ports, word)
    subprocess.run(["smc-lab-sync", "clients-ended"], check=True)


def pingpong(way, call, *before):
    """Return: microseconds for a round trip, and the number of these."""
    return float(out(*by(way), *before, TOOLS + "/pingpong", call, "20000").split()[2]), 20000


def sockperf(way, kind, size, word):
    """Return: the number after a word, and that of messages received."""
    with Server(way, "sockperf", "server", "--tcp", "-p", "PORT") as port:
        said = out(*by(way), "sockperf", kind, "--tcp", "-i", HOST, "-p", port, "-t", "2", "-m", str(size))
    return number_after(said, word), int(re.findall(r"ReceivedMessages=(\d+)", said)[-1])


def one_client(way):
    with Server(way, *REDIS) as port:
        return 1e6 / redis_rate(way, port, "-t", "get", "-c", "1", "-n", "20000"), 20000


def costs(load, way):
    """Time of a round trip; voluntary context switches and processor time of both ends for one."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    usec, count = load(way)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    return usec, (end.ru_nvcsw - start.ru_nvcsw) / count, processor / count


def spin():
    """Costs of a round trip with --spin and over TCP. Time and processor time are divided by that over SMC without --spin."""
    strict = ["--no-learn", "--strict"]
    ways = {"TCP": "TCP", "SMC": strict, **{option: [*strict, option] for option in ("--spin", "--spin=50", "--spin=200")}}
    loads = {call: lambda way, call=call: pingpong(way, call) for call in ("recv", "poll", "epoll")}
    loads["recv, on one processor"] = lambda way: pingpong(way, "recv", "taskset", "1")
    loads["sockperf ping-pong"] = lambda way: sockperf(way, "ping-pong", 64, "Latency is")
    loads["redis GET, 1 client"] = one_client
    print("| 64 bytes to and fro | over | time | switches | processor |\n|---|---|--:|--:|--:|", flush=True)
    for name, load in loads.items():
        runs = [{label: costs(load, way) for label, way in ways.items()} for _ in range(ROUNDS)]
        medians = {label: list(map(statistics.median, zip(*(run[label] for run in runs)))) for label in ways}
        smc = medians["SMC"]
        for label, (usec, switches, processor) in medians.items():
            print("| %s | %s | %.2f | %.3f | %.2f |" % (name, label, usec / smc[0], switches, processor / smc[2]), flush=True)


# ---- servers by their number of clients ----

SPINS = {"TCP": "TCP", "SMC": ["--no-learn", "--strict"], "--spin": ["--no-learn", "--strict", "--spin"], "unix socket": "TCP"}
PINGS = """import socket, sys, time
ends = [socket.create_connection((sys.argv[1], int(sys.argv[2]))) for _ in range(10)]
for _ in range(10):
    time.sleep(1)
    if sys.argv[3:]:
        ends[0].sendall(b"PING\\r\\n")
        ends[0].recv(100)"""


def worked():
    """Seconds in which the processors worked, for both ends and the kernel."""
    with open("/proc/stat", encoding="ascii") as stat:
        idle = sum(map(int, stat.readline().split()[4:6]))
    return os.cpu_count() * time.monotonic() - idle / os.sysconf("SC_CLK_TCK")


def by_redis(command, label, port, clients, count):
    where = ["-s", SOCKET] if label == "unix socket" else []
    return redis_rate(SPINS[label], port, *where, "-t", command, "-c", str(clients), "-n", str(count))


def by_pgbench(label, port, clients, count):
    host = "/dev/shm" if label == "unix socket" else HOST
    argv = ["-h", host, "-p", port, "-U", "nobody", "-S", "-n", "-c", str(clients), "-t", str(max(count // clients, 1)), "postgres"]
    return number_after(out(*by(SPINS[label]), os.path.dirname(make_database()) + "/pgbench", *argv), "tps = ")


def start_redis(label):
    return Server(SPINS[label], *REDIS, *(["--unixsocket", SOCKET] if label == "TCP" else []))


def start_postgres(label):
    postgres, where = make_database(), DATABASE + label
    subprocess.run(["cp", "-a", DATABASE, where], check=True)
    server = Server(SPINS[label], postgres, "-D", where, "-p", "PORT", "-k", "/dev/shm", "-h", HOST, user=65534, group=65534, cwd="/")
    subprocess.run([os.path.dirname(postgres) + "/pgbench", "-h", HOST, "-p", str(Server.port), "-U", "nobody", "-i", "-q", "postgres"],
                   stderr=subprocess.DEVNULL, check=True)
    return server


# How to start a server, its load, and the numbers of clients.
SERVERS = {
    "redis GET": (start_redis, lambda *args: by_redis("get", *args), (1, 2, 3, 4, 6, 8, 16, 50)),
    "redis SET": (start_redis, lambda *args: by_redis("set", *args), (1, 2, 3, 4, 6, 8, 16, 50)),
    "pgbench -S": (start_postgres, by_pgbench, (1, 2, 4, 8, 16)),
}


def interval(values):
    """Median, and the least and the largest: of six values an interval of 97 % for it."""
    return "%.2f (%.2f–%.2f)" % (statistics.median(values), min(values), max(values))


def by_clients(name, load, ports, clients, labels, columns=2):
    """Print rows of rates, and of processor time with 2 @columns, divided by those of the first way in the same round."""
    def costs_of(label):
        before = worked()
        rate = load(label, ports[label], clients, count)
        return rate, (worked() - before) / count

    count = 500
    count = int(1.5 * costs_of(labels[0])[0])
    rounds = []
    for turn in range(2 * ROUNDS):
        first = turn % len(labels)
        rounds.append({label: costs_of(label) for label in labels[first:] + labels[:first]})
    for label in labels:
        ratios = [interval([got[label][i] / got[labels[0]][i] for got in rounds]) for i in range(columns)]
        print("| %s | %s | %d | %s |" % (name, label, statistics.median(got[label][0] for got in rounds), " | ".join(ratios)), flush=True)


def share(server, way, port, *pings):
    """Share of a processor that a server uses with ten connections, with one request a second or none."""
    def used():
        with open("/proc/%d/schedstat" % server.pid, encoding="ascii") as stat:
            return int(stat.read().split()[0]) / 1e9
    before, start = used(), time.monotonic()
    subprocess.run([*by(way), "python3", "-c", PINGS, HOST, port, *pings], check=True)
    return (used() - before) / (time.monotonic() - start)


def beside_loops(ports):
    """The loops use all processor time that is left."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4)]
    for number in 1, 4:
        by_clients("redis GET, clients: %d, beside four busy loops" % number, SERVERS["redis GET"][1], ports, number, ["SMC", "--spin"], 1)
    for loop in loops:
        loop.kill()


def shares(servers, ports):
    for name, pings in ("idle", ()), ("a request a second", "1"):
        used = ["%s %.2f %%" % (label, 100 * share(server, SPINS[label], ports[label], *pings)) for label, server in servers.items()]
        print("redis with ten connections, %s, uses of a processor: %s" % (name, ", ".join(used)), flush=True)


def clients(*words):
    word = " ".join(words)
    print("| | over | a second | rate | processor |\n|---|---|--:|--:|--:|", flush=True)
    for name, (start, load, numbers) in SERVERS.items():
        rows = {"%s, clients: %d" % (name, number): number for number in numbers}
        rows = {row_name: number for row_name, number in rows.items() if word in row_name}
        if not rows:
            continue
        servers, ports = {}, {}
        for label in list(SPINS)[:3]:
            servers[label] = start(label).process
            ports[label] = str(Server.port)
        ports["unix socket"] = ports["TCP"]
        for row_name, number in rows.items():
            by_clients(row_name, load, ports, number, list(SPINS))
        if name == "redis GET":
            beside_loops(ports)
            shares(servers, ports)
        for server in servers.values():
            server.kill()


# ---- loads whose results others have published ----

SOCKET = "/dev/shm/redis.sock"


def iperf3_writes(way, size):
    with Server(way, "iperf3", "-s", "-p", "PORT") as port:
        return iperf3_rate(way, port, "-t", "2", "-l", str(size))


def wrk(way):
    with Server(way, *nginx()) as port:
        return number_after(out(*by(way), "wrk", "-t", "2", "-c", "1000", "-d", "3s", "http://%s:%s/" % (HOST, port)), "Requests/sec:")


def redis_known(way, clients, command):
    unix = way == "unix socket"
    way = "TCP" if unix else way
    with Server(way, *REDIS, *(["--unixsocket", SOCKET] if unix else [])) as port:
        return redis_rate(way, port, *(["-s", SOCKET] if unix else []), "-t", command, "-c", str(clients), "-n", "6000", "-d", "1024")


KNOWN = {
    "64 bytes to and fro": lambda way: 1 / pingpong(way, "recv")[0],
    "sockperf ping-pong, 14 bytes": lambda way: 1 / sockperf(way, "ping-pong", 14, "Latency is")[0],
    "sockperf throughput, 64000 bytes": lambda way: sockperf(way, "throughput", 64000, "BandWidth is")[0],
    "nginx, wrk -c 1000": wrk,
    "redis GET, 200 clients": lambda way: redis_known(way, 200, "get"),
    "redis SET, 200 clients": lambda way: redis_known(way, 200, "set"),
}
WRITES = {"iperf3, writes of %d bytes" % size: lambda way, size=size: iperf3_writes(way, size) for size in (1, 16, 64, 256, 1024)}
CLIENTS = {"redis SET, clients: %d" % clients: lambda way, clients=clients: redis_known(way, clients, "set") for clients in (1, 2, 16, 64, 256)}


def known(word=""):
    """Rates divided by TCP's. The size of the buffers is that of few connections."""
    strict = ["--no-learn", "--strict", "-r", "512K", "-t", "512K"]
    ways = {OVER: strict, OVER + ", --spin": [*strict, "--spin"], "unix socket": "unix socket"}
    row("divided by TCP", ways, "%s")
    print("|---|" + "--:|" * len(ways), flush=True)
    for name, load in ({**KNOWN, **WRITES} if OVER == "SMC-D" else CLIENTS).items():
        if word not in name:
            continue
        able = {label: way for label, way in ways.items() if way != "unix socket" or name.startswith("redis")}
        rounds = [(load("TCP"), {label: load(way) for label, way in able.items()}) for _ in range(ROUNDS)]
        row(name, [statistics.median(rates[label] / tcp for tcp, rates in rounds) if label in able else None for label in ways], "%.2f")


# ---- the programs of docs/programs.md that no other table has ----

HTTPD = """ServerName localhost
ServerRoot /usr/lib/apache2
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
Listen 127.0.0.1:%d
DocumentRoot /dev/shm/www
User nobody
Group nogroup
PidFile /dev/shm/httpd.pid
ErrorLog /dev/null
MaxKeepAliveRequests 0
"""
HAPROXY = """defaults
    mode http
    timeout connect 5s
    timeout client 20s
    timeout server 20s
frontend front
    bind 127.0.0.1:%d
    default_backend back
backend back
    server one 127.0.0.1:%s
"""
NODE_JS = "require('http').createServer((q, r) => r.end('hello')).listen(+process.argv[1], '127.0.0.1')"
MARIADB = ["mariadbd", "--no-defaults", "--user=root", "--datadir=/dev/shm/mariadb", "--socket=/dev/shm/mariadb.sock", "--bind-address=127.0.0.1",
           "--pid-file=/dev/shm/mariadb.pid", "--skip-grant-tables", "--skip-networking=0", "--skip-innodb", "--default-storage-engine=Aria", "--port", "PORT"]
VALKEY = "/dev/shm/valkey"  # a root of another release


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def by_wrk(way, *argv, **kwargs):
    with Server(way, *argv, **kwargs) as port:
        url = "http://127.0.0.1:%s/index.html" % port
        out(*by(way), "curl", "-sS", "-f", url)  # wait for the first answer, which is slow
        return number_after(out(*by(way), "wrk", "-t", "2", "-c", "50", "-d", "5s", "--timeout", "20s", url), "Requests/sec:")


def httpd(way):
    write("/dev/shm/www/index.html", "hello")
    return by_wrk(way, "apache2", "-X", "-f", write("/dev/shm/httpd.conf", HTTPD % (Server.port + 1)))


def haproxy(way):
    with Server(way, *nginx()) as back:
        return by_wrk(way, "haproxy", "-f", write("/dev/shm/haproxy.cfg", HAPROXY % (Server.port + 1, back)))


def java(way):
    return by_wrk(way, glob.glob("/usr/lib/jvm/*/bin/java")[0], "-XX:+UseSerialGC", TOOLS + "/Web.java", "PORT", stdin=subprocess.PIPE)


def memcached(way):
    with Server(way, "memcached", "-u", "root", "-l", "127.0.0.1", "-p", "PORT") as port:
        return number_after(out(*by(way), "memcaslap", "-s", "127.0.0.1:" + port, "-t", "2s", "-T", "2", "-c", "16"), "TPS:")


def mariadb(way):
    os.makedirs("/dev/shm/mariadb", exist_ok=True)
    with Server(way, *MARIADB) as port:
        said = out(*by(way), "mariadb-slap", "--no-defaults", "--host=127.0.0.1", "--port=" + port, "--query=select 1", "--create-schema=information_schema", "--no-drop",
                   "--concurrency=8", "--number-of-queries=4000")
        return 4000 / number_after(said, "Average number of seconds to run all queries:")


def valkey(way):
    inside = [word.replace(TOOLS, "/tools") for word in by(way)]
    with Server("TCP", "env", "LC_ALL=C", "chroot", VALKEY, *inside, "/usr/bin/valkey-server", *REDIS[1:]) as port:
        said = out("chroot", VALKEY, *inside, "/usr/bin/valkey-benchmark", "-p", port, "--csv", "-t", "get", "-c", "50", "-n", "10000", stderr=subprocess.DEVNULL)
        return float(said.splitlines()[-1].split(",")[1].strip('"'))


OWN = {"httpd, wrk -c 50": httpd, "haproxy before nginx, wrk -c 50": haproxy, "node, wrk -c 50": lambda way: by_wrk(way, "node", "-e", NODE_JS, "PORT"),
       "java, wrk -c 50": java, "memcached, memcaslap -c 16": memcached, "mariadb, mariadb-slap -c 8": mariadb, "valkey GET, 50 clients": valkey}


def programs(tree, word=""):
    """Rates divided by TCP's, with intervals, of connections without fallback. @tree: packages of valkey"""
    subprocess.run(["cp", "-a", tree, VALKEY], check=True)
    subprocess.run(["cp", "-a", TOOLS, VALKEY + "/tools"], check=True)
    subprocess.run(["mount", "--bind", "/proc", VALKEY + "/proc"], check=True)
    for name, load in OWN.items():
        if word in name:
            print("| %s | %s |" % (name, compare_way(load)), flush=True)


def compare_way(load):
    ratios = []
    for turn in range(2 * ROUNDS):
        rates = {}
        for way in [["--no-learn", "--strict"], "TCP"][::1 if turn % 2 else -1]:
            before = counted()
            rates[way == "TCP"] = load(way)
            moved, fallbacks = (after - earlier for after, earlier in zip(counted(), before))
            if (moved > 0) != (way != "TCP") or fallbacks:
                return "%s: %d bytes over %s, %d fallbacks" % (way, moved, OVER, fallbacks)
            if not rates[way == "TCP"]:
                return "%s: no requests" % way
        ratios.append(rates[False] / rates[True])
    return interval(ratios)


def counted():
    stats = json.loads(out(TOOLS + "/smcd", "-ja", "stats"))
    return stats["tx"]["bytes"], stats["client"]["fallbacks"]


def main():
    for name in "rmem_max", "wmem_max":
        with open("/proc/sys/net/core/" + name, "w", encoding="ascii") as file:
            file.write(str(4 << 20))
    row(OVER + ", buffers of", SIZES, "%s")
    print("|---|" + "--:|" * len(SIZES), flush=True)
    if OVER == "SMC-D":
        os.truncate(os.open("/dev/shm/page", os.O_CREAT | os.O_RDWR), 64 << 20)
        for name, program in PROGRAMS:
            measure(name, program, "TCP")
    else:
        measure("iperf3, 1 stream, to 64K", iperf3, "64K")
    row("MiB, 100 connections", [memory(size) for size in SIZES], "%.0f")


resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
POSTGRES = make_database() if OVER == "SMC-D" and not {"spin", "clients", "known", "programs"} & set(sys.argv) else None
PGBENCH = os.path.dirname(POSTGRES or "") + "/pgbench"
{"learned": learned, "spin": spin, "clients": clients, "known": known, "programs": programs}.get("".join(sys.argv[1:2]), main)(*sys.argv[2:])
