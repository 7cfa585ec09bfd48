# SPDX-License-Identifier: MIT
"""smc_chk -C --tune over SMC-R, guest 1 is the client: what groups got that --kernel made, and that all knobs are as they were, in
whatever way it ends. No speed is asserted: it is that of an emulated machine."""
import fcntl
import glob
import json
import os
import signal
import subprocess

from kern import NODE, done, equal, ok, out_of, run, sync

PEER = os.environ["SMC_LAB_PEER_IP"]
ROOM = "/proc/sys/net/smc/smcr_max_conns_per_lgr"
TUNE = ("smc_chk", "-C", PEER, "--tune", "--kernel", "-t", "5")


def knobs():
    values = {}
    for name in glob.glob("/proc/sys/net/smc/*"):
        with open(name, encoding="ascii") as file:
            values[os.path.basename(name)] = file.read().strip()
    return values


def groups():
    """Identity, type and links of those in which this guest is the client; they stay for ten minutes."""
    return {g["id"]: (g["buffer_type"], g["max_links"], g["max_connections"])
            for g in json.loads(out_of("smcr", "-d", "-j", "linkgroup"))["linkgroups"] if g["role"] == "client"}


def check_measured(before):
    status, out, err = run(*TUNE, "-j", "--shape", "rpc:100")
    doc = json.loads(out) if out else {"sizes": [], "kernel": {"knobs": []}}
    equal((status, err, doc.get("mode"), doc.get("server_follows")), (0, "", "SMCR", True), "measured")
    ok(len(doc["sizes"]) > 1 and all(s["median"] > 0 and s["receive"] + 1024 >= s["asked"] for s in doc["sizes"]), "sizes: got what was asked for", doc)
    rows = [(row.get("knob"), row.get("value")) for row in doc["kernel"]["knobs"]]
    want = [(None, None), ("smcr_buf_type", 1), ("smcr_buf_type", 2), ("smcr_max_links_per_lgr", 1)]
    for knob in ("smcr_max_send_wr", "smcr_max_recv_wr"):
        want += [(knob, int(before[knob]) * more) for more in (4, 16)] if knob in before else []
    equal(rows, want, "knobs: each that this kernel has")
    ok(all(len(row.get("values", ())) == 9 and all(v > 0 for v in row["values"]) for row in doc["kernel"]["knobs"]), "knobs: nine values of each", doc)
    ok(rows and doc["kernel"]["enough"] <= doc["kernel"]["best"] < len(rows), "knobs: enough is the first that will do", doc["kernel"])
    made = sorted(g for g in groups().values() if g[2] == 16)
    equal(made, sorted([("virtual", 2, 16), ("mixed", 2, 16), ("physical", 1, 16)] + [("physical", 2, 16)] * (len(want) - 3 + 1)),
          "link groups: the usual one, and one for each with what was tried")
    equal(knobs(), before, "knobs are as they were")


def check_text():
    status, out, err = run(*TUNE)
    ok(status == 0 and not err and "\n smcr_max_links_per_lgr = 1 " in out and ("They are right as they are: " in out) != ("\n  net.smc.smcr_" in out),
       "text: a winner, and what keeps it", (status, out, err))


def start():
    return subprocess.Popen(TUNE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: [
        signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])


def room():
    with open(ROOM, encoding="ascii") as file:
        return int(file.read())


def until_changed(program):
    """They are so for the time of one handshake, again and again: no pause in looking."""
    while program.poll() is None:
        if room() == 16:
            return True
    return False


def check_ended(before, number):
    """At a moment when the knobs are changed."""
    with start() as program:
        ok(until_changed(program), "%s: knobs are changed" % number.name)
        program.send_signal(number)
        program.communicate()
        equal((program.returncode, knobs()), (-number, before), "%s: ends, and knobs are as they were" % number.name)


def check_lost(before):
    """The server goes in the middle."""
    with start() as program:
        until_changed(program)
        sync("lose")
        out, err = program.communicate()
        ok(program.returncode == 1 and not out and err.count("\n") == 1, "the server goes: one error", (program.returncode, out, err))
        equal(knobs(), before, "the server goes: knobs are as they were")


def check_refused():
    status, out, err = run("setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--reuid", "65534", "--clear-groups", *TUNE)
    ok(status == 1 and not out and err.startswith("smc_chk: cannot set net.smc.smcr_max_conns_per_lgr to "), "not as root: an error", (status, out, err))


def check_locked(before):
    with open(ROOM, encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        status, out, err = run(*TUNE)
    equal((status, out, err), (1, "", "smc_chk: another smc_chk --tune --kernel is changing net.smc of this host\n"), "two at once: an error")
    equal(knobs(), before, "two at once: knobs are as they were")


def client():
    sync("up")
    before = knobs()
    check_measured(before)
    check_text()
    check_refused()
    check_locked(before)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        check_ended(before, number)
    check_lost(before)
    sync("end")


def server():
    # So that few connections fill the usual group.
    run("sysctl", "-w", "net.smc.smcr_max_conns_per_lgr=16")
    ours = subprocess.Popen(["smc_chk", "-S"], stdout=subprocess.PIPE, text=True)
    ok(ours.stdout.readline() == "Server started on port 37373\n", "server")
    sync("up")
    sync("lose")
    ours.kill()
    sync("end")


client() if NODE == 1 else server()
done()
