# SPDX-License-Identifier: MIT
"""smc_ab over SMC-D: transports of runs, servers of each run, fallbacks, and cleanup."""
import json
import signal
import subprocess

from kern import done, equal, has_jit, ok, processes, run, wait_for

LOAD = ("traffic", "load", "own", "127.0.0.1", "7100")
SERVER = ("--server", "traffic serve 7100")


def compare(*words, env=None):
    """Status, document, standard error."""
    status, out, err = run("smc_ab", "-n", *words, env=env)
    try:
        return status, json.loads(out), err
    except ValueError:
        return status, {"out": out}, err


def sockets(doc, side):
    """Number of SMC-D, SMC-R and TCP sockets in each pair of runs."""
    return [tuple(pair[side]["sockets"][mode] for mode in ("smcd", "smcr", "tcp")) for pair in doc["pairs"]]


def counted(doc, side, mode):
    return [pair[side]["counted"][mode] for pair in doc["pairs"]]


def sane(doc, name):
    """Every value is present and plausible."""
    runs = [pair[side] for pair in doc["pairs"] for side in ("tcp", "smc")]
    ok(all(0 < r["wall_seconds"] < 300 and 0 < r["cpu_seconds"] < 600 and 0 < r["context_switches"] < 1e7 for r in runs), name, runs)


def check_bulk():
    """Long enough to be observed, and to move 16 MB."""
    status, doc, err = compare("8", "-j", "--server", "iperf3 -s -1 -p 7101", "--metric", "([0-9.]+) Mbits/sec.*receiver", "-r", "1M", "-t", "1M",
                               "--", "iperf3", "-c", "127.0.0.1", "-p", "7101", "-f", "m", "-n", "16M")
    equal((status, err, doc.get("schema"), doc.get("used_smc"), doc.get("count")), (0, "", "smc-tools/ab/1", 8, 8), "iperf3: every run used SMC")
    if status:
        ok(False, "iperf3: measured", doc)
        return
    ok(all(d > 0 for d in counted(doc, "smc", "smcd")) and not any(counted(doc, "tcp", "smcd")), "iperf3: so say the kernel's statistics",
       doc["pairs"])
    ok(all(s[0] and not s[1] for s in sockets(doc, "smc")), "iperf3: SMC-D sockets were seen in each run", sockets(doc, "smc"))
    equal(set(sockets(doc, "tcp")), {(0, 0, 0)}, "iperf3: and none in the runs over TCP")
    sane(doc, "iperf3: times and switches")
    ok(all(pair[side]["metric"] > 0 for pair in doc["pairs"] for side in ("tcp", "smc")), "iperf3: its number", doc["pairs"])
    equal([pair["smc_first"] for pair in doc["pairs"]], [True, False] * 4, "the order changes from pair to pair")
    ratio, (low, high) = doc["metric"]["ratio"], doc["metric"]["interval"]
    ok(low <= ratio <= high and abs(ratio - doc["metric"]["smc"] / doc["metric"]["tcp"]) < 1e-9, "iperf3: ratio and interval", doc["metric"])
    equal(doc["verdict"], "smc" if low > 1 else "tcp" if high < 1 else "none", "the verdict is what the interval allows")


def check_short():
    """A connection that is too short to be observed by polling."""
    status, out, err = run("smc_ab", "-n", "2", *SERVER, "--", *LOAD, "1", "1")
    ok(status == 0 and not err and "   SMC-D " in out and "2 of 2 runs used SMC\n" in out and "No verdict: " in out,
       "one short connection: counted", (status, out, err))
    # Only the kernel could know this: no socket was observed.
    with subprocess.Popen(["smc_run", "traffic", "serve", "7100"], stdout=subprocess.DEVNULL) as server:
        wait_for(lambda: run("smc_run", *LOAD, "1", "1")[0] == 0)
        status, doc, err = compare("3", "-j", "--", *LOAD, "1", "1")
        equal((status, doc.get("used_smc")), (0, 3), "a server that runs already: used")
        ok(all(fell[2] == 0 for fell in sockets(doc, "tcp")), "runs over TCP: no SMC sockets", doc)
        server.terminate()


def check_not_used():
    status, out, err = run("smc_ab", "-n", "2", "--", "true")
    ok(status == 2 and not err and "0 of 2 runs used SMC\n" in out and "No verdict: SMC was not used.\n" in out, "no socket: SMC was not used",
       (status, out, err))
    with subprocess.Popen(["traffic", "serve", "7100"], stdout=subprocess.DEVNULL) as server:
        wait_for(lambda: run(*LOAD, "1", "1")[0] == 0)
        status, out, err = run("smc_ab", "-n", "2", "--", *LOAD, "200", "4")
        ok(status == 2 and "0 of 2 runs used SMC\n" in out and "sockets fell back to TCP, the first with reason 0x03010000 PEERNOSMC: " in out and
           "smc_chk explain 0x03010000" in out, "a peer without SMC: fallbacks, and why", (status, out, err))
        status, doc, _ = compare("2", "-j", "--", *LOAD, "200", "4")
        ok(status == 2 and doc["verdict"] == "not_used" and all(c > 0 for c in counted(doc, "smc", "tcp")) and
           [pair["smc"].get("reason") for pair in doc["pairs"]] == [0x03010000] * 2, "the same in JSON", doc)
        server.terminate()


def check_no_tcp():
    """A command, or its launcher, that gets SMC sockets in any case."""
    with subprocess.Popen(["smc_run", "traffic", "serve", "7100"], stdout=subprocess.DEVNULL) as server:
        wait_for(lambda: run("smc_run", *LOAD, "1", "1")[0] == 0)
        status, out, err = run("smc_ab", "-n", "2", "--", "smc_run", *LOAD, "2000", "4")
        ok(status == 1 and not out and err.startswith("smc_ab: the run over TCP used SMC: "), "SMC in the run over TCP: an error", (status, out, err))
        server.terminate()


def check_end(number):
    """A signal in the middle of a run, also for processes that left its process group and ignore SIGTERM."""
    with subprocess.Popen(["smc_ab", "-n", "5", *SERVER, "--", "sh", "-c",
                           "setsid sh -c 'trap \"\" TERM; exec sleep 1000' & exec sleep 1001"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as program:
        ok(wait_for(lambda: len(processes("sleep")) == 2 and processes("traffic")), "%s: under way" % number.name, processes("sleep"))
        program.send_signal(number)
        out, err = program.communicate(timeout=300)
    equal((program.returncode, out, err), (-number, "", ""), "%s: ends as by the signal, in silence" % number.name)
    equal((processes("sleep"), processes("traffic"), processes("smc_ab")), ([], [], []), "%s: nothing is left" % number.name)


def check_ways():
    """A static program, out of reach of the library: by any other way."""
    for way in ["--seccomp"] + ["--bpf"] * has_jit():
        status, doc, err = compare("2", "-j", way, *SERVER, "--", *LOAD, "100", "4")
        equal((status, doc.get("used_smc")), (0, 2), "%s: used" % way)
        ok(not err or "stays: 'smc_bpf detach --run' removes it" in err, "%s: says at most once what it loads" % way, err)
        equal(processes("smc_supervise"), [], "%s: no supervisor is left" % way)


check_bulk()
check_short()
check_not_used()
check_no_tcp()
check_end(signal.SIGINT)
check_end(signal.SIGTERM)
check_ways()
done()
