# SPDX-License-Identifier: MIT
"""Programs that ask for MPTCP: those whose own code does so, as Go's listeners, become SMC by every way; others keep it."""
import json
import os
import shutil
import subprocess
import sys

from kern import NOBODY, done, equal, held_modes, listing, ok, port_modes, run, skip, wait_for, write

STATIC = sys.argv[1] + "/sockets-static"
GO = shutil.copytree(sys.argv[2], "/run/go") + "/gohttp"  # a cache may be closed to other users
HELD = "/sys/fs/cgroup/held"
PAIR = "mptcp4:pair:127.0.0.1"
SECCOMP = (*NOBODY, "smc_run", "--seccomp")
PROTOCOL = "import socket; print(socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).getsockopt(1, 38))"
SMC, MPTCP = "256\n", "262\n"


def enter():
    write(HELD + "/cgroup.procs", "0")


def start(*argv, env=None, **more):
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, preexec_fn=enter, env=dict(os.environ, **(env or {})), **more)


def end():
    write(HELD + "/cgroup.kill", "1")


def web(port, server, client, env=None):
    """Modes of a connection between two programs, its page, whether the server listens with SMC."""
    serving = start(*server, "serve", "127.0.0.1:%d" % port, env=env)
    serving.stdout.readline()
    listens = any(s.get("local", {}).get("port") == port for s in listing("-l"))
    with start(*client, "http://127.0.0.1:%d/" % port, stdin=subprocess.PIPE) as asking:
        page = asking.stdout.read(len("hello from Go"))
        modes = set(port_modes(port))
        asking.communicate("")
    serving.kill()
    serving.wait()
    return modes, page, listens


WORKS = ({"SMCD"}, "hello from Go", True)


def scope():
    doc = json.loads(run("smc_bpf", "status", "-j")[1])
    found = [s for s in doc["scopes"] if s["name"] == "/held"][0]
    return found["converted"], found["mptcp"], found["other"]


def attach(*rules):
    equal(run("smc_bpf", "attach", "-c", "/held", *rules)[0::2], (0, ""), "attached %s" % " ".join(rules))


def detach():
    run("smc_bpf", "detach", "--all")


def modes(*argv):
    with start(*argv) as program:
        rows = held_modes(program)
        program.kill()
    return rows


def hook(**notes):
    """The hook of container runtimes, for a process of a control group that has the name of the container."""
    ident = "4be7" * 16
    os.makedirs("/sys/fs/cgroup/docker/" + ident, exist_ok=True)
    with subprocess.Popen(["unshare", "-m", "sh", "-c", 'echo $$ >/sys/fs/cgroup/docker/%s/cgroup.procs; read line; exec "$0" serve 127.0.0.1:8090' % ident, GO],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as box:
        wait_for(lambda: str(box.pid) in open("/sys/fs/cgroup/docker/%s/cgroup.procs" % ident, encoding="ascii").read().split())
        state = {"ociVersion": "1.0", "id": ident, "pid": box.pid, "status": "created", "bundle": "/run",
                 "annotations": {"smc-tools/" + name: value for name, value in notes.items()}}
        subprocess.run(["smc_bpf", "oci-hook"], input=json.dumps(state), text=True, check=True)
        box.stdin.write("\n")
        box.stdin.flush()
        box.stdout.readline()
        listens = any(s.get("local", {}).get("port") == 8090 for s in listing("-l"))
        box.kill()
    detach()
    return listens


def go(program, name, port):
    if not os.path.exists(program):
        skip(name, "no C compiler made it")
        return
    ways = ("smc_run", "smc_run --bpf", " ".join(SECCOMP))
    for number, way in enumerate(ways):
        command = (*way.split(), program)
        equal(web(port + number, command, command), WORKS, "%s: server and client under %s" % (name, way))
    equal(web(port + 3, ("smc_run", program), ("smc_run", "--seccomp", program)), WORKS, name + ": one way, the other way")
    detach()
    equal(web(port + 4, (program,), ("smc_run", "--seccomp", program))[0::2], ({"TCP"}, False), name + ": without a way MPTCP")
    attach()
    equal(web(port + 5, (program,), (program,)), WORKS, name + ": in a scope")
    ok(scope()[0] >= 2 and scope()[1] == 0, name + ": counted", scope())
    attach("--keep-mptcp")
    equal(web(port + 6, (program,), (program,))[2], False, name + ": in a scope that keeps MPTCP")
    status, out, err = run("smc_bpf", "status")
    ok(status == 0 and scope()[1] > 0 and "mptcp" in out and "GODEBUG=multipathtcp=0" in err, "which status reports, and what to do", (out, err))
    equal(web(port + 7, (program,), (program,), env={"GODEBUG": "multipathtcp=0"}), WORKS, name + ": and does")
    detach()
    chosen = {"GODEBUG": "multipathtcp=1"}
    for number, way in enumerate(("smc_run", "smc_run --bpf", "smc_run --seccomp")):
        command = (*way.split(), program)
        equal(web(port + 8 + number, command, (program,), env=chosen)[2], False, "%s: a user chose MPTCP, under %s" % (name, way))
        equal(web(port + 11 + number, command, command, env={"GODEBUG": "multipathtcp=0"}), WORKS, "%s: one chose TCP, under %s" % (name, way))
    ok("MPTCP" in run("smc_run", "--strict", "--bpf", program, env=chosen)[2], name + ": which eBPF refuses if it must")


def cgo():
    """C code in Go: the calls of a static program look like those of Go."""
    for name, mptcp in ("/run/go/gocgo", 262), ("/run/go/gocgo-static", 256):
        if not os.path.exists(name):
            skip(name, "no C compiler made it")
            continue
        for way in "smc_run", "smc_run --bpf", "smc_run --seccomp", "":
            if not way:
                attach()
            with start(*way.split(), name) as program:
                equal(program.stdout.read(), "256 %d\n" % mptcp, "%s: C code in Go, %s" % (name, way or "in a scope"))
        detach()


def others():
    """Programs in C and Python."""
    for way in ("smc_run", "smc_run --bpf", "smc_run --seccomp", "smc_run --seccomp env -i"):
        equal(modes(*way.split(), STATIC, PAIR), ["SMCD"] * 2, "a static program under " + way)
    detach()
    for way in ("smc_run", "smc_run --bpf", "smc_run --seccomp"):
        with start(*way.split(), "python3", "-c", PROTOCOL) as program:
            equal(program.stdout.read(), MPTCP, "one that asks its C library means it, under " + way)
    detach()
    attach()
    equal(modes(STATIC, PAIR.replace("4", "6", 1).replace("127.0.0.1", "[::1]")), ["SMCD"] * 2, "a static program in a scope")
    before = scope()
    with start("python3", "-c", PROTOCOL) as program:
        equal((program.stdout.read(), scope()), (MPTCP, (before[0], before[1] + 1, before[2])), "and one that asks its C library")
    tcp = "import socket; print(socket.socket().getsockopt(1, 38))"
    with start("mptcpize", "run", "python3", "-c", tcp) as program:
        equal(program.stdout.read(), MPTCP, "mptcpize(8) in a scope")
    detach()
    with start("smc_run", "--seccomp", "mptcpize", "run", "python3", "-c", tcp) as program:
        equal(program.stdout.read(), MPTCP, "and under a supervisor")
    with start("smc_run", "--seccomp", "sh", "-c", "mptcpize run python3 -c '%s'" % tcp) as program:
        equal(program.stdout.read(), MPTCP, "anywhere below it")


def without():
    """Go asks for TCP where MPTCP is refused."""
    write("/proc/sys/net/mptcp/enabled", "0\n")
    attach("--keep-mptcp")
    equal(web(8099, (GO,), (GO,)), WORKS, "MPTCP is switched off: Go takes TCP")
    detach()


os.makedirs(HELD, exist_ok=True)
go(GO, "a static Go program", 8000)
go(GO + "-dynamic", "a dynamic Go program", 8020)
ok(hook(attach="true"), "the hook of container runtimes")
ok(not hook(attach="true", mptcp="keep"), "which keeps MPTCP for an annotation")
cgo()
others()
without()
end()
done()
