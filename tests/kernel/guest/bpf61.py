# SPDX-License-Identifier: MIT
"""A kernel without the hook: a message, and the preload library."""
import os
import shutil
import sys

from kern import done, equal, ok, run, skip

PROGRAMS = sys.argv[1]
IDENTITY = ("python3", "-c", "import socket; print(socket.socket().getsockopt(1, 38))")
if shutil.which("smc_bpf"):
    status, out, err = run("smc_bpf", "attach", "--run")
    equal((status, out), (1, ""), "smc_bpf attach fails")
    ok(err.count("\n") == 1 and "no update_socket_protocol(): that is Linux 6.6 or later" in err, "with one sentence", err)
    equal(os.listdir("/sys/fs/bpf"), [], "and leaves nothing behind")
else:
    skip("smc_bpf attach fails", "it was not built")
status, out, err = run("smc_run", "--bpf", "-d", *IDENTITY)
ok(status == 0 and "no eBPF for 'python3': no IPPROTO_SMC" in err and "preloading instead" in err, "smc_run --bpf says why not", err)
ok("-> AF_SMC" in err, "and preloads", err)
status, out, err = run("smc_run", "--bpf", "--strict", *IDENTITY)
equal((status, out, err.count("\n")), (125, "", 1), "smc_run --bpf --strict does not start the command")
static = PROGRAMS + "/sockets-static"
status, out, err = run("smc_run", "--preload", static, "tcp4:listen:nonsense")
ok(err.startswith("smc_run: '%s' will use TCP: the program is static, nothing can be preloaded" % static),
   "a static program: TCP, with a warning", err)
done()
