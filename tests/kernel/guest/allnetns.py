# SPDX-License-Identifier: MIT
"""Many network namespaces, with containers' control groups, and the output of smcss --all-netns for all of them."""
import fcntl
import json
import os
import re
import signal
import socket
import struct

from kern import NOBODY, doc, equal, listing, ok, out_of, run, smcss, write
from smcsock import accept, call, inet_socket, smc_client, smc_listener, smc_socket

COUNT = int(os.environ.get("NETNS_COUNT", "40"))
GROUPS = "/sys/fs/cgroup"
STORED = "/var/lib/containers/storage/overlay-containers/containers.json"
CRI = "/run/containerd/io.containerd.runtime.v2.task/k8s.io/%s/config.json"
# Control groups whose names mislead, and the names that their namespaces should have. A user can choose all names below
# a service of that user.
DELEGATED = "/system.slice/own.service"
MISLEADING = {6: ("/machine.slice/machine-host.scope", None),
              13: (DELEGATED + "/docker-%064x.scope" % 0xabcdef, "own.service/000000000000"),
              27: ("/user.slice/user-1.slice/user@1.service/machine-host.scope", "user@1.service/host"),
              34: ("/machine.slice/machine-a\x1b\udcff\"b.scope", "a\\x1b\\xff\"b")}
POD = "1f0c2a31-5b1e-4d2f-9a77-0d3b6c5e8f%02x"


def container_id(number):
    return "%08x%056x" % (number, 0xabcdef)


def group_of(number):
    """Return: a control group, and the name that its namespace should have; None if it has no name, only a number."""
    if number in MISLEADING:
        return MISLEADING[number]
    kinds = (
        lambda: ("/machine.slice/libpod-%s.scope" % container_id(number), "stored-%d" % number),
        lambda: ("/system.slice/docker-%s.scope" % container_id(number), container_id(number)[:12]),
        lambda: ("/kubepods.slice/kubepods-pod%s.slice/cri-containerd-%s.scope" % ((POD % number).replace("-", "_"),
                                                                                  container_id(number)), "shop/redis-%d" % number),
        lambda: ("/kubepods/burstable/pod%s/%s" % (POD % (number + 128), "0" * 64), "pod" + POD % (number + 128)),
        lambda: ("/machine.slice/machine-nspawn%d.scope/payload" % number, "nspawn%d" % number),
        lambda: ("/system.slice/app%d.service" % number, "app%d.service" % number),
        lambda: ("/", None))
    return kinds[number % len(kinds)]()


def keep_state():
    """Files kept by runtimes."""
    write(STORED, json.dumps([{"id": container_id(n), "names": ["stored-%d" % n]} for n in range(0, COUNT, 7)]))
    for number in range(2, COUNT, 7):
        write(CRI % container_id(number), json.dumps({"hostname": "x", "annotations": {
            "io.kubernetes.cri.sandbox-namespace": "shop", "io.kubernetes.cri.sandbox-name": "redis-%d" % number}}))


def set_up(number, ready):
    """In the child: open SMC-D connections, as many as its number, or one that fell back; then wait."""
    call("prctl", 1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    group, _ = group_of(number)
    os.makedirs(GROUPS + group, exist_ok=True)
    if group.startswith(DELEGATED):
        os.chown(GROUPS + DELEGATED, 1000, 1000)
    write(GROUPS + group + "/cgroup.procs", "0")
    call("unshare", 0x40000000)  # CLONE_NEWNET
    with socket.socket() as control:
        fcntl.ioctl(control, 0x8914, struct.pack("16sh14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP
    kept, make = [], inet_socket if number % 2 else smc_socket
    if number % 5 == 4:
        kept.append(socket.create_server(("127.0.0.1", 80)))
        kept.append(smc_client(80, make=make))
    elif number % 5:
        kept.append(smc_listener(80, make=make))
        for _ in range(number % 5):
            kept += [smc_client(80, make=make), accept(kept[0])]
    os.write(ready, b"1")
    signal.pause()


def start(number):
    """Return: its process."""
    end, ready = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            set_up(number, ready)
        finally:
            os._exit(1)
    os.close(ready)
    if os.read(end, 1) != b"1":
        raise RuntimeError("namespace %d cannot be made" % number)
    os.close(end)
    return pid


def inode(pid):
    return os.stat("/proc/%d/ns/net" % pid).st_ino


def connections(number):
    """Ends of connections that are SMC sockets, over SMC-D and TCP."""
    return (0, 1) if number % 5 == 4 else (2 * (number % 5), 0)


def check_rows(pids):
    rows = listing("--all-netns", "-a")
    by_netns = {}
    for row in rows:
        by_netns.setdefault(row["netns_inode"], []).append(row)
    wrong = []
    for number, pid in enumerate(pids):
        mine = by_netns.get(inode(pid), [])
        want = group_of(number)[1] or "net:[%d]" % inode(pid)
        modes = [row.get("mode") for row in mine]
        if {row["netns"] for row in mine} - {want} or (modes.count("SMCD"), modes.count("TCP")) != connections(number):
            wrong.append((number, want, connections(number), mine))
    equal(wrong, [], "--all-netns: each of %d namespaces has its sockets and its name" % COUNT)
    equal(len({row["inode"] for row in rows}), len(rows), "and no socket is there twice")
    # The output for a single namespace is the same, except for its name.
    one = listing("-a", "-N", str(pids[3]))
    same = [{key: row[key] for key in row if key[:5] != "netns"} for row in by_netns[inode(pids[3])]]
    equal(same, one, "the same as -N says of one of them")


def check_text():
    lines = smcss("--all-netns").splitlines()
    ok(lines[0].split()[-1] == "Netns", "the column netns", lines[0])
    equal(sum(line.endswith(" shop/redis-2") for line in lines), 4, "with a pod's name")
    equal(smcss("--all-netns", "-H", "-o", "netns,mode", "mode", "tcp", "and", "dport", "=", ":80").count("TCP 0x03010000\n"),
          sum(connections(number)[1] for number in range(COUNT)), "a filter, and -o")
    equal([row["netns"] for row in listing("--all-netns", "netns", "shop/redis-2")], ["shop/redis-2"] * 4, "a filter: one namespace")
    table = smcss("--all-netns", "-s").splitlines()
    by_addr = smcss("--all-netns", "-s", "host", "127.0.0.1").splitlines()
    ok(not {line for line in table[1:-1] if line[:5] != "host "} - set(by_addr), "-s, a filter by addresses: known to the kernel or not",
       "\n".join(by_addr))
    sums = doc("smcss", "--all-netns", "-s", "-j")
    equal([one for one in sums["peers"] if one["peer"].startswith("n/a")], [], "-s -j: peers, also unknown to the kernel")
    equal(sum(one["smcd"] for one in sums["netns"]), sums["connections"]["smcd"], "and by namespace the same")
    ok(sums["netns_count"] > COUNT, "-s -j: how many there are", sums["netns_count"])


def check_stats(pids):
    """The statistics of each namespace have its connections and fallbacks."""
    rows = {row["netns_inode"]: row for row in doc("smcd", "--all-netns", "-j", "stats")["namespaces"]}
    got = [(rows[inode(pid)]["connections"], rows[inode(pid)]["fallbacks"]) if inode(pid) in rows else (0, 0) for pid in pids]
    equal(got, [connections(number) for number in range(COUNT)], "smcd --all-netns stats: connections and fallbacks of each")
    ok({row.get("reason") for row in rows.values() if row["fallbacks"] and row["netns_inode"] in map(inode, pids)} == {"PEER_NO_SMC"},
       "and why", rows)
    ok(any(line.split() == ["shop/redis-2", "4", "0", "0"] for line in out_of("smcd", "--all-netns", "stats").splitlines()), "as a table")
    metrics = out_of("smcd", "--all-netns", "-m", "stats")
    ok(metrics.replace("\n", "").isprintable(), "metrics are text", metrics)
    left = int(re.search("^smc_network_namespaces_left_out ([0-9]+)$", metrics, re.M).group(1))
    shown = set(re.findall('^smc_fallbacks_total.*netns_inode="([0-9]+)"', metrics, re.M))
    equal((len(shown), len(shown) + left), (20, len(rows)), "metrics: of 20, and how many there are more")


def check_pnet(pids):
    """Three namespaces get a PNET ID, this one among them; one gets a second PNET ID."""
    for pnet_id, pid in (("ALLNET", os.getpid()), ("ALLNET", pids[2]), ("OTHER", pids[2]), ("ALLNET", pids[4])):
        out_of("smc_pnet", "-N", str(pid), "-a", pnet_id, "-I", "lo" if pnet_id == "ALLNET" else "eth0")
    rows = doc("smc_pnet", "--all-netns", "-j")["entries"]
    equal(sorted((row["pnetid"], row["net_device"], row["netns"], row["netns_inode"]) for row in rows),
          sorted([("ALLNET", "lo", "host", inode(os.getpid())), ("ALLNET", "lo", "shop/redis-2", inode(pids[2])),
                  ("OTHER", "eth0", "shop/redis-2", inode(pids[2])), ("ALLNET", "lo", "nspawn4", inode(pids[4]))]),
          "smc_pnet --all-netns: the entries of each, and no others")
    equal(out_of("smc_pnet", "--all-netns", "-s", "allnet"),
          "".join("ALLNET lo n/a 255 %s\n" % name for name in ("host", "nspawn4", "shop/redis-2")), "as text, of one PNET ID")
    equal(out_of("smc_pnet", "--all-netns", "-s", "none"), "", "and of one that nobody has")
    out_of("smc_pnet", "-d", "ALLNET")


def check_few_rights():
    status, out, err = run(*NOBODY, "smcss", "--all-netns", "-a")
    equal((status, out.count("\n"), err.count("\n")), (0, 1, 1), "without rights: this namespace, and one sentence")
    ok(re.fullmatch(r"smcss: only network namespaces that this user may enter are shown: 1 of [23], and those of \d+ "
                    r"processes may not be seen\n", err), "the sentence", err)
    status, out, err = run("setpriv", "--bounding-set=-sys_admin", "smcss", "--all-netns", "-a")
    ok((status, err.count("\n")) == (0, 1) and re.search(r": 1 of (\d+)$", err) and int(err.split()[-1]) > COUNT,
       "root without CAP_SYS_ADMIN", (status, out, err))


def check_all_netns():
    keep_state()
    run("ip", "netns", "add", "kept")
    pids = [start(number) for number in range(COUNT)]
    check_rows(pids)
    check_text()
    check_stats(pids)
    check_pnet(pids)
    check_few_rights()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    run("ip", "netns", "del", "kept")
