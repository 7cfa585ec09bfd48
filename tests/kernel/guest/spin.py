# SPDX-License-Identifier: MIT
"""smc_run --spin over SMC-D: every call that waits finds its input while it spins."""
import re

from kern import done, equal, ok, run

COUNT = 300
CALLS = "recv read recvfrom recvmsg readv preadv2 poll ppoll select pselect epoll epoll_pwait2".split()
# The host may take processors away from the guest; the library then stops spinning for a while. Repeat.
TRIES = 40


def found(call, option):
    """Number of the client's calls that found input while spinning."""
    status, out, err = run("smc_run", "-d", "--no-learn", "--strict", option, "pingpong", call, str(COUNT))
    ok(status == 0 and len(out.split()) == 3 and ") -> AF_SMC" in err, "%s: %d round trips" % (call, COUNT), (status, out, err))
    said = re.findall(r": (\d+) of \d+ spins found input(.*)", err)
    ok(all(settled.endswith(" us") == ("=" not in option) for _, settled in said), option + ": settles on a time, or has one", said)
    return sum(int(number) for number, _ in said)


def spins(call, option):
    ok(any(found(call, option) for _ in range(TRIES)), "%s, %s: input while it spins" % (call, option))


for name in CALLS:
    spins(name, "--spin=1000")
for name in "recv", "poll", "epoll":
    spins(name, "--spin")
equal(run("smc_run", "-d", "--exclude", "*", "--spin", "pingpong", "recv", "10")[2].count("spins"), 0, "not over TCP")
equal(run("smc_run", "--no-learn", "--spin", "taskset", "1", "pingpong", "recv", "10")[::2], (0, ""), "on one processor")
done()
