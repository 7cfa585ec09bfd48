# SPDX-License-Identifier: MIT
"""smc_chk tune against smc_chk serve over SMC-D: the sizes of both sides, and no remains. No speed is asserted: it is that of an
emulated machine."""
import glob
import json
import signal
import subprocess

import chkfake
from kern import SERVES, done, equal, ok, out_of, read, refuses, run, wait_for

IP = "127.0.0.1"
KIB = 1024


def sysctls():
    values = {}
    for name in glob.glob("/proc/sys/net/smc/*") + glob.glob("/proc/sys/net/core/*mem*"):
        with open(name, encoding="ascii") as file:
            values[name] = file.read()
    return values


def listeners():
    return len([line for line in out_of("ss", "-Hltn").splitlines() if line])


def tune(*words):
    status, out, err = run("smc_chk", "tune", IP, "-t", "5", "-j", *words)
    if status or err:
        return status, {"sizes": [], "error": (out, err)}
    return status, json.loads(out)


def sizes(doc):
    """Requested and actual sizes in KiB: send, receive, the server's."""
    return [(s["asked"] // KIB, s["send"] // KIB + 1, s["receive"] // KIB + 1, s["server_receive"] // KIB + 1) for s in doc["sizes"]]


def check_sweep():
    status, doc = tune("--shape", "sweep")
    points = doc.get("points", [])
    equal((status, doc.get("shape"), doc.get("mode"), [(p["bytes"], p["clients"]) for p in points]),
          (0, "sweep", "SMCD", [(size, count) for size in (64, 1024, 8192, 65536) for count in (1, 4, 16)]), "sweep: measured")
    ok(all(len(p[way]) == 9 and all(v > 0 for v in p[way]) for p in points for way in ("smc", "tcp")), "sweep: nine values of each, over SMC and TCP", doc)


class Server:
    def __enter__(self):
        self.process = subprocess.Popen(["smc_chk", "serve"], stdout=subprocess.PIPE, text=True)
        ok(self.process.stdout.readline() == SERVES, "serve")
        return self.process

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def check_shapes():
    status, doc = tune()
    equal((status, doc.get("schema"), doc.get("mode"), doc.get("shape"), doc.get("server_follows")),
          (0, "smc-tools/check-tune/1", "SMCD", "bulk", True), "bulk: measured")
    want = [(0, 64, 64, 64)] + [(size, min(size, 1024), min(size, 1024), min(size, 1024)) for size in (64, 128, 256, 512, 1024, 2048, 4096)]
    equal(sizes(doc), want, "bulk: both sides got what was asked for, or SMC-D's 1 MiB")
    ok(all(len(s["values"]) == 9 and all(v > 0 for v in s["values"]) and s["median"] == sorted(s["values"])[4] for s in doc["sizes"]),
       "bulk: nine values of each, and their median", doc["sizes"])
    best = max(doc["sizes"], key=lambda s: s["median"])
    equal(doc["best"], best["asked"], "bulk: the best one")
    ok(doc["enough"] <= doc["best"] and doc["within_noise"] == (doc["enough"] != doc["best"]), "bulk: enough is never more", doc)


def check_lines():
    """Sizes in the report are the actual ones. With a few sizes, the text names the fastest."""
    run("sysctl", "-w", "net.smc.rmem=%d" % (256 * KIB), "net.smc.wmem=%d" % (256 * KIB), "net.core.rmem_max=%d" % (128 * KIB))
    equal(sizes(tune()[1]), [(0, 256, 256, 256), (64, 64, 64, 64), (128, 128, 128, 128)], "net.smc.rmem is the usual size, net.core.rmem_max the last one")
    run("sysctl", "-w", "net.smc.rmem=%d" % (64 * KIB), "net.smc.wmem=%d" % (64 * KIB), "net.core.rmem_max=%d" % (256 * KIB))
    for shape in ("rpc:1000", "connections"):
        status, doc = tune("--shape", shape)
        equal((status, doc.get("shape"), doc.get("unit"), len(doc["sizes"])), (0, shape, "1/s", 4), "%s: measured" % shape)
    status, out, err = run("smc_chk", "tune", IP, "-t", "5")
    ok(status == 0 and not err and out.startswith("Shape bulk, 127.0.0.1 port 37373, SMCD, medians of 9 rounds\n") and
       out.count("  <- enough\n") == 1 and ("nothing to change" in out) != ("  net.smc.rmem = " in out), "text: a winner, and what keeps it",
       (status, out, err))
    run("sysctl", "-w", "net.core.rmem_max=%d" % (4096 * KIB))


def check_doctor():
    """The doctor reports the kernel's counters after all these measurements."""
    found = {f["object"]: f for f in json.loads(run("smc_chk", "-j")[1])["findings"] if f["check"] == "traffic"}
    events = json.loads(out_of("smcd", "-a", "stats", "json"))["SMCD"]
    sends, full = events["SMC_TX_CNT"], events["SMC_INT_TX_BUF_FULL_CNT"]
    ok("SMC-D" in found and sends > 1000, "doctor: traffic", (found, events))
    equal(found["SMC-D"]["level"] if found else "", "warning" if 10 * max(full, events["SMC_INT_TX_BUF_FULL_PEER_CNT"],
                                                                         events["SMC_INT_TX_BUF_SIZE_SM_CNT"],
                                                                         events["SMC_INT_TX_BUF_SIZE_SM_PEER_CNT"]) >= sends else "ok",
          "doctor: a warning if each tenth send waits")


def check_interrupted(server, number):
    client = subprocess.Popen(["smc_chk", "tune", IP, "-t", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    ok(wait_for(lambda: listeners() == 3), "%s: a port for a size" % number.name, out_of("ss", "-ltn"))
    client.send_signal(number)
    client.communicate()
    equal(client.returncode, -number, "%s: ends" % number.name)
    ok(wait_for(lambda: listeners() == 2), "%s: the server's port is closed" % number.name, out_of("ss", "-ltn"))
    text = read("/proc/%d/status" % server.pid)
    ok(wait_for(lambda: "Threads:\t1\n" in open("/proc/%d/status" % server.pid, encoding="ascii").read()), "%s: its threads are gone" % number.name, text)


def check_refused():
    """Foreign servers, no server, TCP."""
    fake = chkfake.Fake(chkfake.silent, chkfake.AF_SMC)
    refuses(("smc_chk", "tune", IP, "-p", str(fake.port)), "only 'smc_chk serve'", "another program")
    fake = chkfake.Fake(chkfake.silent, 2)
    refuses(("smc_chk", "tune", IP, "-p", str(fake.port)), "TCP, not SMC.*'smc_chk connect'", "TCP", 2)
    refuses(("smc_chk", "tune", IP, "-p", "1"), "refused", "nobody listens")


run("sysctl", "-w", "net.core.rmem_max=%d" % (4096 * KIB), "net.core.wmem_max=%d" % (4096 * KIB))
before = sysctls()
with Server() as program:
    check_shapes()
    check_lines()
    check_sweep()
    check_doctor()
    check_interrupted(program, signal.SIGINT)
    check_interrupted(program, signal.SIGKILL)
    equal(listeners(), 2, "the server listens as before")
    check_refused()
equal(sysctls(), before, "sysctls are as they were")
done()
