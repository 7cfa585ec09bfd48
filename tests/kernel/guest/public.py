# SPDX-License-Identifier: MIT
"""CPython's own network tests, natively and under the shim: which of them differ? usage: cpython.py MODULE..."""
import os
import re
import signal
import subprocess
import sys
import threading

from kern import done, equal, ok

MODULES = sys.argv[1:]

# Expected differences although the shim worked, each with a text of the failure: see "What works differently" in af_smc(7).
# In testRecvFromIntoSmallBuffer the peer closes without having read, so it is gone before or after the write, depending on
# the timing of the two threads. testSourceAddress has a race of its own, over TCP too: the cleanup of one thread closes the
# socket that the other is about to query.
NO_RESET = "there are no resets: connect() and getpeername() do not fail"
OWN_RACE = "its cleanup closes the socket that its other thread asks"
GONE = "the first write to a peer that is gone fails"
KNOWN = {
    "testOutsideTimeout": (GONE, r'conn\.send\(b"done!"\)\nConnectionResetError'),
    "testRecvFromIntoSmallBuffer": (GONE, r"serv_conn\.send\(MSG\)\nConnectionResetError"),
    "testSourceAddress": (OWN_RACE, r"self\.cli\.getsockname\(\).*\nOSError: \[Errno 9\]"),
    "test_preauth_data_to_tls_client": (NO_RESET, r"self\.assert\w+\(.*\bwrap_error\b"),
    "test_preauth_data_to_tls_server": (NO_RESET, r"self\.assert\w+\(.*\bwrap_error\b"),
}
# Seconds for a module. A guest of another machine is always emulated.
LIMIT = 500 if os.uname().machine == "x86_64" else 3000
# As python3 -m unittest, adapted to a busy machine: longer timeouts, and no alarm that ends test_socketserver.
# SOCK_MAX_SIZE is 16 MiB in CPython. An emulated s390x takes two seconds to make that much data, so the alarm of
# test_sendall_interrupted would come before the call that it should interrupt, and the test would hang, over TCP as
# well. This size still exceeds all buffers.
UNITTEST = """
import unittest
from test import support, test_socketserver
support.LOOPBACK_TIMEOUT = 60.0
support.SOCK_MAX_SIZE = (2 << 20) + 1
test_socketserver.signal_alarm = lambda seconds: None
unittest.main(module=None)
"""


def read(text):
    """Test name -> ok, ERROR, FAIL or skipped."""
    results = {}
    for line in text.splitlines():
        match = re.match(r"^(\w+ \([\w.]+\)) .*?\.\.\. (ok|ERROR|FAIL|skipped)", line)
        if match:
            results[match[1]] = match[2]
    return results


def report(log, name):
    """Messages of a failed test in a log, without indentation and marks."""
    found = re.search(r"^={70}\n(?:ERROR|FAIL): %s\n(.*?)^(?:={70}|-{70}\nRan )" % re.escape(name), log,
                      re.M | re.S)
    lines = found[1].splitlines() if found else []
    return "\n".join(line.strip() for line in lines if line.strip(" ^~"))


def reason(log, name):
    """Reason for a difference, if it is known and the failure matches."""
    why, says = KNOWN.get(name.split()[0], (None, ""))
    return why if why and re.search(says, report(log, name)) else None


class Run(threading.Thread):
    """Run all modules in sequence. The runs over TCP and SMC share neither ports nor directories."""

    def __init__(self, directory, *prefix):
        super().__init__()
        subprocess.run(["mkdir", directory], check=True)
        self.directory, self.prefix = directory, prefix
        self.results, self.total, self.log = {}, {}, {}
        self.start()

    def run(self):
        for module in MODULES:
            self.log[module] = log = self.run_module(module)
            self.results[module] = read(log)
            total = re.search(r"^Ran (\d+) tests", log, re.M)
            self.total[module] = int(total[1]) if total else 0

    def run_module(self, module):
        """The output; after a hang, it ends with a backtrace of each thread."""
        argv = [*self.prefix, "python3", "-X", "faulthandler", "-c", UNITTEST, "-v", module]
        with subprocess.Popen(argv, cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace") as program:
            hanging = threading.Timer(LIMIT, program.send_signal, [signal.SIGABRT])
            hanging.start()
            log = program.communicate()[0]
            hanging.cancel()
        return log


def main():
    native = Run("/dev/shm/native", "unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    shim = Run("/dev/shm/shim", "smc_run")
    native.join()
    shim.join()
    for module in MODULES:
        there, here = native.results[module], shim.results[module]
        ok(native.total[module] > 5, module + " runs natively", native.log[module][-2000:])
        ok(shim.total[module] == native.total[module], module + ": as many tests run under the shim",
           shim.log[module][-6000:])
        ok(min(len(there), len(here)) > native.total[module] / 2, module + ": most results are read from the logs",
           (len(there), len(here)))
        differ = sorted(n for n, result in there.items() if result == "ok" and here.get(n) in ("ERROR", "FAIL"))
        print("# %s: %d tests, %d read from the log; %d differ" % (
            module, native.total[module], len(there), len(differ)))
        for name in differ:
            print("# differs: %s: %s" % (name, reason(shim.log[module], name) or "NOT KNOWN"))
        unknown = [n for n in differ if not reason(shim.log[module], n)]
        equal(unknown, [], module + ": no difference that is not explained")
        for name in unknown:
            print("# " + report(shim.log[module], name)[-3000:].replace("\n", "\n# "))
    done()


main()
