# SPDX-License-Identifier: MIT
"""CPython's own socket tests, natively and under the shim: which of them tell the difference?"""
import re
import subprocess

from kern import done, equal, ok

# What differs although the shim did its part. Each with the kernel's reason.
KNOWN = {
    "testOutsideTimeout": "SMC reports a reset where TCP would still accept the first write",
    "test_reuse_port": "AF_SMC refuses SO_REUSEPORT (EOPNOTSUPP); IPPROTO_SMC takes it",
}


def results(*prefix):
    """Test name -> ok, ERROR, FAIL or skipped."""
    done_tests = {}
    run = subprocess.run([*prefix, "python3", "-m", "unittest", "-v", "test.test_socket"], cwd="/dev/shm",
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                         timeout=400, check=False)
    for line in run.stdout.splitlines():
        match = re.match(r"^(\w+ \([\w.]+\)) .*?\.\.\. (ok|ERROR|FAIL|skipped)", line)
        if match:
            done_tests[match[1]] = match[2]
    total = re.search(r"^Ran (\d+) tests", run.stdout, re.M)
    return done_tests, int(total[1]) if total else 0, run.stdout


def main():
    native, n_native, log = results()
    ok(n_native > 600, "test.test_socket runs natively", log[-2000:])
    shim, n_shim, log = results("smc_run")
    equal(n_shim, n_native, "as many tests run under the shim")
    equal(set(shim) - set(native), set(), "and the same ones")
    different = sorted(name for name, result in native.items()
                       if result == "ok" and shim.get(name) in ("ERROR", "FAIL"))
    print("# %d tests natively, %d of them read from the log; %d differ under the shim" % (
        n_native, len(native), len(different)))
    for name in different:
        print("# differs: %s: %s" % (name, KNOWN.get(name.split()[0], "NOT KNOWN")))
    equal([n for n in different if n.split()[0] not in KNOWN], [], "no difference that is not explained")
    done()


main()
