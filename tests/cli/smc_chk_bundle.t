#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""smc_chk bundle and from on any kernel: what is written, what is refused, what is left behind."""
import glob
import io
import json
import os
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

from recorded import BUILD, ROOT, done as end, ok, refused, skip, tool
sys.path.insert(0, ROOT + "/tests/kernel/guest")
from terminal import on_terminal  # noqa: E402 pylint: disable=wrong-import-position

CHK = BUILD + "/smc_chk"
FOLDER = "smc-bundle"
TOP = tempfile.TemporaryDirectory()
TMP = TOP.name + "/tmp"
SECRET = "correct-horse-battery-staple"


def run(*argv, **more):
    return tool(["smc_chk", *argv], dict(os.environ, TMPDIR=TMP, LC_ALL="C", PASSWORD=SECRET), **more)


def refuse(words, *argv):
    refused(words, run(*argv), TMP)


def entry(name, data=b"", **more):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in more.items():
        setattr(info, key, value)
    return info, data


def index(order="little", schema="smc-tools/bundle/1"):
    doc = {"schema": schema, "byte_order": order, "machine": "x"}
    return entry(FOLDER + "/index.json", json.dumps(doc).encode())


def archive(*entries, mode="w:gz"):
    path = TOP.name + "/bad.tar.gz"
    with tarfile.open(path, mode) as tar:
        for info, data in entries:
            tar.addfile(info, io.BytesIO(data))
    return path


def check_files(commands, files):
    """The answer of each command."""
    texts = {FOLDER + "/text/%s.txt" % command["name"] for command in commands}
    ok(len(texts) == len(commands) > 5, "commands with names of their own", commands)
    missing = [name for name in texts if not files.get(name, b"").startswith(b"$ smc")]
    ok(not missing, "every command's answer is there", missing)


def check_bundle():
    path = TOP.name + "/b.tar.gz"
    done = run("bundle", path)
    ok(done.returncode == 0 and not done.stderr and path.encode() in done.stdout, "a bundle", done)
    ok(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "only its owner may read it")
    ok(not os.listdir(TMP), "nothing is left in TMPDIR", os.listdir(TMP))
    ok(sorted(os.listdir(TOP.name)) == ["b.tar.gz", "tmp"], "nothing is left beside it", os.listdir(TOP.name))
    with tarfile.open(path) as tar:
        files = {m.name: tar.extractfile(m).read() for m in tar if m.isfile()}
        kinds = {(m.type, m.mode, m.uid, m.gid, m.uname) for m in tar}
    ok(kinds - {(tarfile.DIRTYPE, 0o700, 0, 0, "")} == {(tarfile.REGTYPE, 0o600, 0, 0, "")},
       "only plain files, of nobody in particular", kinds)
    ok(all(name.startswith(FOLDER + "/") for name in files), "all below one directory")
    doc = json.loads(files[FOLDER + "/index.json"])
    ok(doc["schema"] == "smc-tools/bundle/1" and doc["kernel"] == os.uname().release, "index.json", doc)
    check_files(doc["commands"], files)
    system = files[FOLDER + "/text/system.txt"].decode()
    ok(system.startswith("host\n  name: ") and "\n  release: %s\n" % os.uname().release in system and "\n  PRETTY_NAME=" in system and
       "\n  ipv4/tcp_rmem: " in system and system.isascii(), "facts of the system", system)
    found = [n for n, data in files.items() if SECRET.encode() in data or b"PASSWORD" in data]
    ok(not found, "nothing of the environment", found)
    before = os.stat(path)
    done = run("bundle", path)
    ok(done.returncode == 1 and b"File exists" in done.stderr and os.stat(path) == before,
       "an existing file is left alone", done)
    os.symlink(TOP.name + "/elsewhere", TOP.name + "/link")
    refuse("File exists", "bundle", TOP.name + "/link")
    refuse("No such file or directory", "bundle", TOP.name + "/none/b.tar.gz")
    status, shown = on_terminal([CHK, "bundle", TOP.name + "/t.tar.gz"], dict(os.environ, TMPDIR=TMP, LC_ALL="C"))
    lines = shown.split("\r\x1b[K")
    ok(status == 0 and len(lines) > 20 and lines[1].startswith("collecting: 1 of ") and lines[-1].startswith(TOP.name + "/t.tar.gz: ") and
       shown.count("\n") == 1, "who waits at a terminal sees what it is at, and in the end one line", shown)
    os.unlink(TOP.name + "/t.tar.gz")
    done = run("bundle", "-")
    ok(done.returncode == 0 and done.stdout[:2] == b"\x1f\x8b", "- is standard output", done.stderr)
    return path


def check_from(path):
    for argv in ([], ["doctor", "-j"], ["-s"], ["doctor", "--problems", "-j"]):
        live, back = run(*argv), run("from", path, *argv)
        same = live.stdout == back.stdout and live.returncode == back.returncode
        ok(same, "from FILE %s is as live" % " ".join(argv), (live, back))
    for words in (["smcss", "-a"], ["smcd", "info"], ["smcr", "-j", "linkgroup"], ["smc_pnet", "-l"],
                 ["smc_rnics", "-a", "-w"], ["smc_rnics", "-a", "-j"]):
        live = subprocess.run([os.path.dirname(CHK) + "/" + words[0], *words[1:]], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        back = run("from", path, *words)
        ok((live.returncode, live.stdout, live.stderr) == (back.returncode, back.stdout, back.stderr),
           "from FILE %s is as live" % " ".join(words), (live, back))
    ok(not os.listdir(TMP), "nothing is left in TMPDIR", os.listdir(TMP))
    refuse("unknown command 'sh'", "from", path, "sh", "-c", "true")
    refuse("recorded host", "from", path, "smc_rnics", "-e", "1")
    refuse("recorded host", "from", path, "smcss", "-N", "1")
    refuse("recorded host", "from", path, "smc_chk", "bundle", TOP.name + "/again")
    if os.geteuid():
        print("# not as root: another user's view is the same")


def check_hostile(path):
    plain = entry(FOLDER + "/record/x", b"x")
    refuse("No such file", "from", TOP.name + "/none")
    refuse("is not a bundle", "from", CHK)
    refuse("no smc-tools/bundle/1", "from", archive(plain))
    refuse("no smc-tools/bundle/1", "from", archive(index(schema="smc-tools/bundle/2")))
    refuse("no smc-tools/bundle/1", "from", archive(entry(FOLDER + "/index.json", b"[" * 100000)))
    for name in ("/etc/evil", "other/x", FOLDER + "x/y"):
        refuse("a file with an unexpected name", "from", archive(index(), entry(name, b"evil")))
    for name in ("../evil", FOLDER + "/../../evil", ".", FOLDER):
        refuse("is not a bundle: ", "from", archive(index(), entry(name, b"evil")))
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
        refuse("something other than files", "from",
               archive(index(), entry(FOLDER + "/record/sys", type=kind, linkname=FOLDER + "/index.json")))
    for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE):
        refuse("is not a bundle: ", "from", archive(index(), entry(FOLDER + "/record/sys", type=kind)))
    # A link that leads outside, and a file through it.
    for target in ("/etc", "..", "../.."):
        refuse("is not a bundle: ", "from",
               archive(index(), entry(FOLDER + "/out", type=tarfile.SYMTYPE, linkname=target), entry(FOLDER + "/out/evil", b"evil")))
    refuse("File exists", "from", archive(index(), plain, plain))
    refuse("Not a directory", "from", archive(index(), plain, entry(FOLDER + "/record/x/y", b"y")))
    refuse("too many files", "from", archive(*(entry(FOLDER + "/%d" % i) for i in range(20001))))
    refuse("name that is too long", "from", archive(index(), entry(FOLDER + "/" + "x/" * 30 + "x", b"x")))
    refuse("name that is too long", "from", archive(index(), entry(FOLDER + "/" + "x/" * 2100 + "x", b"x")))
    refuse("not a tar.gz file", "from", archive(index(), mode="w"))
    with open(path, "rb") as file:
        whole = file.read()
    bad = TOP.name + "/bad.tar.gz"
    for size in (5, 100, len(whole) // 2, len(whole) - 9):
        with open(bad, "wb") as file:
            file.write(whole[:size])
        refuse("is not a bundle", "from", bad)
    for name in ("/etc/evil", TOP.name + "/evil", TMP + "/evil"):
        ok(not os.path.exists(name), "%s was not made" % os.path.basename(os.path.dirname(name)))


def attr(kind, text):
    data = struct.pack("=HH", len(text) + 5, kind) + text + b"\0"
    return data + bytes(-len(data) % 4)


def check_no_record():
    result = run("from", archive(index()))
    ok(result.returncode == 1 and b"bad.tar.gz is not a bundle: " in result.stderr, "from: without a record", result)


def check_words():
    """The doctor's commands are pasted into a shell, by root."""
    head = b"smc-tools netlink 1 %s 0 - \n" % sys.byteorder.encode()
    body = struct.pack("=BBH", 1, 1, 0) + attr(1, b"A;reboot") + attr(2, b"eth9")
    table = struct.pack("=IHHII", 16 + len(body), 20, 2, 1, 1) + body
    record = {"probes/socket-af_smc": b"0\n", "netlink/SMC_PNETID/family": head,
              "netlink/SMC_PNETID/1": head + table, "sys/bus/pci/slots/a;reboot/power": b"0\n"}
    done = run("from", archive(index(sys.byteorder), *(
        entry(FOLDER + "/record/" + name, data) for name, data in record.items())))
    for command in ("smc_pnet -d 'A;reboot'", "smc_rnics -e 'a;reboot'"):
        ok("-> %s\n" % command in done.stdout.decode(), command, done)


class Zeros(io.RawIOBase):
    """Any number of zeros."""

    def read(self, size=-1):
        return bytes(size)


def check_bomb():
    bad = TOP.name + "/bad.tar.gz"
    with tarfile.open(bad, "w:gz", compresslevel=1) as tar:
        info, _ = entry(FOLDER + "/zeros")
        info.size = 513 << 20
        tar.addfile(info, Zeros())
    refuse("it is too large", "from", bad)


def check_signal():
    """Killed in the middle: nothing is left."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        env = dict(os.environ, TMPDIR=TMP)
        target = TOP.name + "/stopped"
        # The tests themselves may run with a signal ignored.
        with subprocess.Popen([CHK, "bundle", target], env=env, stdout=subprocess.DEVNULL,
                              preexec_fn=lambda n=number: signal.signal(n, signal.SIG_DFL)) as process:
            while not os.listdir(TMP) and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(number)
            process.wait()
        ok(process.returncode == -number and not os.listdir(TMP) and
           not [n for n in os.listdir(TOP.name) if n.startswith("stopped")],
           "%s: nothing is left" % signal.Signals(number).name, (process.returncode, os.listdir(TMP)))


def check_killed():
    """Killed without a chance to clean up: no half bundle has the name of a whole one, and the next start removes the rest."""
    target = TOP.name + "/half.tar.gz"
    notes = TMP + "/smc_chk.backup"
    with subprocess.Popen([CHK, "bundle", target], env=dict(os.environ, TMPDIR=TMP), stdout=subprocess.DEVNULL) as process:
        while not glob.glob(TMP + "/smc_chk.*/*") and process.poll() is None:
            time.sleep(0.001)
        process.kill()
    ok(len(os.listdir(TMP)) == 1 and not os.path.exists(target), "killed: no bundle", os.listdir(TOP.name))
    os.mkdir(notes, 0o700)
    old = set(os.listdir(TMP))
    with subprocess.Popen([CHK, "bundle", "-"], env=dict(os.environ, TMPDIR=TMP), stdout=subprocess.PIPE) as process:
        while not [new for new in set(os.listdir(TMP)) - old if os.listdir(TMP + "/" + new)]:
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        done = run("bundle", target)
        ok(len(os.listdir(TMP)) == 2, "directories in use stay", os.listdir(TMP))
        process.send_signal(signal.SIGCONT)
        process.communicate()
    ok(process.returncode == done.returncode == 0 and os.listdir(TMP) == ["smc_chk.backup"],
       "the next start removes what a killed process left, and only that", (done, os.listdir(TMP)))
    os.rmdir(notes)
    before = os.stat(target)
    refuse("File exists", "bundle", target)
    ok(os.stat(target) == before and stat.S_IMODE(before.st_mode) == 0o600, "a bundle is never replaced")
    os.unlink(target)
    for name in os.listdir(TOP.name):
        if name.startswith(".half"):
            os.unlink(TOP.name + "/" + name)


def check_ignored():
    """smc_chk bundle continues when an ignored signal arrives, as under nohup."""
    target = TOP.name + "/kept.tar.gz"
    with subprocess.Popen([CHK, "bundle", target], env=dict(os.environ, TMPDIR=TMP), stdout=subprocess.DEVNULL,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        while not os.listdir(TMP) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGHUP)
        process.wait()
    ok(process.returncode == 0 and os.path.exists(target), "an ignored signal ends nothing", process.returncode)
    os.unlink(target)


def check_children():
    """The parent may ignore SIGCHLD: the kernel then discards our children, too."""
    target = TOP.name + "/children.tar.gz"
    start = time.monotonic()
    run("bundle", target)
    usual, start = time.monotonic() - start, time.monotonic()
    os.unlink(target)
    done = run("bundle", target, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    with tarfile.open(target) as tar:
        commands = json.load(tar.extractfile(FOLDER + "/index.json"))["commands"]
    ok(done.returncode == 0 and commands and not [c for c in commands if "cannot run" in c.get("errors", "")],
       "SIGCHLD ignored: the tools still run", done)
    ok(time.monotonic() - start < 5 * usual, "and nobody waits for them in vain", (time.monotonic() - start, usual))
    os.unlink(target)


def check_reader():
    """The reader of the bundle has gone: nothing is left."""
    for action, name in ((signal.SIG_DFL, "ends it"), (signal.SIG_IGN, "is an error where SIGPIPE is ignored")):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([CHK, "bundle", "-"], stdout=writer, stderr=subprocess.PIPE, timeout=120, check=False,
                              env=dict(os.environ, TMPDIR=TMP), restore_signals=False,
                              preexec_fn=lambda a=action: signal.signal(signal.SIGPIPE, a))
        os.close(writer)
        want = -signal.SIGPIPE if action == signal.SIG_DFL else 1
        ok(done.returncode == want and not os.listdir(TMP), "a closed pipe %s, and nothing is left" % name,
           (done, os.listdir(TMP)))
        for directory in os.listdir(TMP):
            shutil.rmtree(TMP + "/" + directory)


def check_full():
    """A small file system, for the target and for the directory in which the work is done."""
    small = TOP.name + "/small"
    os.mkdir(small)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small],
                                      stderr=subprocess.DEVNULL, check=False).returncode:
        skip("no room", "cannot mount a tmpfs")
        return
    try:
        refuse("No space left", "bundle", small + "/b.tar.gz")
        ok(not os.listdir(small), "no room for the bundle: nothing is left", os.listdir(small))
        global TMP
        before, TMP = TMP, small
        refuse("No space left on device", "from",
               archive(index(sys.byteorder), entry(FOLDER + "/record/large", bytes(60000))))
        refuse("No space left", "bundle", TOP.name + "/full.tar.gz")
        TMP = before
        ok(not os.path.exists(TOP.name + "/full.tar.gz"), "no room for the work: no bundle")
    finally:
        subprocess.run(["umount", small], check=True)


def check_limit():
    """No byte may be written to a file."""
    for action in (signal.SIG_DFL, signal.SIG_IGN):
        def limit():
            signal.signal(signal.SIGXFSZ, action)  # pylint: disable=cell-var-from-loop
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        refused("File too large", run("bundle", TOP.name + "/none.tar.gz", preexec_fn=limit, restore_signals=False), TMP)
    ok(run("doctor", preexec_fn=limit).returncode >= 0, "the doctor works without files")


os.mkdir(TMP)
check_limit()
bundle = check_bundle()
check_from(bundle)
check_hostile(bundle)
check_no_record()
check_words()
check_bomb()
check_signal()
check_killed()
check_ignored()
check_children()
check_reader()
check_full()
end()
