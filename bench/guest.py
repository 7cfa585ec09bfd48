# SPDX-License-Identifier: MIT
"""Ratios measured in one run, in a guest: smcss beside a bare receive loop, smc_run beside
env, smcr and smcd beside a bare request, smc_chk connect beside a bare exchange over TCP."""
import fcntl
import os
import pty
import re
import resource
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import termios
import threading
import time

from files import TOOLS, into_memory, opened

SIZES = [int(n) for n in os.environ.get("BENCH_SOCKETS", "1000 10000 40000 100000").split()]


def timed(argv, env=None):
    """Wall time in seconds of one run, without output."""
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, dict(os.environ, **(env or {})), file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status = os.waitpid(pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit("%s failed" % argv[0])
    return seconds


def compare(one, other, rounds):
    """Median times of two commands that alternate."""
    times = ([], [])
    for _ in range(rounds):
        times[0].append(timed(one))
        times[1].append(timed(other))
    return statistics.median(times[0]), statistics.median(times[1])


def peak_memory(argv):
    """Peak resident memory in KiB, read while the program waits for its output to be read."""
    with subprocess.Popen(argv, stdout=subprocess.PIPE, pipesize=4096) as program:
        peak = 0
        while program.stdout.read(4096):
            with open("/proc/%d/status" % program.pid, encoding="ascii") as status:
                for line in status:
                    if line.startswith("VmHWM:"):
                        peak = max(peak, int(line.split()[1]))
    if program.returncode or not peak:
        raise SystemExit("%s: status %d, peak memory %d" % (argv[0], program.returncode, peak))
    return peak


def libraries():
    """Files that the tools load."""
    maps = subprocess.run(["ldd", TOOLS + "/smcss", TOOLS + "/smc_run", TOOLS + "/smcr", TOOLS + "/smc_chk",
                           shutil.which("true")],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    return ["/etc/ld.so.cache"] + [word for word in maps.split() if word.startswith("/") and ".so" in word]


def bench_start():
    """Cost of the guest's root being a tree of packages, read over 9p."""
    for argv in [shutil.which("true")], [shutil.which("python3"), "-c", "pass"]:
        files = opened(*argv)
        root = statistics.median(timed(argv) for _ in range(51))
        into_memory(files)
        memory = statistics.median(timed(argv) for _ in range(51))
        print("start of %s: %.1f ms with its %d files in the guest's root, in memory %.1f ms, ratio %.2f"
              % (os.path.basename(argv[0]), root * 1e3, len(files), memory * 1e3, root / memory), flush=True)


def bench_smcss():
    for count in SIZES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(count + 64, 1024),) * 2)
        holder = subprocess.Popen([TOOLS + "/sockets", "smc4:listen:127.0.0.1:5000,many=%d" % count],
                                  stdout=subprocess.PIPE)
        if holder.stdout.readline() != b"ready\n":
            raise SystemExit("cannot make %d sockets" % count)
        rows = subprocess.run([TOOLS + "/smcss", "-aH"], stdout=subprocess.PIPE, check=True).stdout.count(b"\n")
        if rows != count:
            raise SystemExit("smcss shows %d of %d sockets" % (rows, count))
        bare, smcss = compare([TOOLS + "/diagloop"], [TOOLS + "/smcss", "-a"],
                                      9 if count >= 100000 else 15)
        memory = peak_memory([TOOLS + "/smcss", "-a"])
        print("smcss -a, %6d sockets: %8.1f ms, bare receive loop %8.1f ms, ratio %.2f, peak memory %d KiB"
              % (count, smcss * 1e3, bare * 1e3, smcss / bare, memory), flush=True)
        holder.kill()
        holder.wait()


def processor(pid):
    """Processor seconds of a process: clock_getcpuclockid(3), CPUCLOCK_SCHED."""
    return time.clock_gettime(~pid << 3 | 2)


def refresh(argv, count, rounds):
    """Processor seconds of smc_top per sample. Checks that it shows all connections: a line of JSON has them all, a screen has
    their number in its first line."""
    end, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    tty = {} if argv else {"stdin": screen, "stdout": screen}
    with subprocess.Popen([TOOLS + "/smc_top", "-w", "1", *argv], env=dict(os.environ, TERM="xterm"),
                          **(tty or {"stdout": subprocess.PIPE})) as top:
        os.close(screen)
        shown = top.stdout or os.fdopen(end, "rb", buffering=0)
        take = shown.readline if argv else lambda: until(shown, b", by rate")
        texts = [take() for _ in range(2)]
        start = processor(top.pid)
        texts += [take() for _ in range(rounds)]
        cost = (processor(top.pid) - start) / rounds
        top.terminate()
    if any((text.count(b"rate_in") if argv else in_head(text)) < count for text in texts[1:]):
        raise SystemExit("smc_top does not show %d connections" % count)
    return cost


def until(screen, word):
    """Output on the screen up to the end of the first line of its next state, and maybe more."""
    text = b""
    while word not in text:
        text += screen.read(65536)
    return text


def in_head(text):
    """Number of connections in the head line. SMC connections that found no buffers count as TCP."""
    return sum(map(int, re.findall(rb"SMC-D (\d+)  SMC-R (\d+)  TCP (\d+)", text)[-1]))


def bench_top():
    """Cost of a sample of smc_top with 10 000 ends of permanent connections."""
    pairs, rounds = 5000, 5
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * pairs,) * 2)
    set_buffers(16384)
    holder = subprocess.Popen([TOOLS + "/sockets"] + ["smc4:pair:127.0.0.1"] * pairs, stdout=subprocess.PIPE)
    if b"ready\n" not in holder.stdout:
        raise SystemExit("cannot make %d connections" % pairs)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(rounds):
        timed([TOOLS + "/diagloop"])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    bare = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / rounds
    for name, argv in (("on a terminal", ()), ("-j, rates", ("-j", "-o", "rate_in")),
                       ("-j, rates and processes", ("-j", "-o", "rate_in,holder")), ("-j", ("-j",))):
        cost = refresh(argv, 2 * pairs, rounds)
        print("smc_top, %d connections, %s: %.1f ms of processor a refresh, bare receive loop %.1f ms, ratio %.2f"
              % (2 * pairs, name, cost * 1e3, bare * 1e3, cost / bare), flush=True)
    holder.kill()
    holder.wait()


def bench_smc_run():
    for name in ("env", "true"):
        shutil.copy(shutil.which(name), TOOLS)
    plain, wrapped = compare([TOOLS + "/env", TOOLS + "/true"], [TOOLS + "/smc_run", TOOLS + "/true"], 101)
    print("smc_run true: %.2f ms, env true %.2f ms, ratio %.2f" % (wrapped * 1e3, plain * 1e3, wrapped / plain),
          flush=True)


def socket_ns(cgroup, *argv, prefix=()):
    """Nanoseconds of a socket() made in a control group."""
    def enter():
        with open("/sys/fs/cgroup/%s/cgroup.procs" % cgroup, "w", encoding="ascii") as procs:
            procs.write("0")
    out = subprocess.run([*prefix, TOOLS + "/sockloop", *argv], stdout=subprocess.PIPE, preexec_fn=enter, check=True)
    return int(out.stdout)


def bench_socket():
    """Cost of each way, for SMC sockets and for unrelated ones."""
    groups = ["bench%d" % i for i in range(4)]
    for name in groups:
        os.mkdir("/sys/fs/cgroup/" + name)
    best = {}

    def measure(what, base, *args, **kwargs):
        best[what] = min(socket_ns(*args, **kwargs), best.get(what, (1 << 62, ""))[0]), base

    for _ in range(3):  # alternate between the ways
        measure("plain TCP", "plain TCP", groups[0])
        measure("IPPROTO_SMC by itself", "IPPROTO_SMC by itself", groups[0], "256")
        measure("preload", "IPPROTO_SMC by itself", groups[0], prefix=[TOOLS + "/smc_run", "--preload", "-f", "inet"])
        for count in (1, 4) if os.path.exists(TOOLS + "/smc_bpf") else ():
            for name in groups[:count]:
                subprocess.run([TOOLS + "/smc_bpf", "attach", "--cgroup", name], check=True)
            measure("eBPF, %d attached, converted" % count, "IPPROTO_SMC by itself", groups[0])
            measure("eBPF, %d attached, outside" % count, "plain TCP", "command")
            subprocess.run([TOOLS + "/smc_bpf", "detach", "--all"], check=True)
    for what, (value, base) in best.items():
        print("socket(), %s: %d ns, ratio to %s %.2f" % (what, value, base, value / best[base][0]), flush=True)


def set_buffers(size):
    """The kernel's default buffer sizes for SMC sockets."""
    for name in ("rmem", "wmem"):
        with open("/proc/sys/net/smc/" + name, "w", encoding="ascii") as value:
            value.write(str(size))


def bench_lives():
    """A connection from socket() to close(), both ends of it, in instructions; the ways take turns."""
    run, size = [TOOLS + "/smc_run", "--preload", "-f", "inet"], 512 << 10
    alone, large = "IPPROTO_SMC by itself", "IPPROTO_SMC by itself, 512 KiB"
    mixed = "a client of TCP, a listener of SMC"
    ways = {"plain TCP": (None, [TOOLS + "/life", "200"], alone),
            mixed: (None, [TOOLS + "/life", "200", "0", "256"], "plain TCP"),
            alone: (None, [TOOLS + "/life", "200", "256"], alone),
            "preload, the kernel's buffers": (None, [*run, "-r", "0", "-t", "0", TOOLS + "/life", "200"], alone),
            "preload, left to TCP by a rule": (None, [*run, "--exclude", "127.0.0.0/8", TOOLS + "/life", "200"], mixed),
            large: (size, [TOOLS + "/life", "200", "256"], alone),
            "preload, 512 KiB": (None, [*run, TOOLS + "/life", "200"], large)}
    times = {name: [] for name in ways}
    for _ in range(3):
        for name, (buffers, argv, _) in ways.items():
            set_buffers(buffers or 64 << 10)
            times[name].append(int(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout))
    set_buffers(64 << 10)
    for name, (_, _, base) in ways.items():
        value = statistics.median(times[name])
        print("whole life, %s: %d instructions, ratio to %s %.3f" % (name, value, base, value / statistics.median(times[base])),
              flush=True)


def bench_events():
    """The same connections, while smc_events follows them and while nobody does, in turns. There is one processor
    for all, so what smc_events itself does is in it."""
    count, rounds, times, own = 200, 5, {False: [], True: []}, []  # ROUNDS of life.c
    for _ in range(3):
        for is_followed in times:
            watch = is_followed and subprocess.Popen([TOOLS + "/smc_events", "-j"], stdout=subprocess.PIPE)
            if watch and not watch.stdout.readline():
                raise SystemExit("smc_events cannot use eBPF")
            if watch:  # as if written to a file: all of it is read
                reader = threading.Thread(target=watch.stdout.read)
                reader.start()
            before = processor(watch.pid) if watch else 0
            times[is_followed].append(int(subprocess.run([TOOLS + "/life", str(count), "256"], stdout=subprocess.PIPE,
                                                         check=True).stdout))
            if watch:
                own.append((processor(watch.pid) - before) * 1e9 / (rounds * count))
                watch.terminate()
                reader.join()
                watch.wait()
    alone, followed, own = (statistics.median(values) for values in (times[False], times[True], own))
    print("whole life, IPPROTO_SMC: %d instructions, followed by smc_events %d, ratio %.3f; %d of them are its own"
          % (alone, followed, followed / alone, own), flush=True)


def bench_netns(count=500):
    """Cost of listing all sockets of this many network namespaces, with containers' control groups."""
    os.environ["NETNS_COUNT"] = str(count)
    import allnetns  # pylint: disable=import-outside-toplevel
    allnetns.keep_state()
    pids = [allnetns.start(number) for number in range(count)]
    argv = [TOOLS + "/smcss", "--all-netns", "-s"]
    shown = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout
    if "\n%d network namespaces, %d with SMC sockets\n" % (count + 1, 4 * count // 5) not in shown:
        raise SystemExit("smcss --all-netns shows %s" % shown)
    one, every = compare([TOOLS + "/smcss", "-s"], argv, 11)
    print("smcss --all-netns -s, %d namespaces: %.0f ms, %.2f ms each more than one (%.0f ms)"
          % (count, every * 1e3, (every - one) * 1e3 / count, one * 1e3), flush=True)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def bench_policy():
    """Connections with an empty policy, and with 10 and 10000 networks, in turns."""
    times = {0: [], 10: [], 10000: []}
    for _ in range(3):
        for count in times:
            # Every second network, so that none are merged; the first allows the measured connections.
            nets = ["127.%d.%d.0/24" % (i >> 7, i * 2 & 255) for i in range(count)]
            lines = "exclusive policy\n" + "".join("allow %s\n" % net for net in nets)
            subprocess.run([TOOLS + "/smc_conf", "apply", "-"], input=lines, text=True, check=True)
            times[count].append(int(subprocess.run([TOOLS + "/life", "200", "256"], stdout=subprocess.PIPE, check=True).stdout))
    subprocess.run([TOOLS + "/smc_conf", "apply", "-"], input="exclusive policy\n", text=True, check=True)
    none, few, many = (statistics.median(values) for values in times.values())
    print("whole life, IPPROTO_SMC: %d instructions without a policy, with 10 networks %d, ratio %.3f, with 10000 networks %d, "
          "ratio %.3f, to 10 networks %.3f" % (none, few, few / none, many, many / none, many / few), flush=True)


def requests(count, port="6379"):
    """GETs of redis in a second, over SMC, by its own clock."""
    out = subprocess.run([TOOLS + "/smc_run", "redis-benchmark", "-p", port, "-t", "get", "-n", str(count), "-c", "4", "--csv"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return float([line.split('"')[3] for line in out.splitlines() if line.startswith('"GET"')][0])


def start_redis():
    """Return: its process, when it answers."""
    server = subprocess.Popen([TOOLS + "/smc_run", "redis-server", "--save", "", "--bind", "127.0.0.1"], stdout=subprocess.DEVNULL)
    while subprocess.run([TOOLS + "/smc_run", "redis-cli", "PING"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         check=False).stdout != b"PONG\n":
        if server.poll() is not None:
            raise SystemExit("redis-server ended with %d" % server.returncode)
        time.sleep(0.1)
    return server


def start_capture(file):
    """smc_dump writes the payload of redis. Return: its process."""
    dump = subprocess.Popen([TOOLS + "/smc_dump", "-s", "128", "-w", file, "dport = :6379"], stderr=subprocess.PIPE, text=True)
    first = dump.stderr.readline()
    if "capturing" in first:
        return dump
    raise SystemExit(first.strip())


def bench_capture(count, unit):
    """Rate of redis while smc_dump captures 128 bytes of each packet, and without it, in turns. UNIT is that of the clock, a
    billionth of its second."""
    file = "/run/redis.pcapng"
    times, own = {False: [], True: []}, []
    server = start_redis()
    for _ in range(5):
        for is_captured in times:
            dump = is_captured and start_capture(file)
            before = processor(dump.pid) if dump else 0
            times[is_captured].append(1e9 / requests(count))
            if dump:
                own.append((processor(dump.pid) - before) * 1e9 / count)
                dump.terminate()
                if dump.wait():
                    raise SystemExit("smc_dump: status %d, %s" % (dump.returncode, dump.stderr.read()))
                if os.path.getsize(file) < 64 * count:
                    raise SystemExit("smc_dump wrote %d bytes of %d requests" % (os.path.getsize(file), count))
    server.kill()
    server.wait()
    alone, captured, own = (statistics.median(values) for values in (times[False], times[True], own))
    print("redis GET: %d %s, captured by smc_dump -s 128 %d, ratio %.3f; %d of them are smc_dump's own, without ratio %.3f"
          % (alone, unit, captured, captured / alone, own, (captured - own) / alone), flush=True)


def bench_smc_chk():
    with subprocess.Popen([TOOLS + "/smc_chk", "serve"], stdout=subprocess.PIPE, text=True) as server:
        port = server.stdout.readline().split()[-1]
        bare, tool = compare([TOOLS + "/tcpecho", port], [TOOLS + "/smc_chk", "connect", "127.0.0.1", "-p", port], 51)
        print("smc_chk connect: %.1f ms, bare connect, send, receive, close over TCP %.1f ms, difference %.1f ms, ratio %.2f"
              % (tool * 1e3, bare * 1e3, (tool - bare) * 1e3, tool / bare), flush=True)
        server.terminate()


def bench_genl():
    """Requests of generic netlink, with 100 connections in SMC-R link groups."""
    holder = subprocess.Popen([TOOLS + "/sockets"] + ["smc4:pair:127.0.0.1"] * 100, stdout=subprocess.PIPE,
                              text=True)
    if "ready\n" not in holder.stdout:
        raise SystemExit("cannot make 100 connections")
    for name, argv, commands in (("smcr linkgroup", ["smcr", "linkgroup"], ["2"]),
                                ("smcd stats", ["smcd", "stats"], ["7", "8"])):
        out = subprocess.run([TOOLS + "/" + argv[0], *argv[1:]], stdout=subprocess.PIPE, text=True, check=True)
        if out.stdout.count("\n") < 2:
            raise SystemExit("%s shows nothing" % name)
        bare, tool = compare([TOOLS + "/genlloop", *commands], [TOOLS + "/" + argv[0], *argv[1:]], 51)
        print("%s: %.1f ms, bare netlink request %.1f ms, ratio %.2f" % (name, tool * 1e3, bare * 1e3, tool / bare),
              flush=True)
    holder.kill()
    holder.wait()


os.environ["LC_ALL"] = "C"  # coreutils would read locales over 9p
if len(sys.argv) == 1 and os.environ["SMC_LAB_KERNEL"] == "lo":
    bench_start()
into_memory(libraries())
if "lives" in sys.argv:
    bench_lives()
    bench_events()
    bench_policy()
    bench_capture(60000, "instructions")
elif "smcss" in sys.argv:
    bench_smcss()
elif "top" in sys.argv:
    bench_top()
elif "netns" in sys.argv:
    bench_netns()
elif "capture" in sys.argv:
    bench_capture(60000, "instructions")
elif os.environ["SMC_LAB_KERNEL"] == "lo":
    bench_smc_run()
    bench_socket()
    bench_smc_chk()
    bench_smcss()
    bench_top()
    bench_netns()
    bench_capture(4000, "ns")
else:
    bench_genl()
