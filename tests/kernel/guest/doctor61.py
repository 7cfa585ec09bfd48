# SPDX-License-Identifier: MIT
"""smc_chk --doctor on kernel 6.1, whose soft-RoCE hangs: nothing here may connect over it."""
import json
import subprocess

from kern import done, equal, ok, run


def doctor(*argv):
    status, out, err = run("smc_chk", "-j", *argv)
    ok(not err, "nothing on stderr: smc_chk " + " ".join(argv), err)
    return status, json.loads(out)


def worse(doc):
    return {(f["level"], f["check"], f.get("object", "")) for f in doc["findings"]
            if f["level"] in ("warning", "problem")}


def sh(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)


status, doc = doctor("--doctor")
equal((status, worse(doc)), (1, {("problem", "device", "")}), "a kernel with SMC, and no device")
status, doc = doctor("--doctor", "-i", "lo")
equal((status, worse(doc)), (1, {("problem", "device", "lo")}), "the same for one interface")
sh("modprobe rdma_rxe; rdma link add rxelo type rxe netdev lo")
status, doc = doctor("--doctor")
equal((status, worse(doc), doc["first"]), (1, {("problem", "soft-roce", "rxelo")}, "rdma link delete rxelo"),
      "soft-RoCE is told of, and how to get rid of it")
status, doc = doctor("-s", "-i", "lo")
equal((status, doc["net_devices"][0]["configuration"]), (1, []), "and does not count as a way")
sh("rdma link delete rxelo")
done()
