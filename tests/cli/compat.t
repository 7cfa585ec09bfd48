#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Words, columns and statuses that scripts for smc-tools 1.8.5 rely on, over a recorded host."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorded import BUILD, ROOT, done, needs, new_directory, ok, run, unpack
sys.path.insert(0, ROOT + "/tests/kernel/guest")
sys.dont_write_bytecode = True
from terminal import on_terminal

# Headers of smc-tools 1.8.5, each with the first column of every field, counted from 1 as cut(1) does.
HEADERS = {
    "smcss -a": "State          UID   Inode   Local Address           Peer Address            Intf Mode",
    "smcss -d": "State          UID   Inode   Local Address           Peer Address            Intf Mode "
                "Shutd Token    Sndbuf   Rcvbuf   Peerbuf  rxprod-Cursor rxcons-Cursor rxFlags txprod-Cursor "
                "txcons-Cursor txFlags txprep-Cursor txsent-Cursor txfin-Cursor",
    "smcss -R": "State          UID   Inode   Local Address           Peer Address            Intf Mode "
                "Role IB-device       Port Linkid GID                                      Peer-GID",
    "smcss -D": "State          UID   Inode   Local Address           Peer Address            Intf Mode "
                "GID              Token            Peer-GID         Peer-Token       Linkid",
    "smcr device": "Net-Dev         IB-Dev   IB-P  IB-State  Type          Crit  #Links  PNET-ID",
    "smcr -d device": "Net-Dev         IB-Dev   IB-P  IB-State  Type          Crit   FID   PCI-ID        PCHID  #Links  "
                      "PNET-ID",
    "smcr linkgroup": "LG-ID    LG-Role  LG-Type  VLAN  #Conns  PNET-ID",
    "smcr linkgroup show all": "LG-ID    LG-Role  LG-Type  VLAN  #Conns  PNET-ID",
    "smcr linkgroup link-show": "LG-ID    LG-Role  LG-Type  Net-Dev         Link-State      #Conns",
    "smcr -d linkgroup link-show": "LG-ID    LG-Role  LG-Type  Net-Dev         Link-State      #Conns  Link-UID  Peer-UID  "
                                   "IB-Dev    IB-P",
    "smcr -dd l l": "LG-ID    LG-Role  LG-Type  Net-Dev         Link-State      #Conns  Link-UID  Peer-UID  IB-Dev    "
                    "IB-P  Local-GID                                 Peer-GID",
    "smcd linkgroup": "LG-ID    VLAN  #Conns  PNET-ID",
}

# Shell commands, with the output of smc-tools 1.8.5 on a host like this one.
ONE_LINERS = (
    # smcss: by field, by column, by word
    ("smcss | awk 'NR > 1 && $NF ~ /^SMC[RD]$/ { n++ } END { print n + 0 }'", "3"),
    ("smcss | awk '$7 == \"SMCR\" { print $4, $5 }'", "10.99.0.1:39576 10.99.0.2:7003"),
    ("smcss | awk '$1 == \"ACTIVE\" && $7 == \"TCP\" { print $8 }' | sort | uniq -c | awk '{ print $1, $2 }'", "2 0x03010000"),
    ("smcss | grep -c ^ACTIVE", "5"),
    ("smcss | grep -cw SMCD", "2"),
    ("smcss -l | tail -n +2 | awk '{ print $4 }' | grep -o '[0-9]*$' | sort -n | tr '\\n' ' '", "7001 7002 7005 "),
    ("smcss -l | cut -c30-52 | sed 's/ *$//' | head -n 2", "Local Address\n127.0.0.1:7002"),
    ("smcss -a | cut -c1-14 | sort | uniq -c | awk '{ print $1, $2 }'", "5 ACTIVE\n2 INIT\n3 LISTEN\n1 State"),
    ("smcss | cut -c83- | grep -c SMC", "3"),
    ("smcss | cut -c16-20 | sort -u", "00000\nUID  "),
    ("smcss -aR | awk '$1 == \"LISTEN\"' | wc -l", "3"),
    ("smcss -aD | awk '$1 == \"LISTEN\" || $1 == \"INIT\"' | wc -l", "4"),
    ("smcss -R | awk 'NR == 2 { print $8, $9, $10, $11 }'", "CLNT rxe0 01 01"),
    ("smcss -D | awk 'NR > 1 { print $NF }' | sort", "00000100\n00000200"),
    ("smcss -d | awk '$7 == \"SMCR\" { print $10, $11 }'", "00010000 00010000"),
    # link groups, links, devices
    ("smcr linkgroup | awk 'NR > 1 { print $1, $2, $3, $4, $5, $6 }'", "00000300 CLNT SINGLE 0 1 NET2"),
    ("smcr linkgroup | cut -c28-31,34-39,42-57 | tail -n 1", "   0     1NET2"),
    ("smcr l 300 | tail -n +2 | wc -l", "1"),
    ("smcr l 0x301 | tail -n +2 | wc -l", "1"),
    ("smcr l l | awk '/LINK_ACTIVE/ { print $4 }'", "eth0"),
    ("smcr -d l l | awk 'NR > 1 { print $9, $10 }'", "rxe0 1"),
    ("smcr -dd l l | cut -c88-95,98-101 | tail -n 1", "rxe0       1"),
    ("smcr -d l | awk -F ' *: ' '$1 == \"Peer-OS\" { print $2 }'", "LINUX"),
    ("smcd linkgroup | awk 'NR > 1 { s += $3 } END { print s }'", "2"),
    ("smcd -d linkgroup | grep -c '^DMB '", "2"),
    ("smcr device | awk 'NR > 1 && $4 == \"ACTIVE\" { print $1, $2, $3, $6, $7, $8 }'", "eth0 rxe0 1 Yes 1 *NET2"),
    ("smcr dev netdev eth0 | cut -c32-39 | tail -n 1", "  ACTIVE"),
    # empty tables print nothing
    ("smcd device | awk '$3 ~ /:/' | wc -l", "0"), # PCI devices: 1.8.5 shows no loopback device
    ('[ -z "$(smcr linkgroup 999)" ] && echo none', "none"),
    ('[ -z "$(smcr device ibdev none)" ] && echo none', "none"),
    ('[ -z "$(smcr -d linkgroup 999)" ] && echo none', "none"),
    # statistics, capabilities, EIDs
    ("smcr stats | awk '/SMC connections/ { print $3 }'", "1"),
    ("smcr -a stats | awk '/TCP fallback/ { print $3 }'", "3"),
    ("smcr -d stats | awk '$1 == \"PEER_NO_SMC\" { s += $2 } END { print s }'", "2"),
    ("smcr -d stats | grep -c '^  Reqs '", "2"),
    ("smcr stats | sed -n 's/^  Total connections handled *//p'", "4"),
    ("smcr info | awk -F ': *' '/^SMC Version/ { print $2 }'", "2.1"),
    ("smcd info | grep -c 'v1 v2'", "2"),
    ("smcd ueid show | awk '{ print $1 }'", "SMC-LAB-EID"),
    # the PNET table
    ("smc_pnet | awk '$2 != \"n/a\" { print $1, $2 }'", "NET1 lo\nNET3 eth1"),
    ("smc_pnet -s NET2 | cut -d' ' -f3,4", "rxe0 1"),
    ("smc_pnet -s net2 | wc -l", "1"),
    ("smc_pnet | grep -c ' 255$'", "2"),
    ("smc_pnet -s NOSUCH && echo \"absent: $(smc_pnet -s NOSUCH | wc -l)\"", "absent: 0"),
    # RDMA cards
    ("smc_rnics | tail -n +3 | awk '{ print $NF }'", "eth0"),
    ("smc_rnics -I | tail -n +3 | awk '{ print $9, $10 }'", "NET2* rxe0"),
    # versions
    ("for t in smc_run smcss smcd smcr smc_pnet smc_rnics smc_chk; do $t -v; done | sed 's/-[0-9.]*$//' | sort -u | wc -l", "7"),
    ("smcss -v | grep -o '[0-9.]*$' | { cat; echo 1.8.5; } | sort -V | head -n 1", "1.8.5"),
    ("smcr -v | awk '{ print $1, $2 }'", "smcr utility,"),
)

STATS_KEYS = (
    ["SMC_%s_%s_BUF_%s" % (what, way, size) for what in ("INT", "USR") for way in ("TX", "RX")
     for size in "8K 16K 32K 64K 128K 256K 512K 1024K G_1024K".split()] +
    ["SMC_INT_%s_BUF_%s_CNT" % (way, what) for way in ("TX", "RX")
     for what in "SIZE_SM_PEER SIZE_SM FULL_PEER FULL REUSE ALLOC DGRADE".split()] +
    "SMC_CLNT_V1_SUCC_CNT SMC_CLNT_V2_SUCC_CNT SMC_SRV_V1_SUCC_CNT SMC_SRV_V2_SUCC_CNT SMC_SENDPAGE_CNT "
    "SMC_URG_DATA_CNT SMC_SPLICE_CNT SMC_CORK_CNT SMC_NDLY_CNT SMC_RX_BYTES SMC_TX_BYTES SMC_RX_CNT SMC_TX_CNT "
    "SMC_RX_RMB_USAGE SMC_TX_RMB_USAGE".split())


def shell(command, env):
    result = subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True, timeout=60, check=False)
    return result.stdout.rstrip("\n"), result


def check_version():
    with open(ROOT + "/VERSION", encoding="ascii") as file:
        version = file.read().strip()
    ok([int(n) for n in version.split(".")] > [1, 8, 5], "the version follows 1.8.5, for packages and scripts that compare", version)
    for path, line in (("debian/changelog", "smc-tools (%s-1) "), ("rpm/smc-tools.spec", "Version:        %s\n")):
        with open(ROOT + "/packaging/" + path, encoding="utf-8") as file:
            ok(line % version in file.read(), "packages have it: " + path)


def check_tables(env):
    for command, header in HEADERS.items():
        status, out, err = run(command.split(), env)
        first = out.decode().split("\n", 1)[0]
        ok((status, first, err) == (0, header, b""), "columns: " + command, (status, out, err, header))
    for command, want in ONE_LINERS:
        out, result = shell(command, env)
        ok(out == want.rstrip("\n") and not result.stderr, command, "got: %r\nwant: %r\n%s" % (out, want, result.stderr))


def check_states(env):
    """smcss: fields where other fields end early."""
    _, out, _ = run(["smcss", "-a"], env)
    rows = [line.split() for line in out.decode().splitlines()[1:]]
    ok(all(len(row) == 3 for row in rows if row[0] == "INIT" and len(row) < 7), "INIT ends after the inode", rows)
    ok(all(len(row) == 4 for row in rows if row[0] == "LISTEN"), "LISTEN ends after the local address", rows)
    ok(all(re.fullmatch("[0-9]{5}", row[1]) and re.fullmatch("[0-9]{7}", row[2]) for row in rows),
       "numbers have their zeros in front", rows)


def check_json(env):
    for name in "smcr", "smcd":
        _, out, _ = run([name, "stats", "json"], env)
        doc = json.loads(out)
        ok(list(doc) == [name.upper()] and list(doc[name.upper()]) == STATS_KEYS and out.count(b"\n") == 1,
           name + " stats json: one line, 65 numbers in their order", out)


def check_words(env):
    """Names are the same in each tool, in tables and with -d. Reasons spelled differently in 1.8.5 have a number, too."""
    lines = [shell(command, env)[0] for command in (
        "smcr device | awk 'NR > 1 { print $5 }'", "smcr -d device | awk 'NR > 1 { print $5 }'", "smc_rnics | awk 'NR > 2 { print $5 }'")]
    ok(lines == ["Soft-RoCE"] * 3, "the type of a device", lines)
    lines = [shell(command, env)[0] for command in (
        "smcd linkgroup | cut -c23- | tail -n +2 | sort -u", "smcd -d linkgroup | sed -n 's/^PNET-ID *: *//p' | sort -u")]
    ok(lines == ["", ""], "a PNET ID that there is not is blank", lines)
    lines = [shell(command, env)[0] for command in (
        "smcr -d stats | awk '/PEER_NO_SMC/ { print $3 }' | tr -d '()' | sort -u", "smcss | awk '$8 ~ /0x0301/ { print $8 }' | sort -u",
        "smc_chk explain PEERNOSMC | head -n 1 | cut -d' ' -f1")]
    ok(lines == ["0x03010000"] * 3, "the number of a reason", lines)


def check_terminal(env):
    env = dict(env, TERM="dumb")
    seen = on_terminal(["smcr", "linkgroup", "999"], env)[1]
    ok("no link groups" in seen and HEADERS["smcr linkgroup"] not in seen, "a person sees a sentence for an empty table", seen)
    seen = on_terminal(["smcd", "device"], env)[1]
    ok("loopback" in seen, "a person sees the loopback device", seen)
    for words in ("device", "device all", "-d device"):
        _, out, _ = run(["smcd", *words.split()], env)
        ok("loopback" in out.decode(), "smcd %s: so does a script" % words, out)
    _, out, _ = run(["smcd", "-j", "device"], env)
    ok(b"loopback" in out, "in JSON, too", out)


def main():
    needs("compat")
    with new_directory() as directory:
        env = {"SMC_TOOLS_ROOT": unpack(directory), "PATH": BUILD + ":" + os.environ["PATH"], "LC_ALL": "C", "HOME": "/"}
        check_version()
        check_tables(env)
        check_states(env)
        check_json(env)
        check_words(env)
        check_terminal(env)
    done()


main()
