# SPDX-License-Identifier: MIT
"""The twin: its cases under the preload library are as over TCP, except those of the rows in ld_pre_smc/differences."""
import os
import re
import socket
import subprocess

from kern import done, equal, ok
from rows import known, read_rows

KERNEL = os.environ["SMC_LAB_KERNEL"]
RDMA = KERNEL == "6.12"
ROWS = read_rows(os.path.join(os.path.dirname(os.path.abspath(__file__)), "differences"))

# Cases of clients that TCP keeps out: all sockets become TCP.
KEYS = ["key", "key_prefix", "key_listening", "key_reuseport", "key_retry", "key_ao", "hops"]

# Cases whose sockets must become TCP; in all others everything stays SMC.
TO_TCP = {
    "peek_off": "off=smc on=tcp client=tcp accepted=tcp",
    "rcvlowat": "off=smc on=tcp client=tcp accepted=tcp",
    "epoll": "client=tcp accepted=tcp",
    "filter": "listener=tcp",
    "devices": "one=smc two=tcp",
}

# None of these may differ; of the others, on a busy machine, MOST may.
PROVEN = """
    answer_and_close blocking_write cancel_read cancel_write close_during_write collisions cork cork_close cork_left
    defer_accept devices epoll error_queue families fast_open filter full full_restart handler_write hops hops_connected
    identity in_use inq ioctls key key_ao key_listening key_prefix key_retry key_reuseport late_error linger linger_listener
    listen_after_connect more more_close more_kill more_shutdown more_splice no_sigpipe no_sigpipe_shut out_queue
    part_dontwait part_nonblocking part_restart part_signal part_time peek_off peer_name rcvlowat reset_answer reset_close
    reset_kill reset_reader retry retry_nonblocking reuseport reuseport_bound self send_timeout send_timeout_ok sendfile
    short shut_both shut_during_write shut_listener shut_listener_idle shut_listener_read shut_listener_shared
    shut_listener_signal shut_listener_write shut_read signal_ends signals sigpipe_blocked sigpipe_closed sigpipe_default
    sigpipe_shut sigpipe_shut_both sigpipe_thread splice splice_full timestamping txrehash uncounted unsent_close
    unsent_exec unsent_exit unsent_shut_both unsent_shut_write unspec values vfork_write whole zerocopy
""".split()
MOST = 2


def takes(option):
    """Does a socket of SMC take this option of SOL_SOCKET, switched off?"""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 256) as smc:
            smc.setsockopt(socket.SOL_SOCKET, option, 0)
        return True
    except OSError:
        return False


if KERNEL != "6.1" and not takes(74):  # SO_TXREHASH, which Linux 7.2 refuses
    TO_TCP["txrehash"] = "off=tcp on=tcp client=tcp accepted=tcp"

# A guest of another architecture is always emulated, and would take minutes for 100000.
STRESS = "100000" if os.uname().machine == "x86_64" else "10000"
WALKS = "300" if os.uname().machine == "x86_64" else "100"

# Cases that also run without the repairs: they are safe, and differ from TCP in every mode.
RAW = ["identity", "ioctls", "peek_off", "short", "retry_nonblocking", "in_use", "unspec", "devices"]

# Further such cases, where data can be unsent.
UNSENT = ["unsent_exit", "unsent_close", "unsent_exec", "unsent_shut_both"]

# Results of calls that differ from TCP: af_smc(7) has the reasons.
ENOTCONN = "-1 Transport endpoint is not connected"
EOPNOTSUPP = "-1 Operation not supported"
ERRNOS = {
    **{"connect listener" + how: "-1 Invalid argument" for how in (" ", " well", " nobody")},
    **{"%s %s" % (call, kind): ENOTCONN for kind in ("stream", "stream6")
       for call in ("fclose", "sendfile", "sendfile64")},
    **{"setsockopt %s reuseport" % kind: EOPNOTSUPP for kind in ("listener", "connected")},
    **{"setsockopt %s zerocopy" % kind: EOPNOTSUPP for kind in ("stream", "stream6", "listener", "connected")},
    "setsockopt connected fastopen": "0 kept",
}


def start(*argv):
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def read(process):
    """Case -> outcome, kinds."""
    rows = {}
    for line in process.communicate()[0].splitlines():
        name, outcome, kinds = (line + "\t\t").split("\t")[:3]
        rows[name] = outcome.strip(), kinds.strip()
    ok(rows and process.returncode == 0, " ".join(process.args) + " ran to its end", (process.returncode, len(rows)))
    return rows


def words(tcp, smc):
    """Return: words of the second line that are not those of the first; "..." if there are fewer."""
    tcp, smc = tcp.split(), smc.split()
    return {word for i, word in enumerate(smc) if word != (tcp[i] if i < len(tcp) else "")} | ({"..."} if len(smc) < len(tcp) else set())


def unexpected(tcp, smc, expected):
    """Return: names of the cases whose words that differ are not those of their row: "*" for any, "~" for any or none."""
    found = {name: words(tcp[name][0], smc[name][0]) for name in smc}
    return sorted(name for name in smc if expected.get(name) != {"~"} and
                  (not smc[name][0] or found[name] != expected.get(name, set()) and not (found[name] and expected.get(name) == {"*"})))


def compare(who, argv, tcp, smc, tags):
    """Both have the same cases, with the same results except those of the rows. Without a fallback sockets stay SMC."""
    expected = known(ROWS, {KERNEL, *tags})
    equal(sorted(smc), sorted(tcp), "%s: all cases ran" % who)
    wrong = unexpected(tcp, smc, expected)
    for _ in range(2):
        # A busy machine delays what is to come: once more, one at a time.
        if wrong:
            tcp.update(read(start(*argv[argv.index("twin"):], "-j", "1", *wrong)))
            smc.update(read(start(*argv, "-j", "1", *wrong)))
            wrong = unexpected(tcp, smc, expected)
    for name in wrong:
        print("# differs: %s\n#   tcp %s\n#   smc %s" % (name, tcp[name][0], smc[name][0]))
    ok(not set(wrong) & set(PROVEN) and len(wrong) <= MOST,
       "%s: %d cases are as over TCP, except those of ld_pre_smc/differences" % (who, len(smc)), wrong)
    if "fallback" not in tags:
        # A copy with options becomes TCP, if all copies can; a network namespace of its own has no RDMA device.
        either = {name for name in smc if name.endswith("_options") or name.startswith("dead_") or name in expected} - set(TO_TCP)
        kinds = {name: row[1] if name in KEYS else TO_TCP.get(name) or row[1].replace("tcp", "smc") for name, row in tcp.items()}
        equal({name: row[1] for name, row in smc.items() if name in PROVEN and row[1] != kinds[name] and name not in either}, {}, who + ": who uses SMC")


def check_python():
    """Programs that take over an existing file descriptor."""
    code = ("import socket, os; s = socket.socket(); t = socket.socket(fileno=os.dup(s.fileno()));"
            "print(t.family.name, t.type.name, t.proto)")
    for family in ("smc", "inet"):
        out = subprocess.run(["smc_run", "-f", family, "python3", "-c", code], text=True,
                             stdout=subprocess.PIPE, check=False).stdout
        equal(out, "AF_INET SOCK_STREAM 6\n", "-f %s: Python's socket(fileno=) finds TCP" % family)


def check_errnos():
    """errno is kept where a call succeeds, and TCP's where it fails."""
    rows = []
    for command in ([], ["smc_run"]):
        run = subprocess.run(command + ["errnos"], text=True, stdout=subprocess.PIPE, check=False)
        rows.append(dict(line.split(": ", 1) for line in run.stdout.splitlines()))
        ok(rows[-1] and not run.returncode, " ".join(command + ["errnos"]) + " ran to its end", run.returncode)
    tcp, smc = rows
    changed = {call: smc.get(call) for call in tcp if smc.get(call) != tcp[call]}
    # Some calls differ in only one of their variants.
    wrong = {call: (tcp[call], got) for call, got in changed.items()
             if got != ERRNOS.get(call, ERRNOS.get(call.rsplit(" ", 1)[0]))}
    equal(wrong, {}, "%d calls: errno is as with TCP" % len(tcp))
    ok(changed, "%d of them are known to differ" % len(changed))


def smc_sockets():
    """Number of sockets in the kernel, of all kinds."""
    with open("/proc/net/protocols", encoding="ascii") as file:
        return sum(int(line.split()[2]) for line in file if "SMC" in line.split()[0])


def check_leaks():
    before = smc_sockets()
    out = subprocess.run(["smc_run", "stress", "1000", STRESS], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False).stdout
    equal(out, "all sockets, 0 failed, 0 file descriptors and no memory left, handler ran\n",
          "1000 threads, %s sockets" % STRESS)
    equal(smc_sockets(), before, "and none of them is left in the kernel")


def check_walks():
    """Random walks, the same in each run; on a busy machine, those that differ once more. "twin --walks" has others."""
    walks = ["--seed", "1"]
    for _ in range(3):
        run = subprocess.run(["twin", "-j", "8", "--walks", WALKS, "--side", "smc_run", *walks], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        walks = re.findall(r"^[0-9]+\.[0-9-]+$", run.stdout, re.MULTILINE)
        if not walks:
            break
    ok(run.returncode == 0, "random walks: " + run.stdout.splitlines()[-1], run.stdout)


def check_61():
    """Everything falls back, and IPPROTO_SMC is not supported."""
    tcp, smc = read(start("twin")), read(start("smc_run", "twin"))
    compare("AF_SMC that falls back", ["smc_run", "twin"], tcp, smc, {"fallback", "ipv4"})
    equal(smc["reuseport"][1], "one=tcp two=tcp", "SO_REUSEPORT: TCP")
    check_walks()
    done()


def differs(name, rows):
    """Without the repairs a case differs from TCP. Data that the kernel drops after two seconds may survive on a slow machine."""
    for _ in range(3):
        if rows["raw"][name][0] not in ("", rows["tcp"][name][0]):
            return True
        rows["raw"].update(read(start("smc_run", "--raw", "twin", name)))
    return False


def main():
    subprocess.run("ip link add other type dummy; modprobe -q tls", shell=True, check=False)
    if KERNEL == "6.1":
        check_61()
    raw = RAW + UNSENT if RDMA else RAW
    # SMC-R supports IPv4 only: kernel/twin61 has all cases that fall back.
    some = raw if RDMA else []
    runs = {"tcp": ["twin"], "AF_SMC": ["smc_run", "twin"], "tcp6": ["twin", "-6", *some], "AF_SMC, IPv6": ["smc_run", "twin", "-6", *some]}
    runs["raw"] = ["smc_run", "--raw", "twin", *raw]
    runs["IPPROTO_SMC"] = ["smc_run", "-f", "inet", "twin", *raw]
    # With Soft-RoCE, links break on a slow machine.
    rows = {who: read(start(*argv, "-j", "2" if RDMA else "4")) for who, argv in runs.items()}
    device = "smcr" if RDMA else "smcd"
    compare("AF_SMC", runs["AF_SMC"], rows["tcp"], rows["AF_SMC"], {device, "ipv4"})
    compare("IPPROTO_SMC", runs["IPPROTO_SMC"][:4], {n: rows["tcp"][n] for n in rows["IPPROTO_SMC"]}, rows["IPPROTO_SMC"], {device, "ipv4"})
    compare("AF_SMC, IPv6", runs["AF_SMC, IPv6"][:3], rows["tcp6"], rows["AF_SMC, IPv6"], {"fallback" if RDMA else device, "ipv6"})
    rules = read(start("smc_run", "--exclude", "1-65535", "twin", *KEYS))
    equal({name: row[0] for name, row in rules.items()}, {name: rows["tcp"][name][0] for name in KEYS},
          "a socket that a rule leaves to TCP keeps its key")
    for name in raw:
        ok(differs(name, rows), "--raw: %s differs" % name, rows["raw"][name])
    check_python()
    check_errnos()
    if not RDMA:
        check_leaks()
        check_walks()
    done()


main()
