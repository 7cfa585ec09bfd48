# SPDX-License-Identifier: MIT
"""System calls that the preload library adds to the life of a connection, and its handling of knowledge that has
grown stale, where the server knows no SMC."""
import os

from kern import done, equal, run

IS_RDMA = os.path.exists("/sys/class/infiniband/rxelo")
LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ld_pre_smc.so")
CLOSE = 4 if IS_RDMA else 1
KINDS = {"inet": {"close": CLOSE, "accepted": CLOSE}, "smc": {"close": CLOSE, "accepted": CLOSE}}
if IS_RDMA:
    # An AF_SMC socket takes one more query to recognize.
    KINDS["smc"].update(close=5, accepted=5)
BUFFERS = {"SMC_SNDBUF": "128K", "SMC_RCVBUF": "128K"}


def preload(**env):
    return dict(env, LD_PRELOAD=LIBRARY)


def count(protocol, *shared, env=None):
    """Number of system calls in each part of a connection's life."""
    out = run("lives", "count", str(protocol), "256", *shared, env=env)[1]
    return {name: int(number) for name, number in (word.split("=") for word in out.split())}


def line(case, env):
    return run("lives", case, env=env)[1]


for shared in (), ("shared",):
    alone = count(256, *shared)
    for kind, most in KINDS.items():
        # One more query to recognize an AF_SMC socket, if the listener may belong to another process.
        ready = 4 if not shared else 10 if kind == "smc" else 9
        for buffers in {}, BUFFERS:
            # connect() asks the kernel whether it can read the address.
            want = {"socket": 0, "connect": 1, "accept": 1, "ready": ready, **most}
            if buffers:
                want.update(socket=3, accept=2, ready=ready + 1)
            got = count(0, *shared, env=preload(SMC_SOCK_FAMILY=kind, **buffers))
            equal({name: got[name] - alone[name] for name in got}, want,
                  "calls added to the life of a connection, %s" % " ".join([kind, *shared, *buffers]))
got = count(0, env=preload(SMC_EXCLUDE="127.0.0.0/8"))
equal((got["socket"], got["connect"]), (1, 2), "system calls of connections that a rule leaves to TCP")
for case in "own", "dup", "dup2", "fork", "exec", "passed":
    equal(line(case, preload()), "connect=0 linger=1,5\n", "SO_LINGER of a connection that falls back, %s" % case)
    equal(line(case, preload(SMC_RAW="1")), "connect=0 linger=1,0\n", "the same as the kernel leaves it, %s" % case)
equal(line("raw", preload()), "connect=-1 1, connect=0 close=0, file: connect=-1 1 close=0\n",
      "closed without the library's knowledge, then reused")
equal(line("blocking", preload()), "waits=1 accept=1\n", "a listener that was non-blocking: nobody waits for a client that is gone")
done()
