# SPDX-License-Identifier: MIT
"""smc_run --seccomp: programs that no library reaches, over SMC-D, or on 6.1 over SMC that falls back."""
import json
import os
import shutil
import subprocess
import sys

import supervised
from kern import done, equal, held_modes, listing, ok, port_modes, run, skip, slow_page, wait_for, write
from supervised import NOBODY

PROGRAMS = shutil.copytree(sys.argv[1], "/run/programs")  # a build directory may be closed to other users
MODE = "TCP" if os.environ["SMC_LAB_KERNEL"] == "6.1" else "SMCD"
STATIC, GO = PROGRAMS + "/sockets-static", PROGRAMS + "/gohttp"
# Without privileges: root would get eBPF if available.
AS_USER = (*NOBODY, "smc_run")


def modes(*argv):
    with subprocess.Popen([*argv, "tcp4:pair:127.0.0.1"], stdout=subprocess.PIPE, text=True) as program:
        rows = held_modes(program)
        program.kill()
    return rows


def static_programs():
    for program, name in ((STATIC, "a static program"), (PROGRAMS + "/sockets-musl", "a static musl program")):
        if os.path.exists(program):
            equal(modes("smc_run", "--seccomp", program), [MODE] * 2, name)
        else:
            skip(name, "its compiler is missing")
    equal(modes("smc_run", "--seccomp", "env", "-i", STATIC), [MODE] * 2, "without any environment")
    equal(modes(STATIC), [], "outside of it: no SMC socket")
    equal(modes(*AS_USER, STATIC), [MODE] * 2, "smc_run without a choice takes it where neither library nor eBPF reaches")
    err = run(*AS_USER, "-d", STATIC, "tcp4:bad")[2]
    ok("no eBPF for" in err and "smc_run: '%s' by seccomp: its TCP sockets become SMC" % STATIC in err, "and -d reports it", err)
    err = run(*AS_USER, STATIC, "tcp4:bad")[2]
    ok("smc_run" not in err, "without -d nothing is said", err)
    out = run(*AS_USER, "sh", "-c", "grep -c Seccomp:.0 /proc/self/status")[1]
    equal(out, "1\n", "no filter for a program that the library reaches")


def rows_of(port):
    return wait_for(lambda: len(port_modes(port)) > 1 and port_modes(port)) or port_modes(port)


def web(what, port, server, client, text):
    """A server and a client: the page, and the transport of the held connection."""
    with subprocess.Popen([*AS_USER, "--seccomp", *server], stdout=subprocess.DEVNULL) as serving:
        wait_for(lambda: any(s.get("local", {}).get("port") == port for s in listing("-l")))
        with subprocess.Popen([*AS_USER, "--seccomp", *client], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as asking:
            rows = rows_of(port)
            open("/run/seen", "w", encoding="ascii").close()
            answer = asking.communicate()[0]
        os.unlink("/run/seen")
        serving.kill()
    equal((set(rows), answer), ({MODE}, text), what)


def real_programs():
    if os.path.exists(GO):
        web("a static Go server and client", 8081, (GO, "serve", "127.0.0.1:8081"), (GO, "http://127.0.0.1:8081/"),
            "hello from Go")
    else:
        skip("a static Go server and client", "go is missing")
    slow_page()
    web("busybox httpd and wget", 8082, ("busybox", "httpd", "-f", "-p", "127.0.0.1:8082", "-h", "/run/www"),
        ("busybox", "wget", "-q", "-O", "-", "http://127.0.0.1:8082/cgi-bin/slow"), "hello from busybox")


def families():
    code = "import socket; s = socket.socket(); print(s.getsockopt(1, 39), s.getsockopt(1, 38))"
    for option, want in (((), (MODE == "SMCD") * "2 256\n" or "43 0\n"), (("-f", "smc"), "43 0\n")):
        equal(run("smc_run", "--seccomp", *option, "python3", "-c", code)[1], want, "kind of socket: %s" % (option,))


def nested():
    by = supervised.by
    supervised.true("print(is_given())", "smc_run --seccomp in itself", *by())
    equal(run(*by(), *by("--strict"), "sh", "-c", "exit 3"), (3, "", ""), "which is no error with --strict, either")


def chk():
    doc = json.loads(run("smc_chk", "program", "-j", STATIC)[1])
    equal((doc["way"], doc["is_possible"]), ("bpf" if MODE == "SMCD" else "seccomp", True), "smc_chk program names the way")


def without_smc():
    """The module is removed while a program runs; it must not be loaded again."""
    if not os.path.exists("/proc/sys/kernel/modprobe"):
        skip("SMC is removed", "nothing is a module in this kernel")
        return
    asked = supervised.Asked()
    equal(asked.ask(), "True", "SMC is there")
    write("/proc/sys/kernel/modprobe", "/bin/false\n")
    wait_for(lambda: not listing("-a"))
    if not wait_for(lambda: not run("rmmod", "smc_diag", "smc")[0] or not os.path.exists("/sys/module/smc")):
        skip("SMC is removed", "smc.ko is in use")
        return
    equal([asked.ask(), asked.ask()], ["False", "False"], "SMC is removed: TCP sockets")
    ok(asked.end(), "the program and its supervisor end")
    status, out, err = run("smc_run", "--seccomp", "--strict", "true")
    ok(status == 125 and out == "" and err.count("\n") == 1 and "this kernel has no SMC" in err, "--strict without SMC: 125", err)


supervised.all_of_it()
static_programs()
real_programs()
families()
nested()
chk()
without_smc()
done()
