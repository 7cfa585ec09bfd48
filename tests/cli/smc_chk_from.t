#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Bundles and recorded hosts of strangers: what they cost, what they reach, what they leave behind."""
import io
import json
import os
import resource
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

from recorded import BUILD, done as end, ok, refused, skip, tool

ORDER = sys.byteorder
TOP = tempfile.TemporaryDirectory()
TMP = TOP.name + "/tmp"
ENV = dict(os.environ, TMPDIR=TMP, LC_ALL="C")
HEAD = b"smc-tools netlink 1 %s 0 %%s \n" % ORDER.encode()
# The request with all bits: it serves every other request.
SOCKETS = HEAD % (b"ff" * 52)


def run(name, *argv, env=None, **more):
    return tool([name, *argv], env or ENV, **more)


def refuse(words, result, name=None):
    refused(words, result, TMP, name)


def bundle(files, name="bundle.tar.gz"):
    """Write a bundle with these files, each a name or a pair of name and content."""
    index = json.dumps({"schema": "smc-tools/bundle/1", "byte_order": ORDER, "machine": "x"}).encode()
    path = TOP.name + "/" + name
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for inner, data in [("index.json", index), *files]:
            info = tarfile.TarInfo("smc-bundle/" + inner)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def message(inode, state=1):
    body = struct.pack("=BBBB", 43, state, 1, 0) + bytes(48) + struct.pack("=III", 0, inode, 0)
    return struct.pack("=IHHII", 16 + len(body), 20, 2, 1, 1) + body


def sockets(number):
    return ("record/netlink/sock_diag/43", SOCKETS + b"".join(message(i + 1) for i in range(number)))


def family(name):
    return ("record/netlink/%s/family" % name, HEAD % b"-")


# ---- what they cost ----

def check_directories():
    """Names that are cheap for tar and expensive for a file system."""
    deep = "/".join(["d"] * 2000)
    refuse("name that is too long", run("smc_chk", "from", bundle([("%d/%s" % (i, deep), b"") for i in range(200)])))
    parts = "/".join("p%d" % i for i in range(20))
    refuse("too many files", run("smc_chk", "from", bundle([("%d/%s/x" % (i, parts), b"") for i in range(1000)])))
    real = "record/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/12"
    done = run("smc_chk", "from", bundle([(real, b"eth0\n"), sockets(1)]), "smcss", "-a")
    ok(done.returncode == 0 and not done.stderr, "directories as deep as sysfs has them", done)


def check_bombs():
    """Small files that become large."""
    refuse("netlink/sock_diag/43 is too large", run("smc_chk", "from", bundle([sockets(250001)]), "smcss", "-a"))
    holders = ("record/probes/holders", b"".join(b"%d 1 1\n" % i for i in range(1024 * 1024 + 1)))
    refuse("which processes hold", run("smc_chk", "from", bundle([sockets(1), holders]), "smcss", "-ap"))
    names = ("record/sys/class/net@list", b"".join(b"e%d\n" % i for i in range(16385)))
    refuse("File too large", run("smc_chk", "from", bundle([names]), "smc_rnics", "-a"))
    large = ("record/netlink/SMC_PNETID/1", bytes(140 << 20))
    refuse("netlink/SMC_PNETID/1 is too large",
           run("smc_chk", "from", bundle([large, family("SMC_PNETID")]), "smc_pnet"))


def check_large():
    """Bundles of large hosts are readable, within half of the limits."""
    def halve():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    host = [sockets(20000), ("record/probes/holders", b"".join(b"%d 17 %d nginx\n" % (i + 1, i) for i in range(20000)))]
    path = bundle(host)
    for argv in (["-ap"], ["-aj"], ["-as"]):
        done = run("smc_chk", "from", path, "smcss", *argv, preexec_fn=halve)
        ok(done.returncode == 0 and not done.stderr and done.stdout.count(b"\n") > 0,
           "20000 sockets: smcss %s" % argv[0], (done.returncode, done.stdout[-200:], done.stderr))
    names = b"".join(b"e%d\n" % i for i in range(4000))
    files = [("record/sys/class/net@list", names)]
    done = run("smc_chk", "from", bundle(files), "smc_rnics", "-a", preexec_fn=halve)
    ok(done.returncode == 0, "4000 net devices", done)


def check_time():
    """A tool that runs for ever is killed."""
    def hurry():
        resource.setrlimit(resource.RLIMIT_CPU, (1, 60))
    done = run("smc_chk", "from", bundle([sockets(60000)]), "smcss", "-aj", "-w", "0.1", preexec_fn=hurry)
    err = done.stderr.decode()
    ok(done.returncode == 1 and err.count("\n") == 1 and "smcss did not finish" in err and
       "processor time" in err and not os.listdir(TMP), "processor time is limited", (done.returncode, err))


def check_memory():
    """Memory limits from none to enough: at most one error, and no files are left."""
    path = bundle([sockets(10)])
    bad, right, limit = [], 0, 3 << 20
    while limit < 1 << 30 and right < 3:
        done = run("smc_chk", "from", path, "smcss", "-aH", preexec_fn=lambda n=limit: resource.setrlimit(
            resource.RLIMIT_AS, (n, n)))
        is_right = done.returncode == 0 and done.stdout.count(b"\n") == 10 and not done.stderr
        right = right + 1 if is_right else 0
        # 127: the loader's message, which varies.
        is_said = done.returncode in (1, 127) and not done.stdout and done.stderr.count(b"\n") == 1
        if not (is_right or is_said or done.returncode < 0) or os.listdir(TMP):
            bad.append((limit, done, os.listdir(TMP)))
            subprocess.run(["rm", "-rf", *(TMP + "/" + name for name in os.listdir(TMP))], check=True)
        limit += 1 << 20
    ok(right == 3 and not bad, "short of memory: an error, and nothing is left", bad)


# ---- what they reach ----

def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def wait_for(what):
    """Wait until it is true; a hang is ended from outside."""
    while not what():
        time.sleep(0.002)


def start_watch(path):
    """A tool that reads it repeatedly, and has started."""
    process = subprocess.Popen([BUILD + "/smc_chk", "from", path, "smcss", "-aH", "-w", "0.2"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
    process.stdout.readline()
    return process, children(process.pid)[0]


def status_of(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def check_rights():
    process, pid = start_watch(bundle([sockets(3)]))
    try:
        words = status_of(pid)
        ok(words["NoNewPrivs"] == "1" and not int(words["CapEff"], 16) and not int(words["CapPrm"], 16),
           "what reads a bundle has no capabilities", words)
        with open("/proc/%d/limits" % pid, encoding="ascii") as file:
            limits = {line[:26].strip(): line[26:].split()[0] for line in file}
        ok(limits["Max cpu time"] == "60" and limits["Max address space"] == "2147483648",
           "and little time and memory", limits)
        if os.geteuid():
            skip("it is nobody, in a root directory of its own", "not root")
        else:
            ok(words["Uid"].split() == ["65534"] * 4 and words["Gid"].split() == ["65534"] * 4 and
               not words["Groups"].split() and os.readlink("/proc/%d/root" % pid).startswith(TMP + "/smc_chk."),
               "it is nobody, in a root directory of its own", (words, os.readlink("/proc/%d/root" % pid)))
    finally:
        process.terminate()
        process.communicate()
    ok(not os.listdir(TMP), "nothing is left", os.listdir(TMP))


def tree(name, files):
    top = TOP.name + "/" + name
    for inner, data in files:
        os.makedirs(os.path.dirname(top + "/" + inner), exist_ok=True)
        with open(top + "/" + inner, "wb") as file:
            file.write(data)
    return top


def from_tree(top, tool, *argv, name="SMC_TOOLS_ROOT"):
    return run(tool, *argv, env=dict(ENV, **{name: top}))


def check_root():
    inner, data = sockets(3)
    top = tree("host", [(inner[len("record/"):], data)])
    ok(from_tree(top, "smcss", "-aH").stdout.count(b"\n") == 3, "a recorded host", from_tree(top, "smcss", "-a"))
    ok(stat.S_ISDIR(os.stat(top).st_mode) and run("smcss", "-h", env=dict(ENV, SMC_TOOLS_ROOT="/none")).returncode == 0,
       "help needs no recorded host")
    refuse("cannot read /none: No such file", from_tree("/none", "smcss"))
    answer = top + "/netlink/sock_diag/43"
    os.rename(answer, TOP.name + "/outside")
    os.symlink(TOP.name + "/outside", answer)
    refuse("no answer to netlink/sock_diag/43", from_tree(top, "smcss", "-a"), "a link that leads outside is none")
    os.unlink(answer)
    os.rename(TOP.name + "/outside", top + "/real")
    for target in ("../../real", "/real", "../../../../../real"):
        os.symlink(target, answer)
        ok(from_tree(top, "smcss", "-aH").stdout.count(b"\n") == 3, "a link to %s stays within" % target,
           from_tree(top, "smcss", "-a"))
        os.unlink(answer)
    os.symlink("43", answer)
    refuse("no answer to netlink/sock_diag/43", from_tree(top, "smcss", "-a"), "a link to itself")
    os.unlink(answer)
    os.mkfifo(answer)
    refuse("no answer to netlink/sock_diag/43", from_tree(top, "smcss", "-a"), "a FIFO does not hang")
    link = TOP.name + "/top"
    os.symlink(top, link)
    refuse("Not a directory", from_tree(link, "smcss", "-a"), "the directory itself is no link")


def check_owner():
    if os.geteuid():
        skip("a directory of another user", "not root")
        return
    top = tree("theirs", [("netlink/sock_diag/43", sockets(1)[1])])
    os.chown(top, 1234, 1234)
    for name, words in (("SMC_TOOLS_ROOT", "cannot read %s" % top), ("SMC_TOOLS_RECORD", "cannot record into %s" % top)):
        for command, *argv in (["smcss"], ["smcr", "info"], ["smcd", "info"], ["smc_pnet"], ["smc_rnics", "-a"], ["smc_chk"]):
            done = from_tree(top, command, *argv, name=name)
            refuse(words + ": it belongs to another", done, "%s of another user: %s" % (name, command))
    done = from_tree(top, "smc_chk", "program", "/bin/true")
    refuse("belongs to another user", done, "smc_chk program of another user")
    done = run("smc_chk", "from", bundle([sockets(1)]), "smc_chk", "program", "/bin/true")
    refuse("belongs to another user", done, "smc_chk program would read a bundle as root")
    os.chown(top, 0, 0)
    done = from_tree(top, "smcss", "-aH")
    ok(done.returncode == 0 and done.stdout.count(b"\n") == 1, "root's own can be read by root", done)


def check_record():
    """Recorded data is not copied elsewhere."""
    top = tree("record", [("complete", b"")])
    victim = TOP.name + "/victim"
    os.mkdir(victim)
    os.symlink(victim, top + "/sys")
    os.mkfifo(top + "/probes")
    from_tree(top, "smc_chk", "doctor", name="SMC_TOOLS_RECORD")
    ok(not os.listdir(victim), "a link in a record is not written through", os.listdir(victim))
    ok(not os.path.exists(top + "/complete"), "and it is not complete")


# ---- what they leave behind ----

def check_signals():
    path = bundle([sockets(3)])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)  # nohup(1) ignores some, and children inherit that
        process, _ = start_watch(path)
        process.send_signal(number)
        process.communicate()
        ok(process.returncode == -number and not os.listdir(TMP), "%s: nothing is left" % signal.Signals(number).name,
           (process.returncode, os.listdir(TMP)))


def check_crash():
    """Unpacking fails in the middle."""
    path = bundle([("zeros", bytes(1 << 20))])
    done = run("smc_chk", "from", path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    refuse("cannot unpack %s: File too large" % path, done, "what ends while it unpacks is an error")


os.mkdir(TMP)
check_directories()
check_bombs()
check_large()
check_time()
check_memory()
check_rights()
check_root()
check_owner()
check_record()
check_signals()
check_crash()
end()
