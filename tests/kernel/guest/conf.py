# SPDX-License-Identifier: MIT
"""smc_conf: settings from a file and back, read with the tool of each setting."""
import fcntl
import json
import os
import re
import shutil
import subprocess

import fleet
from kern import HAS_SEID, NOBODY, doc, done, equal, ok, out_of, read, refused, run, skip, wait_for
from smcsock import smc_client, smc_listener

CONF = "/etc/smc-tools/smc.conf"
EMPTY = "# smc.conf(5), for smc_conf apply\n"
# The oldest sysctl of net.smc with two usual values.
KNOB = "net.smc.autocorking_size"


def write(text, path=CONF):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def conf(*argv, prefix=()):
    return run(*prefix, "smc_conf", *argv)


def knob(name, netns=None):
    inside = ("ip", "netns", "exec", netns) if netns else ()
    return out_of(*inside, "cat", "/proc/sys/" + name.replace(".", "/")).strip()


def state():
    """Output of other tools, for comparison."""
    return (sorted(doc("smcd", "-j", "ueid")["ueids"]), doc("smcd", "-j", "hs")["enabled"],
            sorted(out_of("smc_pnet").splitlines()), knob(KNOB), out_of("smcd", "seid"))


def applies(text, name):
    write(text)
    equal(conf("apply"), (0, "", ""), name)


def fails(pattern, text, name):
    """One line that matches, and nothing is changed."""
    before = state()
    write(text)
    refused(conf("apply"), pattern, name)
    equal(state(), before, name + ": all is as it was")


def check_nothing():
    equal(conf("export"), (0, EMPTY, ""), "nothing set: an empty file")
    equal(json.loads(conf("export", "-j")[1]), {"schema": "smc-tools/conf/1", "settings": []}, "so in JSON")
    refused(conf("apply"), "open %s: No such file" % CONF, "no file: said")


def check_apply():
    text = "eid LAB1 LAB2\nhandshake-limit on\n%s 131072\npnetid lab net eth0 net later\n" % KNOB
    write(text)
    status, out, err = conf("diff")
    equal((status, err), (2, ""), "diff: something is to be done")
    equal(sorted(out.splitlines()),
          ["+ eid LAB1", "+ eid LAB2", "+ pnetid LAB net eth0", "+ pnetid LAB net later",
           "~ handshake-limit on # is off", "~ %s 131072 # is 65536" % KNOB], "diff: what")
    equal(state()[:2], ([], False), "diff changes nothing")
    changes = json.loads(conf("diff", "-j")[1])
    equal((changes["schema"], sorted(c["change"] for c in changes["changes"])),
          ("smc-tools/conf-diff/1", ["add"] * 4 + ["change"] * 2), "diff -j")
    equal(conf("check", CONF), (0, "", ""), "check")
    equal(state()[:2], ([], False), "check changes nothing")
    equal(conf("apply")[0::2], (0, ""), "apply")
    equal(state()[:4], (["LAB1", "LAB2"], True, ["LAB eth0 n/a 255", "LAB later n/a 255"], "131072"),
          "smcd, smc_pnet and /proc have it")
    equal(conf("diff"), (0, "", ""), "diff: nothing left")
    before = state()
    equal(conf("apply"), (0, "", ""), "apply again")
    equal(state(), before, "changes nothing")
    exported = conf("export")[1]
    equal(exported, EMPTY + "eid LAB1\neid LAB2\nhandshake-limit on\n"
          "%s 131072\npnetid LAB net eth0\npnetid LAB net later\n" % KNOB, "export")
    write(exported, "/run/exported")
    equal(conf("diff", "/run/exported"), (0, "", ""), "export | diff: nothing")
    equal(conf("apply", "/run/exported"), (0, "", ""), "export | apply")
    equal(state(), before, "changes nothing")


def check_left_alone():
    applies("eid LAB3\npnetid two net eth0\n", "another file")
    equal(state()[:4], (["LAB1", "LAB2", "LAB3"], True, ["LAB later n/a 255", "TWO eth0 n/a 255"], "131072"),
          "what it does not name is left alone")
    rows = json.loads(conf("show", "-j")[1])["settings"]
    found = {row["setting"]: (row["state"], row.get("source")) for row in rows}
    equal(found["eid LAB3"], ("set", CONF + ":1"), "show: where a line comes from")
    equal(found["eid LAB1"], ("by hand", None), "show: what no file has")
    equal(found["net.smc.autocorking_size 131072"], ("by hand", None), "show: so with numbers")
    out = conf("show")[1]
    ok(["pnetid", "TWO", "net", "eth0", "set", CONF + ":2"] in [l.split() for l in out.splitlines()], "show", out)
    write("handshake-limit off\n")
    equal([line.split() for line in conf("show")[1].splitlines()[1:3]],
          [["handshake-limit", "off", "differs", CONF + ":1"], ["handshake-limit", "on", "is"]], "show: what differs, and what it is")


def check_exclusive():
    applies("exclusive eid pnetid\neid LAB3 NEW\npnetid two net eth0\n", "exclusive for two kinds")
    equal(state()[:4], (["LAB3", "NEW"], True, ["TWO eth0 n/a 255"], "131072"), "only those")
    equal(conf("diff"), (0, "", ""), "and nothing is left to be done")
    applies("exclusive\neid A B C D\n", "exclusive, all EIDs are others")
    equal(state()[:4], (["A", "B", "C", "D"], False, [], "65536"), "the rest is as the kernel begins")
    applies("exclusive\neid E F G H\n", "four EIDs for four others")
    equal(state()[0], ["E", "F", "G", "H"], "they are there")
    applies("exclusive\neid E\n", "one is left")


def check_half_way():
    fails(r"smc.conf:2: eid: there would be 5, .* only 4$", "%s 131072\neid E V W X Y\n" % KNOB, "a fifth EID")
    fails("smc.conf:3: eid: is the same in all", "handshake-limit on\nnetns x\neid V\n", "a wrong section")


def check_no_nf_tables():
    """A kernel with nfnetlink and without nf_tables. Comes first: any later use of a policy loads it."""
    if os.path.exists("/sys/module/nf_tables") or run("modprobe", "-n", "nfnetlink")[0]:
        skip("no nf_tables", "it is there already, or the kernel has it built in")
        return
    write("install nf_tables /bin/false\n", "/etc/modprobe.d/no-nf_tables.conf")
    out_of("modprobe", "nfnetlink")
    text = "handshake-limit on\nallow 10.0.0.0/8\ndeny port 22\n"
    fails("smc.conf:2: .*nftables.* nf_tables module .*; nothing was changed", text, "no nf_tables: apply")
    refused(conf("check", CONF), "nftables.* nf_tables module", "check")
    equal(conf("diff"), (2, "~ handshake-limit on # is off\n+ allow 10.0.0.0/8\n+ deny port 22\n", ""), "diff")
    status, out, err = conf("show")
    ok((status, err) == (0, "") and ["allow", "10.0.0.0/8", "not", "set", CONF + ":2"] in [line.split() for line in out.splitlines()], "show", (status, out, err))
    equal(conf("export"), (0, EMPTY, ""), "export")
    os.remove("/etc/modprobe.d/no-nf_tables.conf")
    os.remove(CONF)


def check_rights():
    write("handshake-limit on\n")
    refused(conf("apply", prefix=NOBODY), "Operation not permitted.*nothing was changed", "without rights")
    equal(conf("diff", prefix=NOBODY), (2, "~ handshake-limit on # is off\n", ""), "anybody may ask for the differences")
    os.chmod(CONF, 0o666)
    refused(conf("apply"), "smc.conf as root: other users ", "a file of everybody")
    os.chmod(CONF, 0o644)
    os.chmod("/etc/smc-tools", 0o777)
    refused(conf("apply"), "other users .* /etc/smc-tools$", "a directory of everybody")
    os.chmod("/etc/smc-tools", 0o755)
    equal(doc("smcd", "-j", "hs")["enabled"], False, "nothing of it was done")


def check_owners():
    """Files that others can change are not accepted from root, by any path."""
    dropin = CONF + ".d"
    write("")
    write("handshake-limit on\n", dropin + "/a.conf")
    write("handshake-limit on\n", "/run/theirs/b.conf")
    os.chown("/run/theirs", 65534, 0)
    for path, mode, owner in ((dropin + "/a.conf", 0o664, 0), (dropin + "/a.conf", 0o600, 65534), (dropin, 0o1777, 0),
                              (dropin + "/a.conf", 0o606, 0), (dropin, 0o775, 0)):
        was = os.stat(path).st_mode
        os.chmod(path, mode)
        os.chown(path, owner, 0)
        refused(conf("apply"), " as root: other users .* %s$" % path, "%o, owner %d: %s" % (mode, owner, path))
        os.chown(path, 0, 0)
        os.chmod(path, was)
    os.symlink("/run/theirs/b.conf", dropin + "/b.conf")
    refused(conf("apply"), "%s/b.conf as root: other users .* /run/theirs$" % dropin, "by a link")
    os.chown("/run/theirs", 0, 0)
    equal(doc("smcd", "-j", "hs")["enabled"], False, "nothing of it was done")
    equal(conf("apply"), (0, "", ""), "root's own are taken")
    equal(doc("smcd", "-j", "hs")["enabled"], True, "and done")
    for path in dropin, "/run/theirs":
        shutil.rmtree(path)
    applies("exclusive\n", "as before")


def check_taken_back():
    """A sysctl that cannot be written, after other changes: these are undone, in the other namespace, too."""
    path = "/proc/sys/net/smc/rmem"
    for argv in (("--bind", path, path), ("-o", "remount,ro,bind", path)):
        out_of("mount", *argv)
    fails("smc.conf:4: cannot set net.smc.rmem to 70001: Read-only file system; nothing was changed",
          "eid T\nhandshake-limit on\n%s 71000\nnet.smc.rmem 70001\nnetns blue\nhandshake-limit off\n%s 91000\n"
          "pnetid more net eth3\n" % (KNOB, KNOB), "a number that cannot be written")
    equal([knob(KNOB, "blue"), doc("smcd", "-j", "-N", "blue", "hs")["enabled"]], ["90000", True],
          "so in the other namespace")
    out_of("umount", path)


def check_netns():
    out_of("ip", "netns", "add", "blue")
    out_of("ip", "netns", "add", "red")
    applies("%s 70000\nnetns *\n%s 80000\nnetns blue\n%s 90000\nhandshake-limit on\npnetid inside net lo\n" % ((KNOB,) * 3),
            "network namespaces")
    equal([knob(KNOB), knob(KNOB, "blue"), knob(KNOB, "red")], ["70000", "90000", "80000"], "each has its own")
    equal([doc("smcd", "-j", "hs")["enabled"], doc("smcd", "-j", "-N", "blue", "hs")["enabled"]], [False, True],
          "so with handshake limitation")
    equal((out_of("smc_pnet", "-N", "blue"), "INSIDE" in out_of("smc_pnet")), ("INSIDE lo n/a 255\n", False),
          "and with PNET IDs")
    equal(conf("diff"), (0, "", ""), "nothing is left to be done")
    exported = conf("export")[1]
    ok("\nnetns blue\nhandshake-limit on\n%s 90000\npnetid INSIDE net lo\n" % KNOB in exported, "export has them", exported)
    write(exported, "/run/exported")
    equal(conf("diff", "/run/exported"), (0, "", ""), "export | diff: nothing")
    write(exported + "eid APPENDED\n", "/run/exported")
    equal(conf("diff", "/run/exported"), (2, "+ eid APPENDED\n", ""), "a line after it is for the host")
    check_one_netns()
    check_taken_back()
    applies("netns blue\nhandshake-limit off\n", "again")
    write("netns nowhere\nhandshake-limit on\n")
    status, out, err = conf("apply")
    equal((status, out, err), (0, "", "smc_conf: %s:2: waits for network namespace nowhere: handshake-limit on\n" % CONF),
          "one that is not there waits")
    out_of("ip", "netns", "del", "blue")
    out_of("ip", "netns", "del", "red")


def check_one_netns():
    """"netns *" applies to a namespace without a name, such as a container's. A process selects the settings of its namespace
    if that has a name."""
    with subprocess.Popen(["unshare", "-n", "sleep", "1000"]) as nameless, \
            subprocess.Popen(["ip", "netns", "exec", "blue", "sleep", "1000"]) as named:
        path = "/proc/%s/ns/net"
        wait_for(lambda: len({os.readlink(path % pid) for pid in ("self", nameless.pid, named.pid)}) == 3)
        write("%s 75000\nnetns *\n%s 85000\ndeny port 22\nnetns blue\n%s 95000\n" % ((KNOB,) * 3))
        status, out, err = conf("diff", "-N", path % nameless.pid)
        ok((status, err) == (2, "") and " 85000" in out and "75000" not in out and "95000" not in out,
           "diff of a namespace without a name", (status, out, err))
        equal(conf("apply", "-N", path % nameless.pid), (0, "", ""), "apply to a namespace without a name")
        inside = run("nsenter", "--net=" + path % nameless.pid, "sh", "-c",
                     "cat /proc/sys/net/smc/autocorking_size; nft list tables")[1]
        equal(inside, "85000\ntable inet smc-tools\n", "it has what the file says of every one")
        equal([knob(KNOB), knob(KNOB, "blue"), knob(KNOB, "red"), run("nft", "list", "tables")[1]],
              ["70000", "90000", "80000", ""], "nothing else is changed")
        equal(conf("apply", "-N", str(named.pid)), (0, "", ""), "apply to the namespace of a process")
        equal(knob(KNOB, "blue"), "95000", "which has a name and a section")
        equal(conf("diff", "--netns", "blue"), (0, "", ""), "nothing is left to be done")
        equal(conf("apply", "--netns", str(os.getpid())), (0, "", ""), "this namespace")
        equal([knob(KNOB), knob(KNOB, "red")], ["75000", "80000"], "is set, no other one")
        nameless.kill()
        named.kill()
    run("nft", "delete", "table", "inet", "smc-tools")
    out_of("ip", "netns", "exec", "blue", "nft", "delete", "table", "inet", "smc-tools")
    write("%s 70000\nnetns *\n%s 80000\nnetns blue\n%s 90000\n" % ((KNOB,) * 3))
    equal(conf("apply"), (0, "", ""), "as before")


def check_devices():
    """PNET IDs by MAC address, also for devices that appear later, as reported by udev."""
    run("smc_pnet", "-f")
    mac = "02:00:00:00:00:Ab"
    out_of("ip", "link", "add", "base0", "address", mac, "type", "dummy")
    out_of("ip", "link", "add", "link", "base0", "name", "base0.5", "type", "vlan", "id", "5")
    applies("pnetid mac mac %s\n" % mac, "by MAC")
    equal(out_of("smc_pnet"), "MAC base0 n/a 255\n", "it is the device's entry, not that of the VLAN on it")
    fails("smc.conf:2: base0: has PNET ID MAC by %s:1" % CONF, "pnetid mac mac %s\npnetid x net base0\n" % mac, "twice")
    run("smc_pnet", "-f")
    write("pnetid late mac 02:00:00:00:00:77 net late0\n")
    status, out, err = conf("apply")
    equal((status, out, err), (0, "", "smc_conf: %s:1: waits for its device: pnetid LATE mac 02:00:00:00:00:77\n" % CONF),
          "a device that is not there waits")
    equal(conf("show")[1].splitlines()[-1].split(), ["-", "pnetid", "LATE", "mac", "02:00:00:00:00:77", "waits", CONF + ":1"],
          "show reports it")
    out_of("ip", "link", "add", "late1", "address", "02:00:00:00:00:77", "type", "dummy")
    equal(conf("apply", "--device", "late1"), (0, "", ""), "there it is")
    equal(sorted(out_of("smc_pnet").splitlines()), ["LATE late0 n/a 255", "LATE late1 n/a 255"], "and has it")
    # The kernel binds an entry to a device that has the name on registration, not to one renamed later.
    out_of("ip", "link", "add", "other", "type", "dummy")
    out_of("ip", "link", "set", "other", "name", "late0")
    run("dmesg", "-C")
    equal(conf("apply", "--device", "late0"), (0, "", ""), "a device that got its name")
    ok("late0 applied user defined pnetid LATE" in run("dmesg")[1], "is bound to its entry", run("dmesg")[1])
    equal(sorted(out_of("smc_pnet").splitlines()), ["LATE late0 n/a 255", "LATE late1 n/a 255"], "the table is the same")
    equal(conf("apply", "--device", "nobody"), (0, "", ""), "a device that no line names")
    with open("/run/smc-tools/smc_conf.lock", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen(("smc_conf", "apply", "--device", "late0")) as other:
            ok(wait_for(lambda: " -> FLOCK " in read("/proc/locks")), "another one at the same time waits", read("/proc/locks"))
            fcntl.flock(lock, fcntl.LOCK_UN)
            equal(other.wait(), 0, "until it is its turn")


def check_policy():
    """kernel/policy tests the enforcement."""
    write("allow 10.0.0.0/8 127.0.0.0/8\ndeny port 22\n")
    equal(conf("diff"), (2, "+ allow 10.0.0.0/8\n+ allow 127.0.0.0/8\n+ deny port 22\n", ""), "a policy: diff")
    equal(conf("apply"), (0, "", ""), "apply")
    ok("table inet smc-tools" in run("nft", "list", "tables")[1], "there is a table", run("nft", "list", "tables"))
    equal(conf("diff"), (0, "", ""), "nothing is left to be done")
    exported = conf("export")[1]
    ok("deny port 22\nallow 10.0.0.0/8\nallow 127.0.0.0/8\n" in exported, "export has it", exported)
    write(exported, "/run/exported")
    equal(conf("diff", "/run/exported"), (0, "", ""), "export | diff: nothing")
    with smc_listener(22), smc_listener(23), smc_client(22), smc_client(23):
        pass
    counters = "\nPolicy:\n  allow: 2 networks, 2 matched, 0 others denied\n  deny port: 1 matched\n"
    shown = conf("show")[1]
    ok(counters in shown, "show has counters", shown)
    equal(conf("apply"), (0, "", ""), "apply again")
    ok(counters in conf("show")[1], "goes on counting: the table is the same", conf("show")[1])
    policies = json.loads(conf("show", "-j")[1])["policies"]
    equal([[r["networks"] for r in p["rules"]] for p in policies], [[["10.0.0.0/8", "127.0.0.0/8"]]], "in JSON, too")
    applies("handshake-limit off\n", "a file without a policy")
    equal("deny port 22" in conf("export")[1], True, "leaves it alone")
    out_of("ip", "netns", "add", "green")
    applies("netns green\ndeny port 23\n", "a namespace has its own")
    equal(["deny port 2%d" % n in conf("export")[1] for n in (2, 3)], [True, True], "beside that of the host")
    applies("netns *\nexclusive policy\n", "exclusive: they go")
    equal(("smc-tools" in run("nft", "list", "tables")[1], "deny" in conf("export")[1]), (False, False), "and nothing is left")
    out_of("ip", "netns", "del", "green")


def group(path):
    os.makedirs("/sys/fs/cgroup" + path, exist_ok=True)


def in_group(path):
    write("0", "/sys/fs/cgroup" + path + "/cgroup.procs")


def protocol_in(path, family="inet"):
    return int(subprocess.run(("protocol", family), stdout=subprocess.PIPE, check=True, preexec_fn=lambda: in_group(path)).stdout)


def scopes():
    return {scope["name"]: scope for scope in json.loads(out_of("smc_bpf", "status", "-j"))["scopes"]}


def check_scope_errors():
    """A path that is not a control group, after valid ones. No other tool is needed to detect this."""
    group("/conf/d")
    out_of("mount", "-t", "tmpfs", "none", "/sys/fs/cgroup/conf/d")
    os.symlink("/run", "/sys/fs/cgroup/conf/d/outside")
    before = {name: scope.get("uid") for name, scope in scopes().items()}
    fails("smc.conf:4: '/conf/d/outside' .*control group; nothing was changed",
          "handshake-limit on\nscope /conf/a only ipv4\nscope /conf/c\nscope /conf/d/outside\n", "a scope that is refused")
    equal({name: scope.get("uid") for name, scope in scopes().items()}, before, "the other scopes are as they were, too")
    out_of("umount", "/sys/fs/cgroup/conf/d")
    os.makedirs("/run/alone", exist_ok=True)
    shutil.copy(shutil.which("smc_conf"), "/run/alone/smc_conf")
    write("scope /conf/b\n")
    equal(run("/run/alone/smc_conf", "apply", env={"PATH": "/nowhere"}), (0, "", ""), "without smc_bpf")
    equal(sorted(scopes()), ["/conf/a", "/conf/b"], "its scope is there")
    out_of("smc_bpf", "detach", "--cgroup", "/conf/b")


def check_scopes():
    if not shutil.which("smc_bpf"):
        skip("scopes", "smc_bpf was not built")
        return
    for path in ("/conf/a", "/conf/b", "/conf/c"):
        group(path)
    if run("smc_bpf", "check")[0]:
        fails("smc.conf:2: the kernel", "handshake-limit on\nscope /conf/a\n", "scopes where the kernel cannot")
        return
    write("scope /conf/a only ipv4 mptcp keep exclude-comm sshd\nscope /sys/fs/cgroup/conf/later\n")
    rules = "scope /conf/a only ipv4 mptcp keep exclude-comm sshd"
    equal(conf("diff"), (2, "+ %s\n" % rules, ""), "a scope: diff")
    waits = "smc_conf: %s:2: waits for its control group: scope /conf/later\n" % CONF
    equal(conf("check", CONF), (0, "", waits), "check: a group that is not there waits")
    equal(scopes(), {}, "nothing was changed")
    equal(conf("apply"), (0, "", waits), "apply")
    equal([protocol_in("/conf/a"), protocol_in("/conf/a", "inet6"), protocol_in("/conf/c")], [256, 6, 6], "its sockets are SMC sockets")
    equal(conf("diff"), (0, "", ""), "nothing is left to be done")
    ok("scope /conf/a only ipv4 mptcp keep exclude-comm sshd set %s:1" % CONF in " ".join(conf("show")[1].split()), "show", conf("show")[1])
    status, out, err = conf("diff", prefix=NOBODY)
    ok(status == 1 and not out and "Permission denied" in err, "users who may not see scopes get a message", (status, out, err))
    exported = conf("export")[1]
    ok(rules + "\n" in exported, "export has it", exported)
    equal(json.loads(conf("export", "-j")[1])["settings"][-1:], [{"setting": rules, "kind": "scope", "name": "/conf/a", "value": rules[14:]}],
          "in JSON, too")
    write("scope /conf/a\n")
    equal(conf("diff"), (2, "~ scope /conf/a # is only ipv4 mptcp keep exclude-comm sshd\n", ""), "other rules: diff")
    applies("scope /conf/a\n", "they are set")
    equal([protocol_in("/conf/a"), protocol_in("/conf/a", "inet6")], [256, 256], "and mean something else")
    check_scope_errors()
    group("/conf/later")
    applies("scope /conf/later\n", "a group that has come, and one that the file leaves alone")
    equal(sorted(scopes()), ["/conf/a", "/conf/later"], "both have a scope")
    group("/sys/fs/cgroup/conf/a")
    applies("exclusive scope\nscope /sys/fs/cgroup/sys/fs/cgroup/conf/a\n", "a group with a path that begins with the mount point")
    equal(sorted(scopes()), ["/sys/fs/cgroup/conf/a"], "it has the scope")
    applies("scope /conf/a\nscope /conf/later\n", "the others again")
    os.rmdir("/sys/fs/cgroup/conf/later")
    ok("/conf/later" not in conf("export")[1], "a group that has gone has none")
    applies("exclusive scope\n", "exclusive: they go")
    equal(scopes(), {}, "and nothing is left")


def check_watch():
    """Groups that are created later, with their parents, and again."""
    if not shutil.which("smc_bpf") or run("smc_bpf", "check")[0]:
        skip("scopes of groups that come later", "this kernel cannot")
        return
    write("scope /conf/a\nscope /conf/later/inner mptcp keep\n", "/run/watched")
    status, out, err = conf("watch", "/run/watched", prefix=NOBODY)
    ok(status == 1 and not out and "missing capabilities" in err, "watch: without rights", (status, out, err))
    with subprocess.Popen(("smc_conf", "watch", "/run/watched"), stderr=subprocess.PIPE, text=True) as watch:
        ok(wait_for(lambda: list(scopes()) == ["/conf/a"]), "watch: a group that is there", scopes())
        for name in ("one that comes with its parent", "one that comes again"):
            group("/conf/later/inner")
            ok(wait_for(lambda: scopes().get("/conf/later/inner", {}).get("state") == "empty"), "watch: " + name, scopes())
            equal((scopes()["/conf/later/inner"]["keep_mptcp"], protocol_in("/conf/later/inner")), (1, 256), "with its rules")
            for path in ("/conf/later/inner", "/conf/later"):
                os.rmdir("/sys/fs/cgroup" + path)
        for _ in range(50):
            group("/conf/later/inner")
            os.rmdir("/sys/fs/cgroup/conf/later/inner")
        group("/conf/later/inner")
        ok(wait_for(lambda: scopes().get("/conf/later/inner", {}).get("state") == "empty"), "watch: the last of many", scopes())
        equal(watch.poll(), None, "watch: goes on")
        watch.terminate()
        said = watch.stderr.read()
    ok(all("inner" in line for line in said.splitlines()), "watch: speaks only of groups that had gone at once", said)
    applies("exclusive scope\n", "they go")


def check_keep():
    """All settings become a file, and are undone."""
    shutil.rmtree("/etc/smc-tools")
    out_of("ip", "netns", "add", "blue")
    has_scopes = bool(shutil.which("smc_bpf")) and not run("smc_bpf", "check")[0]
    write("%seid A\nhandshake-limit on\n%s 131072\npnetid lab net lo\ndeny port 22\nnetns blue\n%s 90000\npnetid lab net lo\n"
          % ("scope /conf/a\n" if has_scopes else "", KNOB, KNOB), "/run/mine")
    equal(conf("apply", "/run/mine"), (0, "", ""), "all that there is")
    before, exported = state(), conf("export")[1]
    for verb in "keep", "reset":
        status, out, err = conf(verb, prefix=NOBODY)
        equal((status, out, err.count("\n")), (1, "", 1), verb + ": without rights")
    equal((state(), os.path.exists("/etc/smc-tools")), (before, False), "nothing was changed")
    status, out, err = conf("keep")
    ok((status, out, read(CONF)) == (0, "", exported) and re.fullmatch("smc_conf: %s .*systemd.*\n" % CONF, err), "keep", err)
    equal(conf("diff"), (0, "", ""), "what it wrote is what is set")
    equal(conf("reset"), (0, "", ""), "reset")
    equal((state()[:4], conf("export")[1]), (([], False, [], "65536"), EMPTY), "all is as the kernel begins")
    equal((knob(KNOB, "blue"), out_of("smc_pnet", "-N", "blue"), "smc-tools" in run("nft", "list", "tables")[1]), ("65536", "", False),
          "so in the other namespace, and with the policy")
    equal(conf("reset"), (0, "", ""), "reset again")
    equal((conf("apply"), conf("export")[1]), ((0, "", ""), exported), "the file has all of it")
    out_of("smc_conf", "reset")
    out_of("ip", "netns", "del", "blue")


def check_seid():
    if not HAS_SEID:
        fails("smc.conf:1: seid: .* only IBM Z", "seid on\n", "no system EID")
        applies("seid off\n", "one that is off is one that is not there")
        skip("the system EID", "only IBM Z has one")
        return
    applies("exclusive\nseid off\neid A\n", "the system EID is switched off after an EID is there")
    ok("[disabled]" in out_of("smcd", "seid"), "it is off")
    applies("exclusive\nseid off\neid B C D F\n", "other EIDs")
    ok("[disabled]" in out_of("smcd", "seid"), "it is still off")


check_no_nf_tables()
check_nothing()
check_apply()
check_left_alone()
check_exclusive()
check_half_way()
check_rights()
check_owners()
check_netns()
check_devices()
check_policy()
check_scopes()
check_watch()
check_keep()
check_seid()
# smc_setup plan, as the guest is running anyway; kernel/plan_r has more.
if doc("smcd", "-j", "device")["devices"]:
    fleet.check_namespaces(6)
    fleet.check_cookies()
else:
    skip("connections within one host", "this kernel has no loopback-ism")
done()
