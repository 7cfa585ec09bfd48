# SPDX-License-Identifier: MIT
"""Test Anything Protocol for tests in Python: ok(), equal(), skip(); done() at the end.

Of a pair of guests only the first prints: the second ends at its first failure, with a message."""
import os
import re
import sys

_IS_SILENT = os.environ.get("SMC_LAB_NODES") == "2" and os.environ.get("SMC_LAB_NODE") == "2"
_count = 0
_failed = 0


def ok(condition, name, detail=""):
    """One test; return the condition. The detail is printed after a failure."""
    global _count, _failed
    if _IS_SILENT:
        if not condition:
            sys.exit("node 2: %s: %r" % (name, detail))
        return condition
    _count += 1
    _failed += not condition
    print("%sok %d - %s" % ("" if condition else "not ", _count, name))
    if not condition:
        print("".join("# %s\n" % line[:2000] for line in str(detail)[:20000].splitlines()), end="")
    sys.stdout.flush()
    return condition


def equal(got, want, name):
    return ok(got == want, name, "got:  %r\nwant: %r" % (got, want))


def refused(result, pattern, name, status=1):
    """A program (status, stdout, stderr) failed with nothing on stdout, and one line on stderr: TOOL: a match."""
    got, out, err = result
    return ok(got == status and not out and re.fullmatch(r"\w+( \w+)?: .*\n", err) and re.search(pattern, err), name, result)


def skip(name, why):
    global _count
    _count += 1
    print("ok %d - %s # SKIP %s" % (_count, name, why), flush=True)


def counted():
    """Tests so far, and how many of them failed."""
    return _count, _failed


def go_on(count, failed):
    """Continue counting from there: another process came first."""
    global _count, _failed
    _count, _failed = count, failed


def done():
    """Print the plan and exit: 1 if a test failed."""
    if not _IS_SILENT:
        print("1..%d" % _count, flush=True)
    sys.exit(_failed > 0)


def skip_all(name, why):
    """Instead of all tests of the suite."""
    skip(name, why)
    done()
