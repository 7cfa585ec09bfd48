# SPDX-License-Identifier: MIT
"""smc_advise between two guests with SMC-R: the way it recommends. Guest 1 is the client."""
import os

import chkfake
from adviseloads import SIZE, Process, Watch, answer, listening, one, rows_of
from kern import NODE, done, equal, ok, out_of, sync

PEER, OWN = (os.environ["SMC_LAB_" + name] for name in ("PEER_IP", "IP"))
PLAIN, SMC = 7001, 7002
WAY = {"mode": "SMC-R", "version": 2, "is_loopback": False}


def row(report, port, side="client"):
    rows = rows_of(report, port, side)
    return rows[0] if ok(len(rows) == 1, "port %d: one row" % port, report) else {}


def serve():
    """A server without SMC, and one with."""
    Process("plain", answer, listening(PLAIN, OWN))
    Process("smc", answer, listening(SMC, OWN, chkfake.smc_socket))
    sync("listening")
    sync("done")


def work():
    sync("listening")
    watch = Watch()
    processes = [Process("bulk%d" % port, one, PEER, port, SIZE) for port in (PLAIN, SMC)]
    ok(all([p.wait() for p in processes]), "the loads have run")
    status, report = watch.end()
    sums = report["summary"]
    equal((status, sums["profiting_connections"], sums["profiting_bytes"], sums["memory"]),
          (0, 2, 2 * (SIZE + 9), 2 * 2 << 19), "both would profit, with two buffers each")
    for port in (PLAIN, SMC):
        found = row(report, port)
        equal([found.get(key) for key in ("process", "peer", "would_use", "advice")],
              ["bulk%d" % port, PEER, dict(WAY, needs_eid=False), "smc_run bulk%d" % port], "port %d: what it would use" % port)
    out_of("smcd", "ueid", "flush")
    watch = Watch()
    status, report = watch.end()
    found = row(report, PLAIN)
    equal((status, found.get("would_use"), found.get("advice")),
          (0, dict(WAY, needs_eid=True), "smcd ueid add NAME; smc_run bulk%d" % PLAIN), "without an EID: once there is one")
    for process in processes:
        process.end()
    sync("done")


if NODE == 1:
    work()
else:
    serve()
done()
