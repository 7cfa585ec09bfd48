# SPDX-License-Identifier: MIT
"""The PNET table of a real kernel: smc_pnet compared with the test's settings, soft-RoCE on lo."""
import json
import os
import re

from kern import HAS_SEID, NOBODY, done, equal, listing, ok, refuses, run, Sockets



def pnet(*argv, prefix=()):
    return run(*prefix, "smc_pnet", *argv)


def fine(*argv, prefix=()):
    """Output of a command that must succeed."""
    status, out, err = pnet(*argv, prefix=prefix)
    ok(status == 0 and not err, "works: smc_pnet " + " ".join(argv), (status, out, err))
    return out


def refused(pattern, *argv, prefix=()):
    refuses((*prefix, "smc_pnet", *argv), "^smc_pnet: .*" + pattern, "refused, '%s': smc_pnet %s" % (pattern, " ".join(argv)))


def table():
    return pnet()[1].splitlines()


def check_basics():
    equal(fine(), "", "the table begins empty")
    equal(fine("-a", "net1", "-I", "lo"), "", "-a says nothing")
    equal(table(), ["NET1 lo n/a 255"], "the PNET ID is in capitals")
    fine("-I", "eth0", "-a", "-D", "rxelo", "abcdefghij012345")
    equal(sorted(table()), ["ABCDEFGHIJ012345 eth0 n/a 255", "ABCDEFGHIJ012345 n/a rxelo 1",
                            "NET1 lo n/a 255"], "one request, two entries, all 16 characters")
    equal(fine("-s", "Net1"), "NET1 lo n/a 255\n", "-s in any case")
    equal(json.loads(fine("-j", "-s", "ABCDEFGHIJ012345"))["entries"],
          [{"pnetid": "ABCDEFGHIJ012345", "net_device": "eth0"},
           {"pnetid": "ABCDEFGHIJ012345", "ib_device": "rxelo", "ib_port": 1}], "-s -j")
    equal(fine("--show", prefix=NOBODY), "".join(l + "\n" for l in table()), "anybody may read")


def check_exists():
    refused("'lo' already .* NET1, .* table: Object exists", "-a", "NET1", "-I", "lo")
    refused("'lo' already .* NET1", "-a", "OTHER", "-I", "lo")
    refused("'rxelo' already .* ABCDEFGHIJ012345", "-a", "OTHER", "-D", "rxelo")
    refused("'rxelo' already .* ABCDEFGHIJ012345 for port 1", "-a", "ABCDEFGHIJ012345", "-D", "rxelo", "-P", "2")
    before = table()
    refused("'rxelo' already", "-a", "OTHER", "-I", "eth9", "-D", "rxelo")
    equal(table(), before, "nothing of it was done")


def check_rights():
    for argv in (("-a", "X", "-I", "eth9"), ("-d", "NET1"), ("-f",)):
        refused("Operation not permitted", *argv, prefix=NOBODY)
    equal(len(table()), 3, "and nothing happened")
    status, out, err = run("unshare", "-rn", "smc_pnet", "-f")
    ok(status == 1 and "Operation not permitted" in err, "root of a user namespace may not", (status, out, err))


def check_delete():
    refused("no entry .* NOSUCH: Object not found", "-d", "nosuch")
    equal(fine("-d", "abcdefghij012345"), "", "-d in any case")
    equal(table(), ["NET1 lo n/a 255"], "all entries of the PNET ID are gone")
    fine("-f")
    equal(table(), [], "-f empties the table")
    fine("-f")


def check_list():
    rows = {(d["type"], d["device"]): d for d in json.loads(fine("-l", "-j"))["devices"]}
    equal(rows[("ib", "rxelo")],
          {"type": "ib", "device": "rxelo", "port": 1, "state": "ACTIVE", "net_device": "lo",
           "link_layer": "Ethernet"}, "--list: rxelo before it has a PNET ID")
    fine("-a", "LOOP", "-D", "rxelo")
    fine("-a", "GONE", "-I", "eth9")
    status, out, err = pnet("--list")
    lines = [l.split() for l in out.splitlines()]
    ok(["LOOP", "ib", "rxelo", "1", "ACTIVE", "n/a", "n/a", "table", "lo"] in lines, "--list: rxelo", out)
    ok(["GONE", "net", "eth9", "n/a", "absent", "n/a", "n/a", "table", "n/a"] in lines, "--list: absent", out)
    ok(not status and re.fullmatch("smc_pnet: warning: no net device 'eth9': .*\n", err), "--list warns of it", err)
    fine("-f")
    for argv in (("base0", "type", "dummy"), ("link", "base0", "name", "base0.5", "type", "vlan", "id", "5")):
        status, _, err = run("ip", "link", "add", *argv)
        equal((status, err), (0, ""), "ip link add " + " ".join(argv))
    fine("-a", "VLAN", "-I", "base0.5")
    status, out, err = pnet("--list", "--tree")
    ok(status == 0 and "smc_pnet -a VLAN -I base0\n" in err, "warns of an entry for a device on a base device", err)
    fine("-a", "BASE", "-I", "base0")
    out = pnet("-l")[1]
    ok(["BASE", "net", "base0.5"] in [l.split()[:3] for l in out.splitlines()],
       "the base device's PNET ID counts", out)
    fine("-f")
    run("ip", "link", "del", "base0")


def check_suggest():
    equal(fine("--suggest"), "smc_pnet -a LO -I lo -D rxelo -P 1\n", "--suggest pairs lo with rxelo")
    equal(json.loads(fine("--suggest", "-j"))["entries"],
          [{"pnetid": "LO", "net_device": "lo", "ib_device": "rxelo", "ib_port": 1}], "--suggest -j")
    equal(table(), [], "and changes nothing")
    fine("-a", "MINE", "-I", "lo")
    equal(fine("--suggest"), "smc_pnet -a MINE -D rxelo -P 1\n", "it takes a PNET ID that is there")
    fine("-f")
    equal(fine("--suggest", "--apply"), "smc_pnet -a LO -I lo -D rxelo -P 1\n", "--apply")
    equal(sorted(table()), ["LO lo n/a 255", "LO n/a rxelo 1"], "does it")
    out = fine("--list", "--tree")
    equal([l for l in out.splitlines() if "link group" in l], [], "--tree: no link group yet")
    with Sockets("smc4:pair:127.0.0.1") as made:
        tree = fine("--list", "--tree").splitlines()
        mode = {s["mode"] for s in listing() if s["inode"] in [m["inode"] for m in made.all]}
    place = [i for i, l in enumerate(tree) if "- ib rxelo port 1 " in l][0]
    groups = [l for l in tree if "link group" in l]
    ok(mode == {"SMCR"} and len(groups) == 2 and set(groups) == set(tree[place + 1:place + 3]) and
       all(re.match(r" {6}[%s]- SMC-R link group [0-9a-f]{8} link 1 \(1 connection\)$" % mark, l)
           for mark, l in zip("|`", groups)),
       "--tree: both ends' link groups below the port", (mode, tree))
    ok("LO\n`- net lo (unknown, table)\n   `- ib rxelo port 1 (ACTIVE, table)\n" in out, "--tree: rxelo below lo", out)


def check_netns():
    run("ip", "netns", "add", "other")
    equal(fine("-N", "other"), "", "-N: another table")
    fine("-a", "THERE", "-I", "eth7", "-N", "other")
    equal(fine("-N", "other"), "THERE eth7 n/a 255\n", "-N: its entry")
    ok("THERE eth7 n/a 255" not in table(), "which is not in ours", table())
    devices = {d["device"] for d in json.loads(fine("-l", "-j", "-N", "other"))["devices"] if d["type"] == "net"}
    equal(devices, {"lo", "eth7"}, "-l -N: the devices of that namespace")
    refused("initial network namespace", "-a", "X", "-D", "mlx5_0", "-N", "other")
    refused("'eth8' .* HALF now.* not keep 'rxelo': .*initial", "-a", "HALF", "-I", "eth8", "-D", "rxelo", "-N", "other")
    equal(sorted(fine("-N", "other").splitlines()), ["HALF eth8 n/a 255", "THERE eth7 n/a 255"], "what it kept is there")
    refused("Operation not permitted", "-N", "other", prefix=NOBODY)
    fine("-f", "-N", "other")
    ok(table(), "-f -N leaves ours alone")
    fine("-f")


def check_rnics():
    status, out, err = run("smc_rnics", "-w")
    rows = [l.split() for l in out.splitlines() if "---" not in l]
    equal((status, err), (0, ""), "smc_rnics")
    shown = json.loads(run("smc_rnics", "-j")[1])["rnics"][0].get("active_mtu")
    ok(shown in (256, 512, 1024, 2048, 4096), "smc_rnics -j: the active MTU by libibverbs", shown)
    mtu = open("/sys/class/net/lo/mtu", encoding="ascii").read().strip()
    equal(rows[1:], [["n/a"] * 4 + ["Soft-RoCE", "n/a", "n/a", "1", "n/a", "lo", "rxelo", "ACTIVE", "Ethernet",
                                    mtu, str(shown), "rxe"]], "smc_rnics: rxelo")
    uverbs = ["/dev/infiniband/" + n for n in os.listdir("/dev/infiniband") if n.startswith("uverbs")]
    for node in uverbs:
        os.chmod(node, 0o600)
    status, out, err = run(*NOBODY, "smc_rnics", "-j")
    row = json.loads(out)["rnics"][0]
    ok((status, err) == (0, "") and uverbs and "active_mtu" not in row and row["ib_device"] == "rxelo",
       "smc_rnics: without the permission only the active MTU is absent", (status, out, err))
    for node in uverbs:
        os.chmod(node, 0o666)
    fine("-a", "SOFT", "-D", "rxelo")
    row = json.loads(run("smc_rnics", "-j")[1])["rnics"][0]
    equal((row["pnetid"], row["pnetid_source"], row["net_device"]), ("SOFT", "table", "lo"),
          "smc_rnics: a PNET ID of the table")
    fine("-f")
    status, out, err = run("unshare", "-n", "sh", "-c", "ip link set lo mtu 9000 && exec smc_rnics -j")
    ok((status, err) == (0, "") and [r.get("mtu") for r in json.loads(out)["rnics"]] == [9000],
       "smc_rnics in another network namespace: devices of that, whatever /sys shows", (status, out, err))
    status, out, err = run("smc_rnics", "-e", "12")
    why = "no FID 12" if HAS_SEID else "only on IBM Z"
    ok(status == 1 and not out and err.count("\n") == 1 and why in err, "smc_rnics -e without such a device",
       (status, out, err))


check_rnics()
check_basics()
check_exists()
check_rights()
check_delete()
check_list()
check_suggest()
check_netns()
done()
