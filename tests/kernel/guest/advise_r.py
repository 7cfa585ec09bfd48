# SPDX-License-Identifier: MIT
"""smc_chk advise between two guests that have SMC-R: what it would use, and what the peer says. Guest 1 is the client."""
import os

import chkfake
from adviseloads import SIZE, Process, Watch, answer, listening, one, rows_of
from kern import NODE, doc, done, equal, ok, out_of, sync

PEER, OWN = (os.environ["SMC_LAB_" + name] for name in ("PEER_IP", "IP"))
PLAIN, SMC, NOBODY = 7001, 7002, 7003
WAY = {"mode": "SMC-R", "version": 2, "is_loopback": False}


def row(report, port, side="client"):
    rows = rows_of(report, port, side)
    return rows[0] if ok(len(rows) == 1, "port %d: one row" % port, report) else {}


def serve():
    """A server without SMC, one with, and one that leaves before it is asked."""
    Process("plain", answer, listening(PLAIN, OWN))
    Process("smc", answer, listening(SMC, OWN, chkfake.smc_socket))
    nobody = listening(NOBODY, OWN)
    gone = Process("gone", answer, nobody)
    nobody.close()
    sync("listening")
    sync("worked")
    gone.end()
    sync("gone")
    sync("asked")
    sync("done")


def work():
    sync("listening")
    watch = Watch(options=("--probe",))
    processes = [Process("bulk%d" % port, one, PEER, port, SIZE) for port in (PLAIN, SMC, NOBODY)]
    ok(all([p.wait() for p in processes]), "the loads have run")
    sync("worked")
    sync("gone")
    status, report = watch.end()
    sync("asked")
    sums = report["summary"]
    # The FIN of the server that has gone counts as a byte.
    equal((status, sums["profiting_connections"], sums["profiting_bytes"], sums["memory"]),
          (0, 3, 3 * (SIZE + 9) + 1, 3 * 2 << 19), "all would profit, with two buffers each")
    for port, asked in ((PLAIN, {"result": "tcp", "why": "PEERNOSMC"}), (SMC, {"result": "smcr"}),
                        (NOBODY, {"result": "failed", "why": "Connection refused"})):
        found = row(report, port)
        equal([found.get(key) for key in ("process", "peer", "would_use", "asked", "advice")],
              ["bulk%d" % port, PEER, dict(WAY, needs_eid=False), asked, "smc_run bulk%d" % port],
              "port %d: what it would use, and what the peer says" % port)
    out_of("smcd", "ueid", "flush")
    watch = Watch(options=("--probe",))
    status, report = watch.end()
    found = row(report, PLAIN)
    equal((status, found.get("would_use"), found.get("asked"), found.get("advice")),
          (0, dict(WAY, needs_eid=True), None, "smcd ueid add NAME; smc_run bulk%d" % PLAIN),
          "without an EID: nobody is asked")
    equal(doc("smcss", "-j")["sockets"], [], "and no connection of ours is left")
    for process in processes:
        process.end()
    sync("done")


if NODE == 1:
    work()
else:
    serve()
done()
