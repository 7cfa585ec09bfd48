# SPDX-License-Identifier: MIT
"""smc_chk connect and serve between two guests over SMC-R, and its fallbacks to TCP. Guest 1 is the client."""
import json
import os
import re
import subprocess
import time

from kern import NODE, SERVES, done, equal, ok, read, run, status_of, sync, wait_for, write

PEER, PEER6, OWN = (os.environ["SMC_LAB_" + name] for name in ("PEER_IP", "PEER_IP6", "IP"))
NOTE, AGAIN = (os.environ["SMC_LAB_SHARED"] + name for name in ("/link-local", "/again"))


def gid(ip):
    return "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x" % tuple(map(int, ip.split(".")))


def check(*argv):
    status, out, err = run("smc_chk", "connect", "-j", *argv)
    return status, json.loads(out) if out else {"error": err}


def reasons(doc):
    """Own reason, the peer's reason, and the server's own reason."""
    return tuple(d.get(k, {}).get("symbol") for d, k in ((doc, "reason"), (doc, "peer_reason"),
                                                        (doc.get("server", {}), "reason")))


def check_smcr():
    status, doc = check(PEER)
    equal((status, doc.get("mode"), doc.get("version"), doc.get("eid"), doc.get("server")),
          (0, "SMCR", 2, "SMC-LAB-EID", {"is_smc_chk": True, "mode": "SMCR"}), "SMC-R")
    equal((doc["gid"], doc["peer_gid"], doc["ib_port"], doc["ib_device"][:3]), (gid(OWN), gid(PEER), 1, "rxe"),
          "SMC-R: device and GIDs")
    groups = [g["id"] for g in json.loads(run("smcr", "-j", "linkgroup")[1])["linkgroups"]]
    ok(doc.get("link_group") in groups, "SMC-R: link group as smcr shows it", (doc, groups))


def check_tcp():
    local = read(NOTE)
    for host in (PEER6, local + "%eth0"):
        status, doc = check(host)
        equal((status, doc.get("mode"), reasons(doc)), (2, "TCP", ("NOSMCDEV", None, "PEERDECL")),
              "IPv6, %s: no device for it" % ("scope id" if "%" in host else "global"))
    status, doc = check(PEER, "-p", "8080")
    equal((status, reasons(doc), doc.get("server")), (2, ("PEERNOSMC", None, None), {"is_smc_chk": False}),
          "peer without SMC: a web server")


def check_eid():
    status, doc = check(PEER)
    equal((status, doc.get("mode"), reasons(doc)), (2, "TCP", ("PEERDECL", "NOSMCDEV", "NOSMCDEV")), "no common EID")


def interrupted(name):
    """Guest 2 disturbs a test half way; its six measurements take 667 ms each.

    SMC is not affected if plain TCP is being measured at that moment: then repeat it at another time."""
    for last in (False, False, False, False, True):
        client = subprocess.Popen(["smc_chk", "connect", PEER, "--tcp-too", "-t", "20"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        sync("in the middle")
        out, err = client.communicate(timeout=120)
        write(AGAIN, "" if client.returncode or last else "again")
        sync("met")
        if client.returncode:
            break
    ok(client.returncode == 1 and not out and
       re.search("lost in the middle|stalls|cannot connect again|no answer from|kernel blocks", err), name, (client.returncode, out, err))


def client():
    sync("up")
    check_smcr()
    check_tcp()
    sync("same eid checked")
    with_eid("EID-OF-NODE-1")
    sync("eid")
    check_eid()
    sync("no common eid checked")
    with_eid("SMC-LAB-EID")
    sync("eid again")
    interrupted("device taken away from the server")
    sync("device back")
    ok(wait_for(lambda: check(PEER)[0] == 0), "server and device back: SMC-R again", check(PEER))
    run("rdma", "link", "delete", json.loads(run("rdma", "-j", "link")[1])[0]["ifname"])
    status, doc = check(PEER)
    equal((status, doc.get("mode"), reasons(doc)), (2, "TCP", ("NOSMCDEV", None, "PEERDECL")), "no device here")
    sync("end")


def with_eid(eid):
    subprocess.run(["smc-lab-eid", "flush"], check=True)
    subprocess.run(["smc-lab-eid", "add", eid], check=True)


def server():
    write(NOTE, re.search(r"fe80::[0-9a-f:]+", run("ip", "-6", "addr", "show", "eth0")[1]).group())
    ours = subprocess.Popen(["smc_chk", "serve"], stdout=subprocess.PIPE, text=True)
    web = subprocess.Popen(["python3", "-m", "http.server", "8080"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ok(ours.stdout.readline() == SERVES, "server")
    ok(wait_for(lambda: ":8080" in run("ss", "-ltn")[1]), "web server")
    sync("up")
    sync("same eid checked")
    with_eid("EID-OF-NODE-2")
    sync("eid")
    sync("no common eid checked")
    with_eid("SMC-LAB-EID")
    sync("eid again")
    again, wait = "again", 1.5
    while again:
        sync("in the middle")
        time.sleep(wait)
        run("ip", "link", "set", "eth0", "down")
        time.sleep(3)
        run("ip", "link", "set", "eth0", "up")
        sync("met")
        wait = wait + 0.3
        again = read(AGAIN)
    sync("device back")
    sync("end")
    ok(ours.poll() is None, "server lives", ours.poll())
    ours.terminate()
    equal(status_of(ours), 0, "server ends")
    web.kill()


os.environ["LC_ALL"] = "C"
client() if NODE == 1 else server()
done()
