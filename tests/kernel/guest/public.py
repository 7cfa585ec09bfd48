# SPDX-License-Identifier: MIT
"""Public test suites, over TCP and under smc_run: which tests differ?
usage: public.py MODULE...       CPython's modules
       public.py DIRECTORY NAME...     suites that public.t puts there"""
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

from kern import done, equal, ok

# Expected differences, each with a text of the failure: see "What works differently" in af_smc(7). testSourceAddress has a
# race, over TCP too: the cleanup of one thread closes the socket that the other is about to query.
NO_RESET = "there are no resets: connect() and getpeername() do not fail"
OWN_RACE = "its cleanup closes the socket that its other thread asks"
KNOWN = {
    "TestSocket#test_linger": (NO_RESET, r"Errno::ECONNRESET expected but nothing was raised"),
    "testSourceAddress": (OWN_RACE, r"self\.cli\.getsockname\(\).*\nOSError: \[Errno 9\]"),
    "test_preauth_data_to_tls_client": (NO_RESET, r"self\.assert\w+\(.*\bwrap_error\b"),
    "test_preauth_data_to_tls_server": (NO_RESET, r"self\.assert\w+\(.*\bwrap_error\b"),
}
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
TCP = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
PERL = "dist/IO/t cpan/Socket/t cpan/IO-Socket-IP/t cpan/libnet/t"
ERLANG = "gen_tcp_api_SUITE gen_tcp_echo_SUITE"


class Suite:
    """
    @argv: a string is for sh
    @results: regular expressions of its log, with the groups name and verdict; later ones correct earlier ones
    @passes: a verdict that is no failure
    @failure: regular expression of the messages for a test that is put in for %s
    @tests: all of them, for the %s of @argv; then tests that differ run again by name
    @limit: seconds, for an emulated guest
    """
    all = {}

    def __init__(self, name, argv, *results, passes, failure="%s", tests="", limit=3000):
        self.name, self.argv, self.passes, self.failure, self.tests, self.limit = name, argv, passes, failure, tests, limit
        self.results = [re.compile(text, re.M) for text in results]
        Suite.all[name] = self

    def read(self, log):
        """Test name -> did it pass? Without skipped ones."""
        found = [(match["name"], match["verdict"] or "") for results in self.results for match in results.finditer(log)]
        return {name: bool(re.fullmatch(self.passes, verdict)) for name, verdict in found
                if not re.match("(?i)(auto_|user_)?skip", verdict)}

    def report(self, log, name):
        """Messages of a failed test in a log, without indentation and marks."""
        found = re.search(self.failure % re.escape(name), log, re.M | re.S)
        if not found:
            return ""
        lines = (found[1] if found.groups() else log[max(found.start() - 500, 0):found.end() + 2500]).splitlines()
        return "\n".join(line.strip() for line in lines if line.strip(" ^~"))

    def reason(self, log, name):
        """Reason for a difference, if it is known and the failure matches."""
        why, says = KNOWN.get(name.split()[0], (None, ""))
        return why if why and re.search(says, self.report(log, name)) else None


def cpython(module):
    return Suite(module, ["python3", "-X", "faulthandler", "-c", UNITTEST, "-v", module],
                 # On a slow machine asyncio's warnings stand between.
                 r"^(?P<name>\w+ \([\w.]+\)) .*?\.\.\. (?:(?!ok|ERROR|FAIL|skipped).*\n(?!\w+ \())*(?P<verdict>ok|ERROR|FAIL|skipped)", passes="ok",
                 failure=r"^={70}\n(?:ERROR|FAIL): %s\n(.*?)^(?:={70}|-{70}\nRan )")


Suite("perl", "prove -m " + PERL, r"^(?P<name>\S+\.t) \.+ ?(?P<verdict>\w*)", passes="ok")
Suite("tcl", "tclsh8.6 all.tcl -singleproc 1 -verbose pte -tmpdir . -file 'socket.test http.test http11.test "
      "httpPipeline.test httpold.test'", r"^[+=]{4} (?P<name>\S+)\b.* (?P<verdict>PASSED|FAILED)$", passes="PASSED")
Suite("ruby", "RUBY_TEST_TIMEOUT_SCALE=20 ruby -Itool -Itool/lib -Itest/lib test/runner.rb -v test/socket test/net/http",
      r"^\[ *\d+/\d+\] (?P<name>\S+) = [\d.]+ s(?: = (?P<verdict>S))?",
      r"^ +\d+\) (?P<verdict>Failure|Error):\n(?P<name>[\w:]+#\w+)",
      passes="", failure=r"^ +\d+\) \w+:\n%s\b")
Suite("haproxy", "HAPROXY_PROGRAM=/usr/sbin/haproxy HAPROXY_TEST_TIMEOUT=60s varnishtest -k -t 120 %s",
      r"^# +top +TEST (?P<name>\S+) (?P<verdict>\w+)", passes="passed",
      failure=r"TEST %s starting$(.*?)^# ", tests="reg-tests/*/*.vtc")
Suite("erlang", "ct_run -noshell -dir . -logdir . -suite %s; cat ct_run*/*/*/suite.log" % ERLANG,
      r"^=case +(?P<name>(?!\S+:(?:init|end)_per)\S+)\n(?:=(?!case|result).*\n)*=result +(?P<verdict>\w+)", passes="ok")
Suite("curl", "cd tests && perl -I. runtests.pl -n -am -c /usr/bin/curl -vc /usr/bin/curl 1 to 400",
      r"^(?P<verdict>PASS|FAIL|SKIP): (?P<name>\d+)", passes="PASS")


class Run(threading.Thread):
    """Run all suites in sequence, or these tests of one."""

    def __init__(self, directory, suites, prefix, tests=""):
        super().__init__()
        self.directory, self.suites, self.prefix, self.tests, self.log = directory, suites, prefix, tests, {}
        self.start()

    def run(self):
        for suite in self.suites:
            self.log[suite.name] = self.run_suite(suite)

    def run_suite(self, suite):
        """The output; after a hang, CPython's ends with a backtrace of each thread."""
        here = os.path.join(self.directory, suite.name)
        os.makedirs(here)
        if suite.name in SOURCES:
            shutil.copytree(SOURCES[suite.name], here, symlinks=True, dirs_exist_ok=True)
        argv = suite.argv
        if isinstance(argv, str):
            argv = ["sh", "-c", argv % (self.tests or suite.tests) if suite.tests else argv]
        with subprocess.Popen([*self.prefix, *argv], cwd=here, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                              env=dict(os.environ, HOME=here, TMPDIR=here)) as program:
            hanging = threading.Timer(suite.limit, os.killpg, [program.pid, signal.SIGABRT])
            hanging.start()
            log = program.communicate()[0]
            hanging.cancel()
        if "SMC_LAB_OUT" in os.environ:
            with open("%s/%s.%s" % (os.environ["SMC_LAB_OUT"], suite.name, os.path.basename(self.directory)), "w") as file:
                file.write(log)
        return log


def run_both(suites, name="", tests=""):
    """Side by side: they share neither ports nor directories. Return: the logs of TCP, and of smc_run."""
    runs = [Run("/dev/shm/native" + name, suites, TCP, tests), Run("/dev/shm/shim" + name, suites, ["smc_run"], tests)]
    for run in runs:
        run.join()
    return [run.log for run in runs]


def repeat(suite, names):
    """Tests that depend on time fail now and then, also over TCP. Return: those that fail twice again, under smc_run only."""
    for turn in ("2", "3"):
        if names and suite.tests:
            native, shim = (suite.read(log[suite.name]) for log in run_both([suite], turn, " ".join(names)))
            for name in names:
                print("# differs: %s: passes again over TCP: %s, under smc_run: %s" % (name, native.get(name), shim.get(name)))
            names = [name for name in names if native.get(name) and not shim.get(name)]
    return names


def compare(suite, there, here):
    """@there, @here: logs of TCP and of smc_run"""
    native, shim = suite.read(there), suite.read(here)
    ok(sum(native.values()) > 5, suite.name + " runs over TCP", there[-3000:])
    missing = sorted(set(native) - set(shim))
    ok(not missing, suite.name + ": as many tests run under smc_run", "%s\n%s" % (missing[:20], here[-3000:]))
    differ = sorted(name for name, passed in native.items() if passed and shim.get(name) is False)
    print("# %s: %d tests, %d pass over TCP, %d under smc_run, %d differ" % (
        suite.name, len(native), sum(native.values()), sum(shim.values()), len(differ)))
    for name in differ:
        print("# differs: %s: %s" % (name, suite.reason(here, name) or "NOT KNOWN"))
    unknown = repeat(suite, [name for name in differ if not suite.reason(here, name)])
    equal(unknown, [], suite.name + ": no difference that is not explained")
    for name in unknown:
        print("# " + suite.report(here, name)[-3000:].replace("\n", "\n# "))


def main():
    if sys.argv[1].startswith("/"):
        SOURCES.update((name, os.path.join(sys.argv[1], name)) for name in os.listdir(sys.argv[1]))
        suites = [Suite.all[name] for name in sys.argv[2:]]
    else:
        suites = [cpython(module) for module in sys.argv[1:]]
    native, shim = run_both(suites)
    for suite in suites:
        compare(suite, native[suite.name], shim[suite.name])
    done()


SOURCES = {}
main()
