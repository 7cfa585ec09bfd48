# SPDX-License-Identifier: MIT
"""smc_bpf and smc_run --bpf on a kernel with SMC-D in one guest."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

from kern import NOBODY, done, equal, held_modes, listing, ok, port_modes, refuses, run, skip, slow_page, wait_for, write
from tunpeer import DEAF, ICMP, Peer

PROGRAMS, SOURCES = sys.argv[1:3]
CGROUPS = "/sys/fs/cgroup"
PINS = "/sys/fs/bpf/smc-tools"
PAIR = "tcp4:pair:127.0.0.1"
SMC, TCP = 256, 6
READ_ONLY = 8
# Programs of Python: open what is pinned with bpf(BPF_OBJ_GET); ask to be marked, then make a TCP socket.
BPF_OBJ_GET = """import ctypes, errno, os, platform, sys
number = {"x86_64": 321, "aarch64": 280, "s390x": 351}[platform.machine()]
libc = ctypes.CDLL(None, use_errno=True)
path = ctypes.create_string_buffer(sys.argv[1].encode())
attr = ctypes.create_string_buffer(ctypes.addressof(path).to_bytes(8, sys.byteorder) + bytes(4) +
                                   int(sys.argv[2]).to_bytes(4, sys.byteorder), 64)
fd = libc.syscall(number, 7, attr, 64)
print(errno.errorcode[ctypes.get_errno()] if fd < 0 else fd)
"""
ASK = """import errno, socket
try:
    answer = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0x736d63)
    print(answer.getsockopt(1, 38), socket.socket().getsockopt(1, 38))
except OSError as err:
    print(errno.errorcode[err.errno])
"""
# Set the options that SMC sockets refuse: TCP, IP, IPv6, socket. With "fastopen", an SMC socket falls back before.
GUARDS = """import errno, socket, sys
family, protocol = int(sys.argv[1]), int(sys.argv[2])
s = socket.socket(family, socket.SOCK_DGRAM if protocol == socket.IPPROTO_UDP else socket.SOCK_STREAM, protocol)
if "fastopen" in sys.argv:
    s.setsockopt(socket.IPPROTO_TCP, 30, 1)
for level, numbers in (6, (14, 32, 38, 39, 40, 42)), (0, (16, 17, 21)), (41, (34, 35, 73)), (1, (26, 50)):
    for number in numbers:
        try:
            s.setsockopt(level, number, 1)
            print("OK")
        except OSError as err:
            print(errno.errorcode[err.errno])
for level, number in (6, 1), (0, 2), (1, 9):
    s.setsockopt(level, number, 1) if protocol != socket.IPPROTO_UDP else None
"""
# A non-blocking connection to a port of the peer, and the error of SO_ERROR, if it comes to that; twice
FAILS = """import errno, select, socket, sys
s = socket.socket()
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_SYNCNT, 1)
s.setblocking(False)
s.connect_ex((sys.argv[1], int(sys.argv[2])))
poll = select.poll()
poll.register(s, select.POLLOUT)
poll.poll(60000)
for _ in range(2):
    try:
        err = s.getsockopt(1, 4)
    except OSError as failure:
        err = failure.errno
    print(errno.errorcode.get(err, err))
"""
AF_SMC, UDP = 43, 17


def bpf(*argv):
    """smc_bpf, which must succeed."""
    status, out, err = run("smc_bpf", *argv)
    if status or err:
        raise RuntimeError("smc_bpf %s: status %d, %s" % (" ".join(argv), status, err))
    return out


def scopes():
    doc = json.loads(bpf("status", "--json"))
    assert doc["schema"] == "smc-tools/bpf/1" and doc["smc"] is True, doc
    return {s["name"]: s for s in doc["scopes"]}


def counters(name):
    scope = scopes()[name]
    return scope["converted"], scope["excluded"], scope["other"]


def group(path):
    os.makedirs(CGROUPS + path, exist_ok=True)
    return path


def enter(cgroup):
    """For subprocess: the new process starts in this control group."""
    return lambda: write(CGROUPS + cgroup + "/cgroup.procs", "0")


def protocol(cgroup="/command", family="inet", prefix=(), program=("protocol",)):
    """Protocol of a TCP socket that a new process opens in a control group."""
    result = subprocess.run([*prefix, *program, family], stdout=subprocess.PIPE, text=True,
                            preexec_fn=enter(cgroup), check=True)
    return int(result.stdout)


def modes(*argv):
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, preexec_fn=enter(group("/held"))) as program:
        rows = held_modes(program)
        write(CGROUPS + "/held/cgroup.kill", "1")
    return rows


def nothing_yet():
    equal(run("smc_bpf", "status")[0::2], (0, ""), "status of nothing: no error")
    equal(scopes(), {}, "and in JSON no scopes")
    refuses(("smc_bpf", "detach", "--run"), "nothing is attached", "detach of nothing")
    equal(run("smc_bpf", "detach", "--all"), (0, "", ""), "detach --all of nothing is done")
    refuses((*NOBODY, "smc_bpf", "attach", "--run"), "missing capabilities: CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN",
            "missing capabilities are named")
    refuses(("setpriv", "--bounding-set=-perfmon,-sys_admin", "smc_bpf", "attach", "--run"),
            "missing capabilities: CAP_PERFMON$", "the one that is missing")
    refuses(("smc_bpf", "attach", "--cgroup", "/none"), "control group '/none': No such file", "no such control group")
    refuses(("smc_bpf", "attach", "--cgroup", ""), "control group '': No such file", "an empty name is not the root")
    refuses(("smc_bpf", "attach", "--cgroup", "../../../etc"), "'../../../etc' .*control group", "no control group")
    refuses(("smc_bpf", "attach", "--unit", "none"), "unit 'none' has no control group", "no such unit")
    refuses(("smc_bpf", "attach", "--cgroup-of", "12x"), "'12x' .*process", "no process id")
    subprocess.run(["mount", "-t", "tmpfs", "none", "/sys/kernel/btf"], check=True)
    refuses(("smc_bpf", "attach", "--run"), "no /sys/kernel/btf/vmlinux \\(CONFIG_DEBUG_INFO_BTF", "no types: one sentence")
    subprocess.run(["umount", "/sys/kernel/btf"], check=True)
    subprocess.run(["umount", "/sys/fs/bpf"], check=True)
    refuses(("smc_bpf", "attach", "--run"), "BPF .*at /sys/fs/bpf: mount", "no BPF file system: one sentence")
    subprocess.run(["mount", "-t", "bpf", "bpf", "/sys/fs/bpf"], check=True)
    ok(not os.path.exists(PINS), "nothing is left behind")
    os.mkdir("/run/alone")
    for name in "smc_run", "ld_pre_smc.so":
        shutil.copy(shutil.which("smc_run").replace("smc_run", name), "/run/alone")
    status, out, err = run("/run/alone/smc_run", "--bpf", "true")
    ok((status, out, err.count("\n")) == (125, "", 1) and "smc_bpf: " in err and "smc-tools-extra" in err,
       "no smc_bpf: 125, and the package in one sentence", err)


def control_groups():
    a, b, c = group("/a"), group("/a/b"), group("/c")
    few = ("setpriv", "--bounding-set=-all,+bpf,+perfmon,+net_admin", "smc_bpf", "attach", "--cgroup", a)
    equal(run(*few), (0, "", ""), "three capabilities are enough")
    modes_of = [oct(os.stat(PINS + name).st_mode & 0o777) for name in ("", "/socket", "/setsockopt", "/fork", "/tasks", "/scopes")]
    equal(modes_of, ["0o700"] + ["0o600"] * 5, "what is pinned is root's alone")
    equal([protocol(a), protocol(b), protocol(c), protocol()], [SMC, SMC, TCP, TCP],
          "a control group and those below it, nobody else; the loader has ended")
    equal(counters(a), (2, 0, 4), "its counters")
    bpf("attach", "-c", CGROUPS + b, "--only", "ipv6")
    equal([protocol(b), protocol(b, "inet6"), protocol(a)], [TCP, SMC, SMC], "--only ipv6; the inner group decides")
    equal((counters(b), counters(a)), ((1, 1, 4), (3, 0, 6)), "counters of both")
    bpf("attach", "-c", b, "--only", "none")
    equal([protocol(b), protocol(b, "inet6"), scopes()[b]["only"]], [TCP, TCP, "none"],
          "--only none: an inner group stays on TCP")
    bpf("attach", "-c", b, "--exclude-comm", "redis", "--exclude-comm", "protocol")
    equal((protocol(b), protocol(a), counters(b)), (TCP, SMC, (0, 1, 2)), "attached again with another rule: --exclude-comm")
    shutil.copy(shutil.which("protocol",), "/run/protocol-other-name")
    equal(protocol(b, program=("/run/protocol-other-name",)), SMC, "the whole name has to fit")
    table = bpf("status").splitlines()
    equal((len(table), table[2].split()[-3:]), (3, ["/a/b", "!redis", "!protocol"]), "status as a table")
    like_one = bpf("status", "-c", a).splitlines()
    equal((len(like_one), like_one[1].split()[:3]), (2, ["cgroup", "empty", "4"]), "status of one")
    bpf("detach", "-c", b)
    equal(protocol(b), SMC, "detached: the outer group counts again")
    bpf("detach", "-c", a)
    equal((protocol(a), os.path.exists(PINS)), (TCP, False), "the last one is detached: everything is gone")


def guards(cgroup, family, protocol, *more):
    """Answers to the options in a control group."""
    result = subprocess.run(["python3", "-S", "-c", GUARDS, str(family), str(protocol), *more], stdout=subprocess.PIPE, text=True,
                            preexec_fn=enter(cgroup), check=True)
    return result.stdout.split()


def options():
    a, b, c = group("/a"), group("/a/b"), group("/c")
    bpf("attach", "-c", a)
    for family, protocol, name in ((2, 0, "a TCP socket"), (10, TCP, "for IPv6"), (2, SMC, "IPPROTO_SMC"), (AF_SMC, 1, "AF_SMC")):
        equal(guards(b, family, protocol), ["ENOPROTOOPT"] * 14, "no keys, filters or limits of TTL in the scope: " + name)
    like_tcp = guards(c, 10, TCP)
    ok("OK" in like_tcp, "TCP accepts some of them", like_tcp)
    equal(guards(a, 10, 0, "fastopen"), like_tcp, "so does a socket of the scope that fell back")
    equal(guards(a, 2, UDP), guards(c, 2, UDP), "and a UDP socket of the scope")
    equal(guards(c, 10, SMC), like_tcp, "an SMC socket of others: the kernel's answers")
    bpf("attach", "-c", b, "--exclude-comm", "python3")
    equal(guards(b, 10, 0), like_tcp, "a TCP socket that a rule of the scope excludes")
    bpf("detach", "--all")
    equal(guards(a, 10, SMC), like_tcp, "detached: the kernel's answers")


def names_of_groups():
    unit = group("/t.slice/t-u.slice/web@1.service")
    group("/user.slice/user@5.service/fake.service")
    bpf("attach", "--unit", "web@1")
    bpf("attach", "--unit", "t-u.slice")
    refuses(("smc_bpf", "attach", "--unit", "fake"), "has no control group", "a name that a user chose is not a unit")
    equal(protocol(unit), SMC, "a unit")
    equal(sorted(scopes()), ["/t.slice/t-u.slice", unit], "both by their control groups")
    one, other = "4be7" * 16, "4be8" * 16
    group("/machine.slice/libpod-conmon-%s.scope" % one)
    box = group("/machine.slice/libpod-%s.scope" % one)
    group(box + "/container-%s" % one)
    group("/docker/" + other)
    bpf("attach", "--container", one[:12])
    equal((protocol(box), scopes()[box]["scope"]), (SMC, "cgroup"), "a container by a part of its id")
    refuses(("smc_bpf", "attach", "--container", "4be"), "several control groups match", "an id that is too short")
    refuses(("smc_bpf", "attach", "--container", "ffff"), "no control group matches", "no such container")
    refuses(("smc_bpf", "attach", "--container", "web"), "'web' is not a container id", "a name is not an id")
    bpf("attach", "--cgroup-of", str(os.getpid()))
    equal(protocol(), SMC, "the control group of a process")
    equal(scopes()["/command"]["state"], "active", "which has a process: active")
    bpf("detach", "--cgroup-of", str(os.getpid()))
    os.rmdir(CGROUPS + unit)
    equal(scopes()[unit]["state"], "gone", "a removed control group shows as gone")
    group(unit)
    equal(scopes()[unit]["state"], "gone", "one with the same name is another one")
    equal(protocol(group("/c")), TCP, "and nobody else's")
    bpf("attach", "-c", "/c")
    ok(unit not in scopes(), "the next change removes it")
    os.rmdir(CGROUPS + "/c")
    refuses(("smc_bpf", "detach", "-c", "/c"), "control group '/c': No such file", "a removed one cannot be named")
    ok("/c" not in scopes(), "but that removes it, too")
    bpf("detach", "--all")
    equal((protocol(box), os.path.exists(PINS)), (TCP, False), "detach --all")


# A program that reads "main", "thread", "new" or "child", opens a socket in that thread or process, and prints its
# protocol.
TREE = """
import os, socket, threading, queue, sys
def probe():
    return socket.socket().getsockopt(1, 38)
def serve(ask, answer):
    while ask.get():
        answer.put(probe())
ask, answer = queue.Queue(), queue.Queue()
threading.Thread(target=serve, args=(ask, answer), daemon=True).start()
to_child, from_child = os.pipe(), os.pipe()
if os.fork() == 0:
    while os.read(to_child[0], 1):
        os.write(from_child[1], b"%3d" % probe())
print("ready", flush=True)
for line in sys.stdin:
    if line == "main\\n":
        print(probe(), flush=True)
    elif line == "thread\\n":
        ask.put(True)
        print(answer.get(), flush=True)
    elif line == "new\\n":
        t = threading.Thread(target=lambda: print(probe(), flush=True)); t.start(); t.join()
    elif line == "exec\\n":
        threading.Thread(target=lambda: os.execvp("python3", ["python3", "-c", "import socket; print(socket.socket().getsockopt(1, 38))"])).start()
        threading.Event().wait()
    else:
        os.write(to_child[1], b".")
        print(int(os.read(from_child[0], 3)), flush=True)
"""


def process_tree():
    with subprocess.Popen(["smc_run", "--bpf", "python3", "-S", "-c", TREE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as tree:
        def ask(*questions):
            answers = []
            for question in questions:
                tree.stdin.write(question + "\n")
                tree.stdin.flush()
                answers.append(int(tree.stdout.readline()))
            return answers

        tree.stdout.readline()
        equal(ask("main", "thread", "new", "child"), [SMC] * 4, "main thread, other thread, new thread, child")
        equal(counters("smc_run"), (4, 0, 0), "their counters")
        equal(ask("exec"), [SMC], "a thread that executes another program stays attached")
    bpf("detach", "--all")


def many():
    names = [group("/many/%d" % i) for i in range(40)]
    for name in names:
        bpf("attach", "-c", name)
    equal((protocol(names[0]), protocol(names[39]), len(scopes())), (SMC, SMC, 40), "40 scopes, where 38 programs are the limit")
    bpf("detach", "--all")
    loaders = [subprocess.Popen(["smc_bpf", "attach", "-c", name]) for name in names[:6]]
    equal(([loader.wait() for loader in loaders], len(scopes())), ([0] * 6, 6), "six loaders at once")
    loaders = [subprocess.Popen(["smc_bpf", "detach", "-c", name]) for name in names[:6]]
    equal(([loader.wait() for loader in loaders], os.path.exists(PINS)), ([0] * 6, False), "and six that detach")
    os.mkdir(PINS, 0o700)
    bpf("attach", "-c", names[0])
    equal(protocol(names[0]), SMC, "what a loader left when it died is not in the way")
    bpf("detach", "--all")


def smc_run():
    static, musl = PROGRAMS + "/sockets-static", PROGRAMS + "/sockets-musl"
    status, out, err = run("smc_run", "--bpf", "protocol")
    ok((status, out) == (0, "%d\n" % SMC) and re.fullmatch("smc_run: .*'protocol'.*: 'smc_bpf detach --run' .*\n", err),
       "smc_run --bpf: what it leaves behind is said", err)
    equal(run("smc_run", "--bpf", "protocol"), (0, "%d\n" % SMC, ""), "and only once")
    equal(modes("smc_run", "--bpf", "sockets", PAIR), ["SMCD"] * 2, "smc_run --bpf: a dynamic program")
    equal(modes("smc_run", "--bpf", static, PAIR), ["SMCD"] * 2, "a static program")
    if os.path.exists(musl):
        equal(modes("smc_run", "--bpf", musl, PAIR), ["SMCD"] * 2, "a static musl program")
    else:
        skip("a static musl program", "musl-gcc is missing")
    equal(modes("smc_run", "--bpf", "env", "-i", static, PAIR), ["SMCD"] * 2, "without any environment")
    equal(modes("smc_run", "--bpf", "setsid", "-f", "sh", "-c", "%s %s & wait" % (static, PAIR)), ["SMCD"] * 2,
          "children of children, in their own session")
    shutil.copy(shutil.which("sockets"), "/run/setuid")
    os.chmod("/run/setuid", 0o4755)
    subprocess.run(["mount", "-o", "remount,suid", "/run"], check=False)
    equal(modes("smc_run", "--bpf", *NOBODY, "/run/setuid", PAIR), ["SMCD"] * 2, "another user's set-uid program")
    equal(modes(static, PAIR), [], "outside of it: no SMC socket")
    equal(modes("smc_run", static, PAIR), ["SMCD"] * 2, "smc_run without a choice takes eBPF for a static program")
    status, out, err = run("smc_run", "-d", static, "tcp4:bad")
    ok("smc_run: '%s' by eBPF" % static in err, "and -d reports it", err)
    status, out, err = run("smc_run", "-d", "protocol")
    ok("protocol' by preload: " in err and "-> AF_SMC" in err and "eBPF" not in err, "the library for a dynamic one", err)
    status, out, err = run("smc_run", "--preload", static, "tcp4:bad")
    ok("TCP: the program is static" in err, "--preload: only the library", err)
    status, out, err = run("smc_run", "--bpf", "-r", "64K", "true")
    ok(status == 0 and "eBPF cannot set the buffers" in err, "buffer sizes are not for eBPF: a warning", err)
    status, out, err = run("smc_run", "--bpf", "--preload", "true")
    ok(status == 125 and "exclude each other" in err, "both ways: refused", err)
    ok(scopes()["smc_run"]["converted"] > 10, "smc_run has its scope", scopes())


def members_own():
    """A member can mark itself, and nothing else."""
    for name in os.listdir(PINS):
        for flags in 0, READ_ONLY:
            equal(run(*NOBODY, "python3", "-c", BPF_OBJ_GET, PINS + "/" + name, str(flags))[1], "EACCES\n",
                  "a member cannot open %s%s" % (name, ", not even for reading" if flags else ""))
    refuses((*NOBODY, "smc_bpf", "detach", "--run"), "missing capabilities", "nor detach")
    bpf("detach", "--run")
    equal(run("python3", "-c", ASK)[1], "EINVAL\n", "without a scope there is nothing to ask for")
    bpf("attach", "--run", "--allow-group", "nogroup")
    equal(run("python3", "-c", ASK)[1], "256 256\n", "root is marked without being a member")
    equal(run(*NOBODY, "python3", "-c", ASK)[1], "256 256\n", "a member's answer is an SMC socket, as are those after it")


def unprivileged():
    command = ("protocol",)
    status, out, err = run(*NOBODY, "smc_run", "--bpf", *command)
    ok(status == 0 and "no eBPF for 'protocol': missing capabilities: CAP_BPF" in err and "; preloading instead" in err,
       "another user has no access: one sentence and the library", (status, err))
    status, out, err = run(*NOBODY, "smc_run", "--bpf", "--strict", *command)
    equal((status, out, err.count("\n")), (125, "", 1), "with --strict: 125")
    bpf("attach", "--run", "--allow-group", "nogroup")
    equal(run(*NOBODY, "smc_run", "--bpf", *command), (0, "256\n", ""), "--allow-group: a member needs no capability")
    other = ("setpriv", "--reuid=65534", "--regid=65533")
    many = ",".join(str(gid) for gid in [*range(1, 30), *range(65500, 65533), 65534, *range(70000, 70010)])
    for groups in "--groups=65534", "--groups=5,65534", "--groups=65534,70000", "--groups=" + many:
        equal(run(*other, groups, "smc_run", "--bpf", *command), (0, "256\n", ""), "a member by " + groups[:25])
    for groups in "--clear-groups", "--groups=65533,65535", "--groups=" + many.replace("65534,", ""):
        equal(run(*other, groups, "smc_run", "--bpf", "--strict", *command)[0], 125, "no member by " + groups[:25])
    equal(scopes()["smc_run"]["allowed_gid"], 65534, "status names the group")
    members_own()
    os.chown(PINS, 65534, 65534)
    refuses(("smc_bpf", "status"), "belongs to user 65534", "status does not believe what another user has made")
    os.chown(PINS, 0, 0)
    bpf("attach", "--run")
    equal(run(*NOBODY, "smc_run", "--bpf", "--strict", *command)[0], 125, "attached again without the group: no member any more")
    bpf("attach", "--run", "--allow-group", "nogroup")
    bpf("detach", "--run")
    status, out, err = run(*NOBODY, "smc_run", "--bpf", "--strict", *command)
    ok(status == 125 and "missing capabilities: CAP_BPF" in err, "after the end of the scope smc_bpf says what is missing", err)


def web(what, port, server, client, text):
    """A server and a client under smc_run --bpf: the page, and the transport of the held connection."""
    held = dict(stdout=subprocess.PIPE, text=True, preexec_fn=enter(group("/held")))
    serving = subprocess.Popen(server, **held)
    wait_for(lambda: any(s.get("local", {}).get("port") == port for s in listing("-l")))
    with subprocess.Popen(client, stdin=subprocess.PIPE, **held) as asking:
        rows = wait_for(lambda: port_modes(port))
        open("/run/seen", "w", encoding="ascii").close()
        answer = asking.communicate()[0]
    os.unlink("/run/seen")
    serving.kill()
    serving.wait()
    equal((set(rows), answer), ({"SMCD"}, text), what)


def real_programs():
    go = PROGRAMS + "/gohttp"
    if os.path.exists(go):
        web("a static Go server and client", 8081, ("smc_run", "--bpf", go, "serve", "127.0.0.1:8081"),
            ("smc_run", "--bpf", go, "http://127.0.0.1:8081/"), "hello from Go")
    else:
        skip("a static Go server and client", "go is missing")
    slow_page()
    web("busybox httpd and wget", 8082, ("smc_run", "--bpf", "busybox", "httpd", "-f", "-p", "127.0.0.1:8082", "-h", "/run/www"),
        ("smc_run", "--bpf", "busybox", "wget", "-q", "-O", "-", "http://127.0.0.1:8082/cgi-bin/slow"), "hello from busybox")
    java = glob.glob("/usr/lib/jvm/*/bin/java")
    if not java:
        skip("Java's HTTP server and client", "no Java")
        return
    command = ("smc_run", "--bpf", java[0], "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", SOURCES + "/Web.java", "8083")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        said = [program.stdout.readline(), program.stdout.readline()]
        rows = wait_for(lambda: port_modes(8083))
        program.stdin.close()
        program.wait()
    equal((said, set(rows)), (["hello from Java\n", "ready\n"], {"SMCD"}), "Java's HTTP server and client")


def unreachable():
    """Errors that kernels before 7.2 lose: Go would wait for ever."""
    Peer()
    for port in ICMP:
        out = run("smc_run", "--bpf", "python3", "-c", FAILS, "10.99.0.2", str(port))[1].split()
        equal(out[:1], ["EHOSTUNREACH"], "a host that cannot be reached, ICMP code %d" % ICMP[port])
    equal(run("smc_run", "--bpf", "python3", "-c", FAILS, "10.99.0.2", str(DEAF))[1].split()[:1], ["ETIMEDOUT"], "no answer")
    equal(run("smc_run", "--bpf", "python3", "-c", FAILS, "10.99.0.2", "7005")[1].split()[:1], ["ECONNREFUSED"], "a refusal")
    go = PROGRAMS + "/gohttp"
    if os.path.exists(go):
        status, out, err = run("timeout", "60", "smc_run", "--bpf", go, "http://10.99.0.2:%d/" % list(ICMP)[0])
        ok(status == 1 and "no route to host" in err, "a Go client gets the error", (status, out, err))
    else:
        skip("a Go client", "go is missing")
    closed = "import socket; l = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(l.getsockname()); a = l.accept()[0]; " \
             "c.close(); a.recv(1); a.shutdown(2); print(a.getsockopt(1, 4))"
    equal(run("smc_run", "--bpf", "python3", "-c", closed)[1], "0\n", "a connection that ended has none")
    bpf("detach", "--all")


def without_smc():
    """The module is removed while a scope is attached; it must not be loaded again."""
    if not os.path.exists("/proc/sys/kernel/modprobe"):
        skip("SMC is removed", "nothing is a module in this kernel")
        return
    bpf("attach", "-c", group("/c"))
    write("/proc/sys/kernel/modprobe", "/bin/false\n")
    def attached():
        doc = json.loads(run("smc_chk", "-j")[1])
        return [(f["level"], f.get("remedy", "")) for f in doc["findings"] if f["check"] == "attached"]
    equal(attached(), [("ok", "")], "the doctor knows that something is attached")
    removed = wait_for(lambda: not run("rmmod", "smc_diag", "smc")[0] or not os.path.exists("/sys/module/smc"))
    if not removed:
        skip("SMC is removed", "smc.ko is in use")
        return
    status, out, err = run("smc_bpf", "status", "-j")
    ok(status == 0 and json.loads(out)["smc"] is False and "SMC is gone, so every TCP socket of these scopes fails" in err,
       "status warns when SMC has gone", err)
    equal(attached(), [("problem", "smc_bpf detach --all")], "and so does the doctor")
    refuses(("smc_bpf", "attach", "-c", "/c"), "this kernel has no SMC",
            "nothing is attached without SMC")
    status, out, err = run("smc_run", "--bpf", "--strict", "true")
    ok(status == 125 and "this kernel has no SMC" in err, "nor is a command marked", err)
    equal(run("smc_bpf", "detach", "--all"), (0, "", ""), "detaching works without SMC")
    equal(protocol("/c"), TCP, "and then TCP works again")
    equal(attached(), [], "nothing is attached: the doctor is silent about it")


TESTS = (nothing_yet, control_groups, options, names_of_groups, process_tree, many, smc_run, unprivileged, real_programs, unreachable, without_smc)
for test in [t for t in TESTS if not sys.argv[3:] or t.__name__ in sys.argv[3:]]:
    start = time.monotonic()
    test()
    print("# %s: %.1f s" % (test.__name__, time.monotonic() - start), flush=True)
done()
