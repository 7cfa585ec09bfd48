# SPDX-License-Identifier: MIT
"""smc_run --spin over SMC-D: every call that waits finds its input while it spins."""
import re

from kern import done, equal, ok, run

COUNT = 300
CALLS = "recv read recvfrom recvmsg readv preadv2 poll ppoll select pselect epoll epoll_pwait2".split()
# The host may take processors away from the guest; the library then stops spinning for a while. Repeat.
TRIES = 40


def found(call, usec):
    """Number of the client's calls that found input while spinning."""
    status, out, err = run("smc_run", "-d", "--no-learn", "--strict", "--spin=%d" % usec, "pingpong", call, str(COUNT))
    ok(status == 0 and len(out.split()) == 3 and ") -> AF_SMC" in err, "%s: %d round trips" % (call, COUNT), (status, out, err))
    return sum(map(int, re.findall(r": (\d+) of \d+ spins found input", err)))


for name in CALLS:
    count = 0
    for _ in range(TRIES):
        count += found(name, 1000)
        if count:
            break
    ok(count, name + ": input while it spins")
equal(run("smc_run", "-d", "--exclude", "*", "--spin", "pingpong", "recv", "10")[2].count("spins"), 0, "not over TCP")
equal(run("smc_run", "--no-learn", "--spin", "taskset", "1", "pingpong", "recv", "10")[::2], (0, ""), "on one processor")
done()
