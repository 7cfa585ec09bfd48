# SPDX-License-Identifier: MIT
"""smc_chk matrix of many made-up hosts, beside unpacking some of the same bundles by tar.
usage: fleet.py [HOSTS...]"""
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, ROOT + "/tests/cli")
import fleet  # noqa: E402
from recorded import BUILD  # noqa: E402


SOME = 100


def make(directory, count):
    """Hosts of a few kinds: three EIDs, some without RDMA, eight hosts on one kernel."""
    files = fleet.template()
    for i in range(count):
        ip = "10.%d.%d.%d" % (i // 60000, i // 250 % 240, i % 250 + 1)
        host = fleet.host(files, ip, eids=("FLEET-%d" % (i % 7 // 3),), has_rdma=i % 10 > 0,
                          boot="%08x" % (i // 8) if i % 40 < 8 else None)
        host["probes/addresses-eth0"] = "1\n%s/8" % ip
        yield fleet.bundle("%s/%05d.tar.gz" % (directory, i), "host%05d" % i, host)


def timed(argv, **how):
    """Elapsed seconds, and seconds of processor time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    status = subprocess.run(argv, check=False, **how).returncode
    passed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, passed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(counts):
    print("%8s %10s %10s %12s %12s %12s" % ("hosts", "pairs", "seconds", "of processor", "ms a host", "ms, tar only"))
    for count in counts:
        with tempfile.TemporaryDirectory() as directory:
            paths = list(make(directory, count))
            with open(directory + "/out", "w", encoding="ascii") as out:
                status, passed, used = timed([BUILD + "/smc_chk", "matrix", *paths], stdout=out)
            if status not in (0, 2):
                sys.exit("smc_chk failed: %d" % status)
            os.mkdir(directory + "/tar")
            script = 'for file; do rm -rf tar/*; tar xzf "$file" -C tar; done'
            some = paths[:SOME]
            _, tar, _ = timed(["sh", "-c", script, "sh", *some], cwd=directory)
            print("%8d %10d %10.1f %12.1f %12.1f %12.1f" % (count, count * (count - 1) // 2, passed, used,
                                                            passed / count * 1000, tar / len(some) * 1000), flush=True)


main([int(n) for n in sys.argv[1:]] or [100, 1000])
