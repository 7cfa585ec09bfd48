# SPDX-License-Identifier: MIT
"""smc_advise against loads whose answer is known: short-lived, bulk, quiet, one that SMC cannot reach, one that uses
SMC already."""
import ctypes
import json
import os
import signal
import socket
import sys

import chkfake
from adviseloads import SIZE, Process, Watch, answer, ask, listening, one, rows_of
from kern import HAS_SEID, NOBODY, doc, done, equal, ok, out_of, run, skip, write

HAS_LOOPBACK = "lo" in sys.argv[1:]
HAS_BPF = "bpf" in sys.argv[1:]
BULK, SHORT, FAR, SMC, QUIET, LATE = 7001, 7002, 7003, 7004, 7005, 7006
HERE, THERE = "127.0.0.1", "10.77.0.2"
SHORTS = 300
NO_BPF = ("setpriv", "--bounding-set=-bpf,-perfmon,-sys_admin")


def many(cgroup=None):
    if cgroup:
        write(cgroup + "/cgroup.procs", "0")
    for _ in range(SHORTS):
        with socket.create_connection((HERE, SHORT)) as conn:
            ask(conn, 64)


def late(listener):
    """Leaves its connections open."""
    held = []
    while True:
        held.append(listener.accept()[0])
        held[-1].recv(72, socket.MSG_WAITALL)
        held[-1].sendall(b"x")


def brief():
    """The kernel keeps the addresses of closed connections, in FIN_WAIT2."""
    one(HERE, LATE, 64).close()


def start_servers():
    """The far peer is in another network namespace, like another host."""
    for words in ("link add near0 type veth peer name far0", "netns add far", "link set far0 netns far",
                  "addr add 10.77.0.1/24 dev near0", "link set near0 up", "-n far addr add 10.77.0.2/24 dev far0",
                  "-n far link set far0 up"):
        out_of("ip", *words.split())
    for name, port in (("bulkserver", BULK), ("shortserver", SHORT), ("quietserver", QUIET)):
        Process(name, answer, listening(port, HERE))
    Process("lateserver", late, listening(LATE, HERE))
    if HAS_LOOPBACK:
        Process("smcserver", answer, listening(SMC, HERE, chkfake.smc_socket))
    far = os.open("/run/netns/far", os.O_RDONLY)
    here = os.open("/proc/self/ns/net", os.O_RDONLY)
    libc = ctypes.CDLL(None)
    assert not libc.setns(far, 0)
    listener = listening(FAR, THERE)
    assert not libc.setns(here, 0)
    Process("farserver", answer, listener)


def loads(with_smc):
    """Run all loads. Return: their processes, some of which still hold connections."""
    works = [("quietload", one, HERE, QUIET, 64), ("bulkload", one, HERE, BULK, SIZE),
             ("farload", one, THERE, FAR, SIZE), ("shortload", many), ("lateload", brief)]
    if with_smc:
        works.append(("smcload", one, HERE, SMC, 65536, chkfake.smc_socket))
    processes = [Process(*work) for work in works]
    ok(all([p.wait() for p in processes]), "the loads have run")
    return processes


def watched(*prefix, with_smc=HAS_LOOPBACK):
    watch = Watch(*prefix)
    processes = loads(with_smc)
    status, report = watch.end()
    for process in processes:
        process.end()
    return status, report


def sum_of(rows, key):
    return sum(row.get(key, 0) for row in rows)


def check_one(report, port, side, name, what, **want):
    """The report has exactly one row for a connection or a kind of connections, with these values."""
    rows = rows_of(report, port, side)
    if not ok(len(rows) == 1, "%s: %s: one row" % (name, what), json.dumps(rows or report, indent=1)):
        return {}
    equal({key: rows[0].get(key) for key in want}, want, "%s: %s" % (name, what))
    return rows[0]


def check_rows(name, report, is_named=True, needs_eid=False, with_short=True, with_smc=HAS_LOOPBACK):
    """Advice for each load; it must not depend on the source of the observation."""
    way = {"mode": "SMC-D", "version": 2, "is_loopback": True, "needs_eid": needs_eid} if HAS_LOOPBACK else None
    eid = "smcd ueid add NAME; " if needs_eid else ""

    def named(text):
        return text if is_named else None

    def advice(process):
        return eid + "smc_run " + (process if is_named else "COMMAND") if HAS_LOOPBACK else \
            "keep TCP: neither loopback nor a device for connections within this host"

    row = check_one(report, BULK, "client", name, "bulk", process=named("bulkload"), peer=HERE, connections=1,
                    bytes_sent=SIZE + 8, bytes_received=1, carrier="tcp", would_profit=HAS_LOOPBACK, would_use=way,
                    advice=advice("bulkload"), **{"class": "well-suited"})
    ok(row.get("memory") == (1 << 19 if HAS_LOOPBACK else None), name + ": bulk: memory", row)
    check_one(report, BULK, "server", name, "bulk's server", process=named("bulkserver"), connections=1,
              bytes_received=SIZE + 8, would_profit=HAS_LOOPBACK, advice=advice("bulkserver"))
    check_one(report, FAR, "client", name, "nothing for its device", process=named("farload"), peer=THERE, peers="near",
              bytes_sent=SIZE + 8, would_profit=False, would_use=None,
              advice="keep TCP: neither an RDMA port nor an ISM device for near0", **{"class": "well-suited"})
    row = check_one(report, QUIET, "client", name, "quiet", process=named("quietload"), connections=1, would_profit=False,
                    advice="keep TCP")
    ok(row.get("class") in ("quiet", "short-lived"), name + ": quiet: its class", row)
    if with_smc:
        check_one(report, SMC, "client", name, "over SMC already", process=named("smcload"), carrier="smcd",
                  would_profit=False, would_use=None, advice="uses SMC")
    if with_short:
        check_one(report, SHORT, "server", name, "short-lived", process=named("shortserver"), connections=SHORTS,
                  would_profit=False, advice="keep TCP", **{"class": "short-lived"})
        equal(sum_of(rows_of(report, SHORT, "client"), "connections"), SHORTS, name + ": short-lived: its clients")
        check_one(report, LATE, "client", name, "closed before its server", connections=1, bytes_sent=72)
    sums = report["summary"]
    # The SMC connection is counted only as such; others within this host are counted once.
    equal((sums["profiting_bytes"], sums["profiting_connections"], sums["memory"], sums["smc_connections"]),
          (SIZE + 9, 1, 1 << 20, int(with_smc)) if HAS_LOOPBACK else (0, 0, 0, 0), name + ": the sum")


def check_source(name, prefix, source, is_named=True, with_short=True, **want):
    status, report = watched(*prefix)
    equal((status, report.get("source")), (0 if HAS_LOOPBACK else 2, source), "%s: exit status and source" % name)
    check_rows(name, report, is_named, with_short=with_short)
    equal({key: report.get(key) for key in want}, want, "%s: what it says of itself" % name)
    return report


def check_no_eid():
    """Without an EID no connection can use SMC, but one command would change that."""
    if not HAS_LOOPBACK or HAS_SEID:
        return
    eids = doc("smcd", "-j", "ueid")["ueids"]
    out_of("smcd", "ueid", "flush")
    check_rows("no EID", watched(with_smc=False)[1], needs_eid=True, with_smc=False)
    for eid in eids:
        out_of("smcd", "ueid", "add", eid)


def policy(net, priority, *words):
    return run("ip", "xfrm", "policy", "add", "dst", net, "dir", "out", "priority", str(priority), *words)


def set_policies(level, priority):
    """Require IPsec for the far peer with priority 100, and exempt a network that includes it with another priority. Return:
    status and error."""
    out_of("ip", "xfrm", "policy", "flush")
    status, _, err = policy(THERE, 100, "tmpl", "proto", "esp", "mode", "transport", "level", level)
    if not status:
        status, _, err = policy("10.0.0.0/8", priority, "action", "allow")
    return status, err


def is_let_through():
    """Does the kernel let a connection to the far peer pass? A required IPsec policy without a key blocks it."""
    try:
        socket.create_connection((THERE, FAR), 2).close()
    except OSError:
        return False
    return True


def watch_far(name, is_ipsec):
    """The row of the far peer."""
    why = "IPsec, which SMC would bypass"
    watch = Watch()
    with Process("farload", one, THERE, FAR, SIZE) as process:
        process.wait()
        check_one(watch.end()[1], FAR, "client", name, "bulk", process="farload", would_profit=False,
                  not_carried=why if is_ipsec else None,
                  advice="keep TCP: " + (why if is_ipsec else "neither an RDMA port nor an ISM device for near0"))


def check_ipsec():
    """Optional policies, which pass traffic without a key, need none."""
    status, _, err = run("ip", "xfrm", "policy", "flush")
    if status:
        skip("IPsec", "this kernel has none: " + err.strip())
        return
    for name, priority, is_ipsec in (("IPsec, and an exemption that is worse", 200, True),
                                     ("IPsec, and an exemption that is as good but younger", 100, True),
                                     ("IPsec, and an exemption that is better", 50, False)):
        equal((set_policies("required", priority), is_let_through()), ((0, ""), not is_ipsec), name + ": so the kernel has it")
        set_policies("use" if is_ipsec else "required", priority)
        watch_far(name, is_ipsec)
    out_of("ip", "xfrm", "policy", "flush")
    watch_far("policies are gone", False)


def check_background():
    """sh ignores SIGINT for its background jobs."""
    status, report = Watch(interrupt=signal.SIG_IGN).end()
    ok(status in (0, 2) and "rows" in report, "background: SIGINT ends it with its report", (status, report))


def check_bpf():
    """Short connections have a process and a duration, too; also those of a service whose process is gone."""
    report = check_source("eBPF", (), "bpf", is_lossy=False, is_blind=False, is_capped=False, untracked_connections=0,
                          why_no_better=None)
    row = check_one(report, SHORT, "client", "eBPF", "short-lived clients", process="shortload", connections=SHORTS,
                    bytes_sent=SHORTS * 72, life_is="about", carrier="tcp", would_profit=False)
    # If the server's FIN came first, it counts as a received byte.
    ok(SHORTS <= row.get("bytes_received", 0) <= 2 * SHORTS, "eBPF: short-lived clients: bytes received", row)
    unit = "/sys/fs/cgroup/system.slice/gone.service"
    os.makedirs(unit)
    watch = Watch()
    process = Process("gone", many, unit)
    process.wait()
    process.end()
    check_one(watch.end()[1], SHORT, "client", "eBPF", "a service's process that has ended", process="gone",
              unit="gone.service", connections=SHORTS)


start_servers()
if HAS_BPF:
    check_bpf()
check_source("no eBPF", NO_BPF if HAS_BPF else (), "poll", with_short=False, is_lossy=False, is_blind=False, is_capped=False,
             untracked_connections=0)
check_source("user", NOBODY, "poll", is_named=False, with_short=False, is_blind=True)
check_no_eid()
check_ipsec()
check_background()
done()
