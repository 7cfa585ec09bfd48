# SPDX-License-Identifier: MIT
"""Every tool once on a big-endian machine with slot power: IBM Z, or its emulation."""
import json
import os
import subprocess
import sys

from kern import NODE, Sockets, done, equal, has_jit, held_modes, ok, out_of, record_live, run, sync, wait_for

STATIC = sys.argv[1] + "/sockets-static"
FUNCTION = "/sys/bus/pci/devices/0010:00:00.0"
BUNDLE = os.environ["SMC_LAB_OUT"] + "/bundle.tar.gz"
COMMANDS = ["smcss -a -j", "smcd -d linkgroup", "smcd -a -d stats", "smcr -d device", "smc_pnet -j", "smc_rnics -a -w",
            "smc_chk doctor"]
PEER = os.environ["SMC_LAB_PEER_IP"]
PAIR = "tcp4:pair:127.0.0.1:7001"


def modes():
    """Modes of both ends of a connection in an unmodified program under smc_run."""
    with subprocess.Popen(["smc_run", "sockets", PAIR], stdout=subprocess.PIPE, text=True) as program:
        found = held_modes(program)
        program.kill()
    return found


def system_eid():
    equal(out_of("smcd", "ueid", "flush"), "", "smcd ueid flush")
    equal(modes(), ["SMCD"] * 2, "smc_run: SMC-D by the system EID alone")
    status, _, err = run("smcd", "seid", "disable")
    ok(status == 1 and "it is the only one, add a user EID first" in err, "smcd seid disable: not the only one", err)
    out_of("smcd", "ueid", "add", "SMC-LAB-EID")
    equal(run("smcd", "seid", "disable"), (0, "", ""), "smcd seid disable")
    equal(out_of("smcd", "seid")[-11:], "[disabled]\n", "smcd seid")


def function():
    """The PCI function's row, in words."""
    return out_of("smc_rnics", "20").splitlines()[2].split()


def slot_power():
    before = function()
    ok(before[:3] == ["20", "1", "0010:00:00.0"] and os.path.exists(FUNCTION), "smc_rnics: FID 20 has power", before)
    equal(run("smc_rnics", "-d", "20"), (0, "", ""), "smc_rnics -d 20")
    ok(not os.path.exists(FUNCTION) and function()[:3] == ["20", "0", "n/a"], "the PCI function is gone", function())
    equal(run("smc_rnics", "-e", "20"), (0, "", ""), "smc_rnics -e 20")
    equal(wait_for(lambda: os.path.exists(FUNCTION)) and function(), before, "and back")


def other_ways():
    """Unsupported features, with reasons. Kernels for newer machines than Debian's have the JIT compiler."""
    jit = has_jit()
    want = "" if jit else "smc_bpf: the kernel lacks CONFIG_BPF_JIT\n"
    equal(run("smc_bpf", "attach", "--run")[2], want, "smc_bpf: " + ("works" if jit else "no JIT compiler"))
    status, _, err = run("smc_run", "--bpf", "true")
    ok(not status and (jit or "lacks CONFIG_BPF_JIT; preloading instead" in err), "smc_run --bpf: the same", err)
    status, _, err = run("smc_run", "--seccomp", "true")
    ok(not status and "socketcall(2) as on s390x; preloading instead" in err, "smc_run --seccomp: why not", err)
    out = run("smc_chk", "program", STATIC)[1]
    ok("s390x" in out, "smc_chk program: a static program", out)


def pnet():
    subprocess.run("modprobe rdma_rxe && rdma link add rxelo type rxe netdev lo", shell=True, check=True)
    equal(run("smc_pnet", "-a", "NET1", "-I", "lo", "-D", "rxelo"), (0, "", ""), "smc_pnet -a")
    ok("NET1" in out_of("smc_pnet"), "smc_pnet")


def serve():
    return subprocess.Popen(["smc_chk", "serve", "--once"], stdout=subprocess.PIPE, text=True)


def other_order():
    """Each guest serves the other: protocol numbers and every byte, over TCP."""
    for server in (1, 2):
        if NODE == server:
            with serve() as process:
                process.stdout.readline()
                sync("serving")
        else:
            sync("serving")
            status, out, err = run("smc_chk", "connect", "-j", PEER)
            got = json.loads(out or "{}")
            ok((status, got.get("mode"), got.get("server", {}).get("mode")) == (2, "TCP", "TCP") and
               got["bytes"] > 300000, "smc_chk connect from %s" % os.uname().machine, (status, out, err))
        sync("served")


def live():
    with serve() as server:
        server.stdout.readline()
        status, out, err = run("smc_chk", "connect", "127.0.0.1")
    ok(status == 0 and not err and "using SMC-D" in out and " verified" in out, "smc_chk serve and connect: SMC-D", (status, out, err))


def bundle():
    with Sockets("smc4:pair:127.0.0.1:7001", "smc4:listen:127.0.0.1:7002", "smc4:fastopen:127.0.0.1:7002"):
        equal(run("smc_chk", "bundle", BUNDLE, timeout=900)[::2], (0, ""), "smc_chk bundle: a bundle with a connection")
        for command in COMMANDS:
            live_said = record_live(command)
            ok(live_said[0] == 0 and not live_said[2], command, live_said)


other_order()
if NODE == 1:
    system_eid()
    slot_power()
    other_ways()
    pnet()
    live()
    bundle()
done()
