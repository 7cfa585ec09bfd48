# SPDX-License-Identifier: MIT
"""System calls that the preload library adds to the life of a connection, and what it makes of knowledge that has
grown stale, where the server knows no SMC."""
import os

from kern import done, equal, run

IS_RDMA = os.path.exists("/sys/class/infiniband/rxelo")
LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ld_pre_smc.so")
CLOSE = 4 if IS_RDMA else 1
KINDS = {"inet": {"ready": 9, "close": CLOSE, "accepted": CLOSE}, "smc": {"ready": 10, "close": CLOSE, "accepted": CLOSE}}
if IS_RDMA:
    # One more question to know an AF_SMC socket.
    KINDS["smc"].update(close=5, accepted=5)
BUFFERS = {"SMC_SNDBUF": "128K", "SMC_RCVBUF": "128K"}


def preload(**env):
    return dict(env, LD_PRELOAD=LIBRARY)


def count(protocol, env=None):
    """Of each place the number of system calls."""
    out = run("lives", "count", str(protocol), "256", env=env)[1]
    return {name: int(number) for name, number in (word.split("=") for word in out.split())}


def line(case, env):
    return run("lives", case, env=env)[1]


ALONE = count(256)
for kind, most in KINDS.items():
    for buffers in {}, BUFFERS:
        want = {"socket": 0, "connect": 0, "accept": 1, **most}
        if buffers:
            want.update(socket=3, accept=2, ready=most["ready"] + 1)
        got = count(0, preload(SMC_SOCK_FAMILY=kind, **buffers))
        equal({name: got[name] - ALONE[name] for name in got}, want,
              "calls added to the life of a connection, %s%s" % (kind, ", sizes of buffers" if buffers else ""))
for case in "own", "dup", "dup2", "fork", "exec", "passed":
    equal(line(case, preload()), "connect=0 linger=1,5\n", "SO_LINGER of a connection that falls back, %s" % case)
    equal(line(case, preload(SMC_RAW="1")), "connect=0 linger=1,0\n", "the same as the kernel leaves it, %s" % case)
equal(line("raw", preload()), "connect=-1 1, connect=0 close=0, file: connect=-1 1 close=0\n",
      "closed behind the library's back, and then something else")
equal(line("blocking", preload()), "waits=1 accept=1\n", "a listener that was non-blocking: nobody waits for a client that is gone")
done()
