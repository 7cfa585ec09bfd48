# SPDX-License-Identifier: MIT
"""smcd and smcr in one guest with SMC-D (loopback-ism), or with no device at all (kernel 6.1)."""
import json
import os
import re
import socket
import subprocess
import sys

from kern import HAS_SEID, NOBODY, doc, done, equal, listing, ok, out_of, refuses, run
from terminal import on_terminal

HAS_LOOPBACK = subprocess.run(["smcd", "-j", "info"], capture_output=True, text=True,
                              check=True).stdout.find('"loopback":true') >= 0
CONNECTIONS = 3
SIZE = 5000


def lines(*argv):
    return [line.split() for line in out_of(*argv).splitlines()]


def words(*argv):
    """Output on a terminal."""
    status, text = on_terminal(argv, dict(os.environ, NO_COLOR="1"))
    return text.split() if not status else status


def check_empty():
    """cli/compat and cli/smcd have the texts."""
    equal(doc("smcr", "-j", "linkgroup"), {"schema": "smc-tools/smcr-linkgroup/1", "linkgroups": []},
          "no link group: an empty array")
    equal(doc("smcr", "-j", "linkgroup", "link-show")["links"], [], "no link: an empty array")
    equal(doc("smcr", "--json", "device")["devices"], [], "smcr device: an empty array")
    said = " ".join(words("smcr", "linkgroup"))
    ok("no link" in said and "LG-ID" not in said, "a terminal shows a sentence", said)
    equal(out_of("smcd", "device").count("\n"), 2 if HAS_LOOPBACK else 0, "smcd device: loopback, where it is")


def check_info():
    info = doc("smcd", "-j", "info")
    release = 0 if os.uname().release.startswith("6.1.") else 1
    equal((info["version"], info["release"]), (2, release), "info: version")
    equal(info["smcr_versions"], [1, 2], "info: SMC-R versions")
    equal((info["ism_devices"], info["roce"]), (0, False), "info: no listed device")
    text = out_of("smcr", "info", "show")
    ok("SMC Version:      2.%d\n" % release in text and "RoCE:             n/a\n" in text and
       ("ISM:              v2 loopback\n" if HAS_LOOPBACK else "ISM:              n/a\n") in text,
       "info: text", text)


def check_ueid():
    out_of("smcd", "ueid", "flush")
    equal(out_of("smcd", "ueid"), "", "no EID: nothing")
    equal(doc("smcd", "-j", "ueid", "show"), {"schema": "smc-tools/smcd-ueid/1", "ueids": []},
          "no EID: an empty array")
    names = ["A", "MY-EID.1", "Z" * 32, "0.1"]
    for name in names:
        equal(out_of("smcr", "ueid", "add", name), "", "add EID " + name)
    equal(sorted(out_of("smcd", "u").split()), sorted(names), "they are listed")
    equal(sorted(doc("smcr", "u", "s", "-j")["ueids"]), sorted(names), "and so in JSON")
    equal(sorted(out_of("smc-lab-eid", "show").split()), sorted(names), "and the kernel has them")
    refuses(["smcd", "ueid", "add", "B"], "table is full", "a fifth EID: the table is full")
    out_of("smcd", "ueid", "del", "0.1")
    refuses(["smcd", "ueid", "add", "A"], "already defined", "an EID twice")
    refuses(["smcd", "ueid", "del", "0.1"], "not defined", "delete what is not there")
    refuses([*NOBODY, "smcd", "ueid", "add", "B"], "needs CAP_NET_ADMIN in the initial user namespace",
           "add without rights")
    refuses([*NOBODY, "smcd", "ueid", "del", "A"], "Operation not permitted", "delete without rights")
    refuses([*NOBODY, "smcd", "ueid", "flush"], "Operation not permitted", "flush without rights")
    refuses(["unshare", "-Ur", "smcd", "ueid", "flush"], "initial user namespace",
           "flush in a user namespace")
    equal(len(out_of(*NOBODY, "smcd", "ueid").split()), 3, "everybody may read")
    for name in names[:3]:
        status, out, err = run("smcd", "ueid", "del", name)
        is_noted = HAS_SEID and name == names[2]
        equal((status, out, err.count("\n"), err.count("system EID")), (0, "", is_noted, is_noted), "the last one deleted is a success: " + name)
    equal(out_of("smcd", "ueid"), "", "none is left")
    out_of("smcd", "ueid", "add", "SMC-LAB-EID")


def check_seid():
    equal(doc("smcd", "-j", "seid")["available"], HAS_SEID, "seid in JSON")
    refuses(["smcr", "seid"], "use smcd", "smcr seid: a hint")
    if not HAS_SEID:
        equal(out_of("smcd", "seid"), "n/a\n", "seid: n/a off IBM Z")
        refuses(["smcd", "seid", "enable"], "only IBM Z", "seid enable: why not, on stderr")
        return
    # Disabled at the end: it would take precedence over the user EID.
    for word in "disable", "enable", "disable":
        equal(out_of("smcd", "seid", word), "", "seid %s" % word)
        text = out_of("smcd", "seid")
        ok(re.fullmatch("IBM-SYSZ-ISMSEID[0-9A-F]{16} \\[%sd\\]\n" % word, text), "seid %s: shown" % word, text)


def check_hs():
    for word, state in (("enable", True), ("disable", False)):
        out_of("smcr", "hs", word)
        equal((doc("smcd", "-j", "hs")["enabled"], out_of("smcr", "hs")),
              (state, "Handshake limitation: %sd\n" % word), "hs " + word)
        path = "/proc/sys/net/smc/limit_smc_hs"
        # The kernel takes a bool for an int there.
        if os.path.exists(path) and sys.byteorder == "little":
            equal(open(path).read().strip(), str(int(state)), "hs %s: the sysctl agrees" % word)
    refuses([*NOBODY, "smcd", "hs", "enable"], "CAP_NET_ADMIN", "hs enable without rights")


def check_groups():
    groups = doc("smcd", "-j", "linkgroup")["linkgroups"]
    equal((len(groups), sum(g["connections"] for g in groups)), (2, 2 * CONNECTIONS),
          "loopback: two link groups share both ends of all connections")
    group = groups[0]
    equal((group["eid"], group["peer_os"], group["chid"], group["version"]),
          ("SMC-LAB-EID", "LINUX", 0xffff, 2), "what they agreed on")
    row = [s for s in listing() if s["mode"] == "SMCD"][0]["smcd"]
    equal({g["gid"][2:] for g in groups}, {row["gid"][-16:]}, "GID as sock_diag has it")
    equal(lines("smcd", "linkgroup")[1:], [[g["id"], "0", str(g["connections"])] for g in groups], "the table")
    equal(len(lines("smcd", "linkgroup", groups[1]["id"])[1:]), 1, "by number")
    blocks = out_of("smcd", "-d", "linkgroup").split("\n\n")
    equal(len(blocks), 2, "details: one block each")
    fields = dict((l.split(":", 1)[0].strip(), l.split(":", 1)[1].strip())
                  for l in blocks[0].strip().splitlines())
    equal((fields["LG-ID"], fields["EID"], fields["#Conns"], fields["GID"], fields["CHID"],
           fields["DMB"]),
          (group["id"], group["eid"], str(group["connections"]), group["gid"][2:], "ffff (loopback)",
           "%d B" % group["dmb_bytes"]), "details: their values are those of JSON")


def check_device():
    want = ["-", "loopback", "-", "ffff", "Yes", "2"]
    equal(lines("smcd", "device", "all")[1:], [want], "loopback is shown though the kernel does not list it")
    equal(doc("smcd", "-j", "device")["devices"],
          [{"type": "loopback", "pchid": 0xffff, "in_use": True, "linkgroups": 2}], "loopback in JSON")


def number(text, label):
    found = re.search("^ +" + re.escape(label) + r" +([0-9.]+|n/a)", text, re.M)
    return found.group(1) if found else None


def check_stats(sent):
    stats = doc("smcd", "-j", "-a", "stats")
    equal(stats["connections"], {"client_v1": 0, "client_v2": CONNECTIONS, "server_v1": 0,
                                 "server_v2": CONNECTIONS}, "stats: connections")
    equal((stats["tx"]["bytes"], stats["rx"]["bytes"]), (sent, sent), "stats: bytes")
    text = out_of("smcd", "-ad", "stats", "show")
    equal([number(text, l) for l in ("SMC connections", "v2", "Data transmitted (Bytes)", "TCP fallback")],
          [str(2 * CONNECTIONS), str(2 * CONNECTIONS), str(sent), "1"], "stats: text")
    equal(number(text, "PEER_NO_SMC"), "1", "stats -d: the reason of the fallback")
    equal(stats["client"]["reasons"], [{"code": "0x03010000", "symbol": "PEERNOSMC", "count": 1}],
          "stats: the reason in JSON")
    compat = doc("smcd", "stats", "json")
    equal((list(compat), len(compat["SMCD"]), compat["SMCD"]["SMC_TX_BYTES"]), (["SMCD"], 65, sent),
          "stats json: the document of smc-tools")
    equal(doc("smcr", "-j", "stats")["connections"]["client_v2"], 0, "smcr stats: nothing on SMC-R")


def check_reset(sent, connection):
    usage = doc("smcd", "-j", "stats")["rx"].get("buffer_usage_bytes")
    for options in (["stats", "reset"], ["-j", "stats", "reset"]):
        with open("/dev/full", "w", encoding="ascii") as full:
            lost = subprocess.run(["smcd", *options], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        ok(lost.returncode == 1 and "cannot write" in lost.stderr and
           doc("smcd", "-j", "stats")["since_reset"] is False, "reset: a lost report resets nothing", lost)
    text = out_of("smcd", "stats", "reset")
    equal(number(text, "SMC connections"), str(2 * CONNECTIONS), "reset prints what was")
    zero = doc("smcd", "-j", "stats")
    equal((zero["since_reset"], zero["tx"]["bytes"], zero["client"]["reasons"]), (True, 0, []),
          "after reset: nothing yet")
    equal(zero["rx"].get("buffer_usage_bytes"), usage, "after reset: a gauge stays a gauge")
    equal(doc("smcd", "-j", "-a", "stats")["tx"]["bytes"], sent, "-a: since the beginning")
    equal(doc("smcr", "-j", "stats")["since_reset"], False, "the other tool has its own baseline")
    out, inn = connection
    out.sendall(b"y" * 777)
    inn.recv(777, socket.MSG_WAITALL)
    equal(doc("smcd", "-j", "stats")["tx"]["bytes"], 777, "after reset: what came since")
    directory = "/run/smc-tools"
    names = os.listdir(directory)
    mode = (os.stat(directory).st_mode & 0o777, os.stat(directory + "/" + names[0]).st_mode & 0o777)
    equal((len(names), mode), (1, (0o700, 0o600)), "the baseline is ours alone")
    path = directory + "/" + names[0]
    with open(path, "rb") as file:
        good = file.read()
    for what, content in (("garbage", b"x" * len(good)), ("empty", b""), ("cut", good[:500])):
        with open(path, "wb") as file:
            file.write(content)
        status, out, err = run("smcd", "-j", "stats")
        ok(status == 0 and json.loads(out)["tx"]["bytes"] == sent + 777 and err.count("\n") == 1,
           "a baseline that is %s is not a failure" % what, (status, out, err))
    os.unlink(path)
    os.symlink("/etc/passwd", path)
    status, out, err = run("smcd", "-j", "stats")
    ok(status == 0 and json.loads(out)["since_reset"] is False, "a link in its place is not followed", err)
    status, text = on_terminal(["smcd", "stats", "reset"])
    ok(not status and re.match("smcd: .* from zero; -a .* beginning$", text.splitlines()[-1]), "reset over a link; on a terminal it says since when numbers are", text)
    ok(not os.path.islink(path), "reset puts a file there", path)
    out_of("ip", "netns", "add", "fresh")
    equal(doc("smcd", "-j", "-N", "fresh", "stats")["since_reset"], False,
          "another namespace has its own baseline")
    equal(doc("smcd", "-ja", "-N", "fresh", "stats")["tx"]["bytes"], 0, "-N: its own numbers")
    os.chmod(directory, 0o777)
    status, out, err = run("smcd", "stats", "reset")
    ok(status == 1 and number(out, "SMC connections") and "not trusted" in err,
       "a directory that others may write is refused", err)
    os.chmod(directory, 0o700)


def check_metrics():
    metrics = out_of("smcd", "--metrics", "stats")
    stats = doc("smcd", "-ja", "stats")
    ok('smc_transmit_bytes_total{tech="smcd"} %d\n' % stats["tx"]["bytes"] in metrics,
       "--metrics: bytes", metrics)
    ok('smc_fallback_reasons_total{side="client",code="0x03010000",reason="PEER_NO_SMC"} 1\n' in metrics,
       "--metrics: reasons", metrics)
    name = re.compile(r'^[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? \d+$')
    equal([l for l in metrics.splitlines() if l[0] != "#" and not name.match(l)], [], "--metrics: each line is a sample")

def connect():
    """A connection within this process: SMC, as the script runs under smc_run."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        return client, listener.accept()[0]


def fall_back():
    """A connection to a program without SMC."""
    code = ("import socket\nl=socket.create_server(('127.0.0.1',0))\n"
            "print(l.getsockname()[1],flush=True)\nc,_=l.accept()\nc.recv(1)")
    env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    server = subprocess.Popen(["python3", "-c", code], stdout=subprocess.PIPE, text=True, env=env)
    with socket.create_connection(("127.0.0.1", int(server.stdout.readline()))) as client:
        client.sendall(b"x")
    server.wait()


def main():
    if "LD_PRELOAD" not in os.environ:
        os.execvp("smc_run", ["smc_run", "--quiet", "python3", "-B", __file__])
    check_empty()
    check_info()
    check_ueid()
    check_seid()
    check_hs()
    fall_back()
    if not HAS_LOOPBACK:
        stats = doc("smcr", "-j", "stats")
        equal((stats["client"]["fallbacks"], stats["client"]["reasons"]),
              (1, [{"code": "0x03010000", "symbol": "PEERNOSMC", "count": 1}]), "stats: the fallback")
        equal("buffer_usage_bytes" in stats["rx"], False, "what this kernel does not count is left out")
        equal(number(out_of("smcr", "stats"), "Buffer usage (Bytes)"), "n/a", "and n/a in text")
        equal(out_of("smcd", "device", "all"), "", "no loopback here")
        done()
    pairs = [connect() for _ in range(CONNECTIONS)]
    for out, inn in pairs:
        out.sendall(b"x" * SIZE)
        inn.recv(SIZE, socket.MSG_WAITALL)
    sent = CONNECTIONS * SIZE
    check_groups()
    check_device()
    check_stats(sent)
    check_reset(sent, pairs[0])
    check_metrics()
    done()


main()
