# SPDX-License-Identifier: MIT
"""smc_chk -i, explain and program: compared with a PNET table, real fallbacks, and programs under smc_run."""
import json
import os
import shutil
import subprocess
import sys

from kern import HAS_SEID, NOBODY, done, equal, has_jit, held_modes, listens, listing, ok, run, skip, smcss, Sockets, wait_for

PROGRAMS = sys.argv[1]
LISTEN = "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', %d)); s.listen(); time.sleep(600)"


def ip(*argv):
    status, _, err = run("ip", *argv)
    ok(status == 0, "ip " + " ".join(argv), err)


# ---- PNET IDs ----

def pnetid(name, want, source=None, base=None):
    equal(run("smc_chk", "-i", name), (0, want, ""), "-i " + name)
    doc = json.loads(run("smc_chk", "-j", "-i", name)[1])
    equal((doc.get("source"), doc["base_device"]), (source, base or name), "-j -i " + name)


def check_pnetids():
    ip("link", "add", "base-0", "type", "dummy")
    ip("link", "add", "link", "base-0", "name", "base-0.100", "type", "vlan", "id", "100")
    ip("link", "add", "abcdefghijklmno", "type", "dummy")
    ip("link", "property", "add", "dev", "base-0", "altname", "other.name")
    pnetid("base-0", "")
    equal(run("smc_pnet", "-a", "net1", "-I", "base-0"), (0, "", ""), "an entry for the base device")
    equal(run("smc_pnet", "-a", "NET2", "-I", "abcdefghijklmno"), (0, "", ""), "an entry for a long name")
    pnetid("base-0", "NET1*\n", "table")
    pnetid("base-0.100", "NET1*\n", "table", "base-0")
    pnetid("abcdefghijklmno", "NET2*\n", "table")
    pnetid("lo", "")
    equal(run("smc_chk", "-i", "other.name"), (0, "NET1*\n", ""), "-i and another name of the device")
    for name in ("base", "base-0.10", "base-0.1000", "abcdefghijklmnop"):
        status, out, err = run("smc_chk", "-i", name)
        equal((status, out, err.count("\n")), (1, "", 1), "there is no " + name)
    ip("netns", "add", "other")
    equal(run("smc_chk", "-N", "other", "-i", "base-0")[0], 1, "-N: the other namespace's devices")
    equal(run("smc_chk", "-N", "other", "-i", "lo"), (0, "", ""), "-N: and no PNET ID there")
    equal(run(*NOBODY, "smc_chk", "-i", "base-0"), (0, "NET1*\n", ""), "-i needs no rights")


# ---- reasons ----

def explain(cell):
    status, out, err = run("smc_chk", "explain", "-j", cell)
    equal((status, err), (0, ""), "explain " + cell)
    return json.loads(out)


def check_pasted(spec, what, reason, peer):
    """The Mode column of a real fallback, pasted."""
    with Sockets(spec) as made:
        inode = made.one(spec, what)["inode"]
        sock = [s for s in listing("-a") if s["inode"] == inode][0]
        row = [l for l in smcss("-a").splitlines() if l.split()[2] == "%07d" % inode][0]
    doc = explain(row[row.index("TCP"):])
    equal([doc["reason"]["code"], doc.get("peer_reason", {}).get("code")],
          [sock["reason"]["code"], sock.get("peer_reason", {}).get("code")], "the codes of smcss -j")
    equal([doc["reason"]["symbol"], doc.get("peer_reason", {}).get("symbol")], [reason, peer], "their names")


def check_reasons():
    with Sockets("tcp4:listen:127.0.0.1:6001"):
        check_pasted("smc4:connect:127.0.0.1:6001", "client", "PEERNOSMC", None)
    if HAS_SEID:
        return
    equal(run("smcd", "ueid", "flush")[0], 0, "no EID any more")
    check_pasted("smc4:pair:127.0.0.1", "client", "PEERDECL", "NOUEID")
    check_pasted("smc4:pair:127.0.0.1", "accepted", "NOUEID", None)


# ---- programs ----

def gets_smc(argv, port, prefix=(), way=()):
    """Does a listener under smc_run use an SMC socket?"""
    with subprocess.Popen([*prefix, "smc_run", "--quiet", *way, *argv], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        up = wait_for(lambda: listens(port), 300)
        found = [s for s in listing("-l") if s["local"]["port"] == port]
        process.kill()
        process.wait()
    wait_for(lambda: not listens(port))
    return bool(found) if up else "does not listen"


def check_program(name, way, argv, port, prefix=()):
    """Answer of smc_chk, expected answer, and reality."""
    if not shutil.which(argv[0]):
        skip(name, "%s is missing" % argv[0])
        return
    status, out, _ = run(*prefix, "smc_chk", "program", "-j", argv[0])
    doc = json.loads(out) if out else {}
    is_possible = way == "preload" or has_jit()
    equal((status, doc.get("way"), doc.get("is_possible")), (0 if is_possible else 2, way, is_possible), name + ": what smc_chk says")
    equal(gets_smc(argv, port, prefix, ("--preload",)), way == "preload", name + ": what happens")
    if way == "bpf" and is_possible and not prefix and shutil.which("smc_bpf"):
        equal(gets_smc(argv, port), True, name + ": and by eBPF")


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, 0o755)


def check_programs():
    directory = "/run/programs"
    os.mkdir(directory)
    python = os.path.realpath("/usr/bin/python3")
    for name in ("plain", "setuid", "caps"):
        shutil.copy(python, "%s/%s" % (directory, name))
    os.chmod(directory + "/setuid", 0o4755)
    equal(run("setcap", "cap_net_raw+ep", directory + "/caps")[0], 0, "a program with file capabilities")
    write(directory + "/script", "#!%s/plain\n%s\n" % (directory, LISTEN % 7006))
    write(directory + "/env", "#!/usr/bin/env -S python3 -B\n%s\n" % (LISTEN % 7007))
    write(directory + "/clean", "#!/usr/bin/env -S -i %s/plain\n%s\n" % (directory, LISTEN % 7008))
    check_program("python3", "preload", (directory + "/plain", "-c", LISTEN % 7001), 7001)
    check_program("set-uid, by root", "preload", (directory + "/setuid", "-c", LISTEN % 7002), 7002)
    check_program("set-uid, by another user", "bpf", (directory + "/setuid", "-c", LISTEN % 7003), 7003, NOBODY)
    check_program("file capabilities, by root", "preload", (directory + "/caps", "-c", LISTEN % 7004), 7004)
    check_program("file capabilities, by another user", "bpf", (directory + "/caps", "-c", LISTEN % 7005), 7005,
                  NOBODY)
    check_program("script", "preload", (directory + "/script",), 7006)
    check_program("script by env", "preload", (directory + "/env",), 7007)
    check_program("script by env -i", "bpf", (directory + "/clean",), 7008)
    check_program("redis", "preload", ("redis-server", "--port", "7009", "--save", ""), 7009)
    check_program("busybox", "bpf", ("busybox", "httpd", "-f", "-p", "127.0.0.1:7010"), 7010)
    check_program("node", "preload", ("node", "-e", "require('net').createServer().listen(7011, '127.0.0.1')"),
                  7011)


def check_musl():
    """A program for another libc than the library's, started directly and by a shell of the library's libc."""
    program = PROGRAMS + "/sockets-musl-dynamic"
    if not os.path.exists(program):
        skip("programs of musl", "musl-gcc is missing")
        return
    check_program("musl", "preload", (program, "-q", "tcp4:listen:127.0.0.1:7012"), 7012)
    for start in (("smc_run",), ("smc_run", "sh", "-c", 'exec "$@"', "sh")):
        with subprocess.Popen([*start, program, "tcp4:pair:127.0.0.1"], stdout=subprocess.PIPE, text=True) as process:
            equal(held_modes(process), ["SMCD"] * 2, "musl: over SMC-D, started by " + " ".join(start))
            process.kill()
    with subprocess.Popen([program, "tcp4:pair:127.0.0.1"], stdout=subprocess.PIPE, text=True) as process:
        equal(held_modes(process), [], "musl: over TCP without the library")
        process.kill()


check_pnetids()
check_programs()
check_musl()
check_reasons()
done()
