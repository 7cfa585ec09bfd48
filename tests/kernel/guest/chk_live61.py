# SPDX-License-Identifier: MIT
"""smc_chk serve, connect and -l on a kernel whose SMC has no device: all of it ends in TCP, and the output shows that."""
import json
import subprocess

import chkfake
from kern import SERVES, done, equal, ok, run, status_of

IP = "127.0.0.1"


def sandboxed(*argv):
    result = subprocess.run(["smc_chk", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                            preexec_fn=chkfake.forbid_smc, timeout=300)
    return result.returncode, result.stdout, result.stderr


with subprocess.Popen(["smc_chk", "serve"], stdout=subprocess.PIPE, text=True) as server:
    equal(server.stdout.readline(), SERVES, "serve")
    for host in (IP, "::1"):
        status, out, err = run("smc_chk", "connect", "-j", host)
        doc = json.loads(out)
        equal((status, doc["mode"], doc["reason"]["symbol"], doc["server"]["reason"]["symbol"],
               doc["server"]["peer_reason"]["symbol"], doc["bytes"] > 300000),
              (2, "TCP", "NOSMCDEV", "PEERDECL", "NOSMCDEV", True), "connect %s: no device" % host)
    status, out, _ = run("smc_chk", "-l")
    ok(status == 2 and out.startswith("lo: TCP, not SMC: 127.0.0.1 ") and "\nTry: give the interface" in out,
       "-l: loopback, if there is nothing else", (status, out))
    status, out, err = sandboxed("connect", IP)
    ok(status == 3 and not err and out.startswith("Not tested: this kernel has SMC, but a system call filter forbids this process SMC sockets") and
       "  over TCP     127.0.0.1 port 37373 is reached\n" in out and " verified" in out,
       "sandbox: exit status 3, and TCP is tested", (status, out, err))
    for option in ("-S", "-l"):
        status, out, err = sandboxed(option)
        ok(status == 3 and not out and "a system call filter forbids this process SMC sockets" in err, "sandbox: " + option, (status, out, err))
    server.terminate()
    equal(status_of(server), 0, "serve: ends")
done()
