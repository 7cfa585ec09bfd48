# SPDX-License-Identifier: MIT
"""smc_bpf oci-hook: for any state, it attaches to the container's own control group, or to nothing."""
import json
import os
import subprocess

from kern import done, equal, ok, out_of, wait_for

ROOT = "/sys/fs/cgroup"
WEB, OTHER = "4be7" * 16, "c0de" * 16
FIFO = "/run/bundle"


def scopes():
    return sorted(s["name"] for s in json.loads(out_of("smc_bpf", "status", "--json"))["scopes"])


def start(group, *unshare):
    """A process in a control group; in new namespaces if options of unshare(1) are given."""
    path = ROOT + group
    os.makedirs(path, exist_ok=True)
    script = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
    process = subprocess.Popen(["sh", "-c", script, path, *(["unshare", *unshare] if unshare else []), "sleep", "9999"])
    wait_for(lambda: open("/proc/%d/cmdline" % process.pid, "rb").read().split(b"\0")[1:2] == [b"9999"])
    return process


def end(process):
    process.kill()
    process.wait()


def hook(text):
    """Status and standard error. It must end on its own, within its limit."""
    ended = subprocess.run(["smc_bpf", "oci-hook"], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                           check=False)
    ok(not ended.stdout and ended.stderr.count(b"\n") <= 1 and
       all(byte >= 32 or byte == 10 for byte in ended.stderr), "one line at most, without control characters", ended)
    return ended.returncode, ended.stderr.decode()


def state(pid, ident=WEB, wish="strict", status="created"):
    return json.dumps({"ociVersion": "1.0", "id": ident, "pid": pid, "status": status, "bundle": FIFO,
                       "annotations": {"smc-tools/attach": wish}}).encode()


def detach():
    if scopes():
        out_of("smc_bpf", "detach", "--all")


def attached(name, text, group, ident=WEB):
    """For a container in this control group, the hook attaches exactly that group."""
    box = start(group, "-m")
    equal(hook(state(box.pid, ident)), (0, ""), name)
    equal(scopes(), [text], name + ": its own group, no other")
    detach()
    end(box)


def refused(name, pid, why, ident=WEB):
    status, err = hook(state(pid, ident))
    ok(status == 1 and why in err, name + ": refused", (status, err))
    equal(scopes(), [], name + ": nothing is attached")
    detach()


def groups():
    attached("a container", "/libpod-" + WEB, "/libpod-" + WEB)
    attached("with groups below", "/libpod-" + WEB, "/libpod-" + WEB + "/container/x")
    attached("a group of another name", "/mine/container", "/mine/container")
    attached("a group named as the mount", "/sys/fs/cgroup", "/sys/fs/cgroup")
    os.makedirs(ROOT + "/victim", exist_ok=True)
    attached("and one below, which has a namesake", "/sys/fs/cgroup/victim", "/sys/fs/cgroup/victim")
    attached("a group that a terminal obeys", "/\x1b[31m%n%s", "/\x1b[31m%n%s")


def processes():
    box, other = start("/libpod-" + WEB, "-m"), start("/libpod-" + OTHER, "-m")
    host, root = start("/system.slice/sshd.service"), start("", "-m")
    here = start(open("/proc/self/cgroup", encoding="ascii").read().strip().split("::")[1], "-m")
    refused("process 1", 1, "not in a container")
    refused("a process of the host", host.pid, "not in a container")
    refused("one in the root group", root.pid, "no control group of its own")
    refused("one in the hook's own group", here.pid, "no control group of its own")
    refused("one of another container", other.pid, "no control group of its own")
    end(other)
    refused("one that has ended", other.pid, "No such process")
    for process in box, host, root, here:
        end(process)


def ends():
    """When a container ends, the scopes of others stay."""
    web, session = start("/runc-1.scope", "-m"), start("/session-1.scope")
    out_of("smc_bpf", "attach", "--cgroup", "/session-1.scope")
    equal(hook(state(web.pid, "1")), (0, ""), "a container by the name of 1")
    equal(scopes(), ["/runc-1.scope", "/session-1.scope"], "is attached in addition to a session")
    end(web)
    for ident in "scope", "session", ".", "..", "-", "1":
        equal(hook(state(0, ident, status="stopped")), (0, ""), "container %r has ended" % ident)
        equal(scopes(), ["/session-1.scope"] if ident == "1" else ["/runc-1.scope", "/session-1.scope"],
              "container %r: others keep their scopes" % ident)
    end(session)
    detach()


os.mkfifo(FIFO)
groups()
processes()
ends()
done()
