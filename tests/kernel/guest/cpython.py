# SPDX-License-Identifier: MIT
"""CPython's own network tests, natively and under the shim: which of them tell the difference?"""
import re
import subprocess
import threading

from kern import done, equal, ok

MODULES = ["test.test_socket", "test.test_socketserver", "test.test_asyncio.test_sock_lowlevel",
           "test.test_ssl", "test.test_httpservers"]

# What differs although the shim did its part: see "What remains" in smc_run(8).
KNOWN = {
    "testOutsideTimeout": "the first write to a peer that is gone fails",
    "test_preauth_data_to_tls_client": "there are no resets: connect() and getpeername() do not fail",
    "test_preauth_data_to_tls_server": "there are no resets: connect() and getpeername() do not fail",
}


def read(text):
    """Test name -> ok, ERROR, FAIL or skipped."""
    results = {}
    for line in text.splitlines():
        match = re.match(r"^(\w+ \([\w.]+\)) .*?\.\.\. (ok|ERROR|FAIL|skipped)", line)
        if match:
            results[match[1]] = match[2]
    return results


class Run(threading.Thread):
    """All modules, one after the other; the two runs share neither ports nor folders."""

    def __init__(self, folder, *prefix):
        super().__init__()
        subprocess.run(["mkdir", folder], check=True)
        self.folder, self.prefix = folder, prefix
        self.results, self.total, self.log = {}, {}, {}
        self.start()

    def run(self):
        for module in MODULES:
            argv = [*self.prefix, "python3", "-m", "unittest", "-v", module]
            log = subprocess.run(argv, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, errors="replace", timeout=500, check=False).stdout
            total = re.search(r"^Ran (\d+) tests", log, re.M)
            self.results[module], self.log[module] = read(log), log
            self.total[module] = int(total[1]) if total else 0


def main():
    native = Run("/dev/shm/native", "unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    shim = Run("/dev/shm/shim", "smc_run")
    native.join()
    shim.join()
    for module in MODULES:
        there, here = native.results[module], shim.results[module]
        ok(native.total[module] > 5, module + " runs natively", native.log[module][-2000:])
        equal(shim.total[module], native.total[module], module + ": as many tests run under the shim")
        differ = sorted(n for n, result in there.items() if result == "ok" and here.get(n) in ("ERROR", "FAIL"))
        print("# %s: %d tests, %d read from the log; %d differ" % (
            module, native.total[module], len(there), len(differ)))
        for name in differ:
            print("# differs: %s: %s" % (name, KNOWN.get(name.split()[0], "NOT KNOWN")))
        ok([n for n in differ if n.split()[0] not in KNOWN] == [], module + ": no difference that is not explained",
           "\n".join(shim.log[module].split("=" * 70)[1:])[:6000])
    done()


main()
