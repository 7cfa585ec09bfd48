#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Files named by users: one that blocks, is endless or empty is an error at once, and every signal ends the reading."""
import os
import resource
import signal
import subprocess
import sys

from recorded import BUILD, BUNDLE, done, new_directory, ok, run, skip, unpack

READERS = """
smc_conf check FILE
smc_conf diff FILE
smc_conf apply FILE
smc_conf watch FILE
smc_chk from BUNDLE smc_conf check FILE
smc_chk from FILE
smc_chk from FILE smcss -a
smc_setup plan FILE BUNDLE
smc_chk bundle OUT --anonymous --key FILE
smc_chk program FILE
smc_chk doctor -N FILE
smcss -N FILE
smcd -N FILE info
smc_pnet -N FILE
smc_conf diff -N FILE EMPTY
"""
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# Signals that sh ignores for its background jobs, and nohup(1) SIGHUP.
BACKGROUND = (signal.SIGINT, signal.SIGQUIT)


def check_kinds(top, tmp):
    files = {"a FIFO": top + "/fifo", "a device": "/dev/zero", "a directory": top + "/directory"}
    os.mkfifo(files["a FIFO"])
    os.mkdir(files["a directory"])
    with open(top + "/empty", "wb"):
        pass
    for line in READERS.split("\n")[1:-1]:
        for kind, path in files.items():
            words = {"FILE": path, "BUNDLE": BUNDLE, "OUT": top + "/out", "EMPTY": top + "/empty"}
            status, out, err = run([words.get(word, word) for word in line.split()], {"TMPDIR": tmp})
            ok(status == 1 and not out and err.count(b"\n") in (1, 2) and not os.listdir(tmp), "%s: %s" % (line, kind),
               (status, out, err, os.listdir(tmp)))
    for variable in "SMC_TOOLS_ROOT", "SMC_TOOLS_RECORD":
        for kind, path in list(files.items())[:2]:
            status, out, err = run(["smcss"], {variable: path})
            ok(status == 1 and not out and err.count(b"\n") == 1, "%s: %s" % (variable, kind), (status, out, err))


def end(name, argv, begun, env, ignored, number, tmp):
    """A signal ends a program that has @begun, with the status of an unhandled signal."""
    def ignore():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for each in ENDING:
            signal.signal(each, signal.SIG_IGN if each in ignored else signal.SIG_DFL)
    with subprocess.Popen([BUILD + "/" + argv[0], *argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, TMPDIR=tmp, LC_ALL="C", **env), preexec_fn=ignore) as process:
        what = begun(process)
        process.send_signal(number)
        try:
            _, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            err = "it goes on"
    ok(process.returncode == -number and not os.listdir(tmp), "%s: %s" % (name, signal.Signals(number).name),
       (process.returncode, what, err, os.listdir(tmp)))


def check_capture(fifo, tmp):
    """A FIFO is a capture, as for tcpdump: every signal ends the wait for its first byte, or for more."""
    for number in ENDING:
        for data in b"", b"\xd4\xc3\xb2\xa1\x02\0\x04\0":
            def begun(_):
                pipe = open(fifo, "wb", buffering=0)  # waits for the reader
                pipe.write(data)
                return pipe
            end("smc_dump -r FIFO, %d bytes" % len(data), ["smc_dump", "-r", fifo], begun, {}, BACKGROUND, number, tmp)


def check_background(root, tmp):
    """Commands that run until they are interrupted."""
    for line in ("smcss -a -w 86400", "smc_top -w 0.1", "smc_chk from BUNDLE smcss -a -w 86400"):
        argv = [BUNDLE if word == "BUNDLE" else word for word in line.split()]
        env = {} if BUNDLE in argv else {"SMC_TOOLS_ROOT": root}
        for number in BACKGROUND:
            end("in the background: " + line, argv, lambda process: process.stdout.readline(), env,
                BACKGROUND, number, tmp)


with new_directory() as directory, new_directory() as empty, new_directory() as record:
    check_kinds(directory, empty)
    check_capture(directory + "/fifo", empty)
    if sys.byteorder == "little":
        check_background(unpack(record), empty)
    else:
        skip("in the background", "the recorded host is little-endian")
done()
