# SPDX-License-Identifier: MIT
"""smc_ab over SMC-R inside one guest: short connections, known from the kernel's counters, and long, observed ones."""
import json

from kern import done, equal, ok, only_smcr, run

IP = "127.0.0.1"


def compare(*words):
    status, out, err = run("smc_ab", "-n", "3", "-j", "--server", "traffic serve 7100", "--", "traffic", "load", "own", IP, "7100", *words)
    try:
        return status, json.loads(out), err
    except ValueError:
        return status, {"pairs": [], "out": out}, err


def of_runs(doc, side, what, mode):
    return [pair[side][what][mode] for pair in doc["pairs"]]


only_smcr()
for name, words in (("one short connection", ("1", "1")), ("many requests", ("300", "4"))):
    status, doc, err = compare(*words)
    equal((status, err, doc.get("used_smc"), len(doc["pairs"])), (0, "", 3, 3), name + ": every run used SMC")
    ok(all(count > 0 for count in of_runs(doc, "smc", "counted", "smcr")) and not any(of_runs(doc, "smc", "counted", "smcd")),
       name + ": SMC-R, say the kernel's statistics", doc)
    equal(set(of_runs(doc, "tcp", "counted", "smcr")), {0}, name + ": none in the runs over TCP")
ok(any(of_runs(doc, "smc", "sockets", "smcr")) and not any(of_runs(doc, "smc", "sockets", "tcp") + of_runs(doc, "tcp", "sockets", "smcr")),
   "many requests: sockets were seen", doc)
done()
