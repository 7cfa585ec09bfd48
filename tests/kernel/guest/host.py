# SPDX-License-Identifier: MIT
"""Makes the recorded host of tests/cli: a bundle with connections over SMC-R, SMC-D and TCP, link groups and PNET IDs.

    lab/smc-lab pair -k lo --rxe -o OUT --fast STAGE -- python3 STAGE/host.py

with what tests/kernel/lab.sh puts into its stage; then OUT/bundle.tar.gz without text/ and the modules of others."""
import os

from kern import NODE, Sockets, run, sync

PEER, OUT = os.environ["SMC_LAB_PEER_IP"], os.environ["SMC_LAB_OUT"]


def main():
    sync("up")
    rdma = os.listdir("/sys/class/infiniband")[0]
    for entry in (("NET1", "-I", "lo"), ("NET2", "-D", rdma, "-P", "1"), ("NET3", "-I", "eth1")):
        run("smc_pnet", "-a", *entry)
    with Sockets("smc4:pair:127.0.0.1:7001", "smc4:listen:127.0.0.1:7002", "smc4:fastopen:127.0.0.1:7002",
                 "smc6:listen:[::1]:7005", "smc4:fresh:127.0.0.1", "smc4:connect:%s:7003" % PEER,
                 "smc4:connect:%s:7004" % PEER):
        print(run("smc_chk", "bundle", OUT + "/bundle.tar.gz"))
    sync("done")


if NODE == 1:
    main()
else:
    with Sockets("smc4:listen:0.0.0.0:7003", "tcp4:listen:0.0.0.0:7004"):
        sync("up")
        sync("done")
