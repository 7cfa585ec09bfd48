# SPDX-License-Identifier: MIT
"""smc_chk doctor on kernel 6.1, whose soft-RoCE hangs: nothing here may connect over it."""
import json

from chk_doctor import doctor, host_cases, one_way, sh, worse
from kern import done, equal, run

NO_DEVICE = frozenset({("problem", "device", "")})

status, doc = doctor()
equal((status, worse(doc)), (1, NO_DEVICE), "a kernel with SMC, and no device")
status, doc = doctor("-i", "lo")
equal((status, worse(doc)), (1, {("problem", "device", "lo")}), "the same for one interface")
sh("modprobe rdma_rxe; rdma link add rxelo type rxe netdev lo")
status, doc = doctor()
equal((status, worse(doc), doc["first"]), (1, {("problem", "soft-roce", "rxelo")}, "rdma link delete rxelo"),
      "soft-RoCE is mentioned, and how to get rid of it")
status, out, err = run("smc_chk", "-s", "-i", "lo", "-j")
equal((status, err, json.loads(out)["net_devices"][0]["configuration"]), (1, "", []), "and does not count as a way")
sh("rdma link delete rxelo")
for name, want, breaks in host_cases():
    if want[1] != "memory":  # RDMA only
        # Without SMC there is no advice about devices.
        one_way(name, want, breaks, frozenset() if want[:2] == ("problem", "module") else NO_DEVICE)
equal(worse(doctor()[1]), NO_DEVICE, "and at the end all is as before")
done()
