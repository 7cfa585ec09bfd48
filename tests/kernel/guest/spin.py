# SPDX-License-Identifier: MIT
"""smc_run --spin over SMC-D: every call that waits works, and a round trip needs hardly a context switch."""
from kern import done, ok, run

COUNT = 300
CALLS = "recv read recvfrom recvmsg readv poll ppoll select pselect epoll".split()
# On a busy machine the guest loses its processors again and again.
TRIES = 40


def switches(call, *options):
    """Voluntary ones of both ends in a round trip."""
    status, out, err = run("smc_run", "--no-learn", "--strict", *options, "pingpong", call, str(COUNT))
    if status or err:
        ok(False, "pingpong " + call, (status, out, err))
    server, client, _ = out.split()
    return (int(server) + int(client)) / COUNT


for name in CALLS:
    asleep = switches(name)
    ok(asleep > 1, name + ": both ends sleep", asleep)
    seen = []
    while len(seen) < TRIES and (not seen or min(seen) > 0.1):
        seen.append(switches(name, "--spin=2000"))
    ok(min(seen) <= 0.1, name + ": they need not sleep with --spin", seen)
done()
