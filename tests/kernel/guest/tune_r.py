# SPDX-License-Identifier: MIT
"""smc_chk tune over SMC-R, guest 1 is the client: its sizes, and a server that goes away half way. No speed is asserted: it is
that of an emulated machine."""
import json
import os
import subprocess

from kern import NODE, SERVES, done, equal, ok, out_of, run, sync, wait_for

TUNE = ("smc_chk", "tune", os.environ["SMC_LAB_PEER_IP"], "-t", "5")


def check_measured():
    status, out, err = run(*TUNE, "-j", "--shape", "rpc:100")
    doc = json.loads(out) if out else {"sizes": []}
    equal((status, err, doc.get("mode"), doc.get("server_follows")), (0, "", "SMCR", True), "measured")
    ok(len(doc["sizes"]) > 1 and all(s["median"] > 0 and s["receive"] + 1024 >= s["asked"] for s in doc["sizes"]), "sizes: got what was asked for", doc)


def check_lost():
    with subprocess.Popen(TUNE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        sync("lose")
        out, err = program.communicate()
        ok(program.returncode == 1 and not out and err.count("\n") == 1, "the server goes: one error", (program.returncode, out, err))


def listeners():
    return len(out_of("ss", "-Hltn").splitlines())


def serve():
    ours = subprocess.Popen(["smc_chk", "serve"], stdout=subprocess.PIPE, text=True)
    ok(ours.stdout.readline() == SERVES, "server")
    usual = listeners()
    sync("up")
    sync("lose")
    ok(wait_for(lambda: listeners() > usual), "the client measures", out_of("ss", "-ltn"))
    ours.kill()


if NODE == 1:
    sync("up")
    check_measured()
    check_lost()
else:
    serve()
sync("end")
done()
