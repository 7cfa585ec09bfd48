# SPDX-License-Identifier: MIT
"""Effects of smc_run --seccomp on a program: as env(1), except for its TCP sockets.

Needs no SMC of the kernel if the environment has a library that makes SMC sockets out of nothing. The
receive buffer shows whether a socket is the supervisor's."""
import errno
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile

from kern import equal, ok, processes, run, skip, wait_for

SIZE = 12345
# A supervisor that every user can start.
PYTHON = (os.path.exists("/usr/bin/python3") and "/usr/bin/python3" or sys.executable, "-S", "-E", "-c")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
SUPERVISOR = "smc_supervise"

# Prelude of the programs: is a new TCP socket one of the supervisor's?
PROBE = """
import os, signal, socket, sys, threading
def is_given(family=socket.AF_INET, type=socket.SOCK_STREAM, protocol=0):
    with socket.socket(family, type, protocol) as s:
        return s.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == 2 * %d
""" % SIZE


def by(*options):
    """Command line in front of a program."""
    return ("smc_run", "--seccomp", "-r", str(SIZE), *options)


def says(code, *argv, prefix=(), options=()):
    """Output of a Python program under a supervisor, preceded by @argv."""
    return run(*prefix, *by(*options), *argv, *PYTHON, PROBE + code)


def true(code, name, *argv, **kwargs):
    status, out, err = says(code, *argv, **kwargs)
    return ok((status, out, err) == (0, "True\n", ""), name, (status, out, err))


def statuses():
    with tempfile.NamedTemporaryFile() as plain:
        for words in (("true",), ("false",), ("sh", "-c", "exit 7"), ("sh", "-c", "kill -TERM $$"),
                      ("sh", "-c", "kill -KILL $$"), ("sh", "-c", "exit 255"), ("/no/such/file",), (plain.name,)):
            equal(run(*by("--quiet"), *words)[0], run("env", *words)[0], "status as under env: " + " ".join(words)[:20])
    equal(run(*by(), "sh", "-c", "cat; echo err >&2"), run("env", "sh", "-c", "cat; echo err >&2"), "and its streams")


# Properties that a program can observe. The first process of a pipeline detects a pipe end left open.
INHERITED = """
import os
status = open("/proc/self/status").read().splitlines()
keys = ("PPid", "SigQ", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt", "Threads")
print([line for line in status if line.split(":")[0] in keys and not line.startswith("SigQ")])
print(os.getpgrp(), os.getsid(0), os.getcwd(), sorted(os.listdir("/proc/self/fd")), os.times()[2:4] != (0, 0))
print(open("/proc/self/task/%d/children" % os.getpid()).read())
try:
    print(os.waitpid(-1, os.WNOHANG | 0x40000000))
except OSError as err:
    print(err.errno)
"""


def inheritance():
    def start():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGUSR2])

    def view(*prefix):
        result = subprocess.run([*prefix, *PYTHON, INHERITED], stdout=subprocess.PIPE, preexec_fn=start, check=False)
        return re.sub(r"(True|False)\n", "\n", result.stdout.decode())
    equal(view(*by()), view("env"), "process, signals, files, session, children: as under env")
    with subprocess.Popen([*by(), "sh", "-c", "echo $$"], stdout=subprocess.PIPE) as program:
        equal(int(program.stdout.read()), program.pid, "the process id is smc_run's")
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        code = PROBE + "os._exit(0 if is_given() else 1)"
        shell = 'exec "$@" %s' % closed
        equal(run("sh", "-c", shell, "sh", *by(), *PYTHON, code)[0], 0, "started with %s" % closed)


def which_sockets():
    true("print(is_given())", "a TCP socket")
    true("print(is_given(protocol=6))", "of IPPROTO_TCP")
    true("print(is_given(socket.AF_INET6))", "for IPv6")
    true("print(not any(is_given(*args) for args in ((2, 2), (10, 2), (1, 1), (1, 2), (2, 2, 17))))", "others stay")
    true("""
import ctypes
import fcntl
raw = ctypes.CDLL(None).socket
def flags(extra):
    fd = raw(2, 1 | extra, 0)
    return bool(fcntl.fcntl(fd, fcntl.F_GETFD)), bool(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK)
got = [flags(0), flags(socket.SOCK_CLOEXEC), flags(socket.SOCK_NONBLOCK), flags(socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)]
print(got == [(False, False), (True, False), (False, True), (True, True)] or got)
""", "SOCK_CLOEXEC and SOCK_NONBLOCK")
    true("""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
kept = []
try:
    while True:
        kept.append(socket.socket())
except OSError as err:
    number = err.errno
print((number, max(s.fileno() for s in kept)) == (%d, 19))
""" % errno.EMFILE, "no descriptor is left: EMFILE")
    true("""
signal.signal(signal.SIGALRM, lambda *_: None)
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
given = all(is_given() for _ in range(500))
signal.setitimer(signal.ITIMER_REAL, 0)
print(given)
""", "signals while it waits")


# Answers to options that SMC sockets refuse. GIVEN: they are SMC sockets, or could be.
OPTIONS = """
import ctypes, errno, struct
def answer(level, number, family=socket.AF_INET, type=socket.SOCK_STREAM, value=struct.pack("i", 9)):
    with socket.socket(family, type) as s:
        try:
            s.setsockopt(level, number, value)
            return 0
        except OSError as err:
            return err.errno
space = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 1), 8)
accept_all = struct.pack("@HP", 1, ctypes.addressof(space))
GIVEN = ([answer(6, n) for n in (14, 32, 38, 39, 40, 42)] + [answer(0, n) for n in (16, 17, 21)] +
         [answer(41, n, socket.AF_INET6) for n in (34, 35, 73)] + [answer(0, 21, type=socket.SOCK_DGRAM)])
FILTERS = [answer(1, 26, value=accept_all), answer(1, 26, type=socket.SOCK_DGRAM, value=accept_all)]
OTHERS = [answer(6, 1), answer(0, 2), answer(41, 16, socket.AF_INET6), answer(1, 9)]
"""


def options():
    true(OPTIONS + "print(set(GIVEN) == {errno.ENOPROTOOPT} or GIVEN)", "no keys, policies and limits of TTL")
    true(OPTIONS + "print(FILTERS == [errno.EPERM, 0] or FILTERS)", "filters only for sockets other than TCP")
    true(OPTIONS + "print(OTHERS == [0] * 4 or OTHERS)", "other options")
    if has_nobody():
        true(OPTIONS + "print((GIVEN[8], GIVEN[11], FILTERS[1]) == (0, 0, 0) or (GIVEN, FILTERS))",
             "a program with TCP sockets of its own sets them", *NOBODY)


def many():
    true("""
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
threading.stack_size(65536)
barrier, kept, given = threading.Barrier(1000), [], []
def work():
    barrier.wait()
    for _ in range(3):
        given.append(is_given())
    kept.append(socket.socket())
threads = [threading.Thread(target=work) for _ in range(1000)]
for t in threads: t.start()
for t in threads: t.join()
print((len(kept), len(given), all(given)) == (1000, 3000, True))
""", "1000 threads at once")
    true("""
children = []
for _ in range(100):
    pid = os.fork()
    if not pid:
        os._exit(0 if is_given() and is_given() else 1)
    children.append(pid)
print(not any(os.waitpid(pid, 0)[1] for pid in children))
""", "100 children at once")


# Prints "ready", then for each input line whether a new TCP socket is the supervisor's.
ASK = PROBE + """
print("ready", os.getpid(), flush=True)
for line in sys.stdin:
    try:
        print(is_given(), flush=True)
    except OSError as err:
        print(err.errno, flush=True)
"""


def supervisors():
    return processes(SUPERVISOR)


def supervisors_alive():
    """Processes that are not zombies."""
    alive = []
    for pid in supervisors():
        try:
            with open("/proc/%d/stat" % pid, encoding="ascii") as file:
                alive += [pid] if file.read().rsplit(")", 1)[1].split()[0] != "Z" else []
        except OSError:
            pass
    return alive


class Asked:
    """A program that opens sockets on request, and its supervisor."""

    def __init__(self, *prefix):
        before = set(supervisors())
        self.process = subprocess.Popen([*prefix, *by(), *PYTHON, ASK], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.pid = int(self.process.stdout.readline().split()[1])
        self.supervisor = (set(supervisors()) - before).pop()

    def ask(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def files(self):
        """The supervisor's."""
        path = "/proc/%d/fd/" % self.supervisor
        return sorted(os.readlink(path + fd) for fd in os.listdir(path))

    def is_alone(self):
        """Has the supervisor ended?"""
        return wait_for(lambda: self.supervisor not in supervisors_alive())

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        return self.is_alone()


def lives():
    if not os.path.exists("/proc/1"):
        skip("the supervisor's life", "/proc is mounted with hidepid, which hides it")
        return
    asked = Asked()
    with open("/proc/%d/cmdline" % asked.supervisor, encoding="ascii") as file:
        equal(file.read().rstrip("\0"), SUPERVISOR, "the supervisor's command line does not name the program")
    equal(os.getsid(asked.supervisor), asked.supervisor, "it has a session of its own")
    if not os.getuid():
        files = ["/dev/null", "/dev/null", "anon_inode:seccomp notify"]
        ok(wait_for(lambda: asked.files() == files), "and no files of the program", asked.files())
        with open("/proc/%d/status" % asked.supervisor, encoding="ascii") as file:
            caps = re.findall(r"^Cap(?:Inh|Prm|Eff):\s*(\S+)", file.read(), re.M)
        equal(caps, ["0" * 16] * 3, "nor rights")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM):
        os.kill(asked.supervisor, number)
    equal(asked.ask(), "True", "no signal ends the supervisor before the program")
    ok(asked.end(), "which ends after the program")
    asked = Asked()
    os.kill(asked.pid, signal.SIGKILL)
    equal(asked.process.wait(), -signal.SIGKILL, "the program is killed: its parent sees that")
    ok(asked.is_alone(), "and no supervisor is left")
    asked = Asked()
    os.kill(asked.supervisor, signal.SIGKILL)
    asked.is_alone()
    equal(asked.ask(), str(errno.ENOSYS), "without a supervisor there are no sockets")
    asked.end()
    # The shell, smc_run's parent, is killed; its child lives on.
    asked = Asked("sh", "-c", 'exec 3<&0; "$@" <&3 3<&- & wait', "sh")
    asked.process.kill()
    asked.process.wait()
    equal(asked.ask(), "True", "smc_run's parent is killed: the program goes on")
    ok(asked.end(), "and its supervisor ends with it")


# A program that prints when it is ready, and when it is continued.
WAITS = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGCONT, lambda *_: os.write(1, b"continued\\n"))
os.write(1, b"ready\\n")
while True:
    signal.pause()
"""


def read_until(fd, pattern):
    """Read until the pattern occurs, the output ends, or the limit for hangs is over."""
    text = b""
    while not re.search(pattern, text) and select.select([fd], [], [], 60)[0]:
        try:
            text += os.read(fd, 1000)
        except OSError:
            break
    return text


def typed(*prefix):
    """Stop a program by ^Z, continue it by fg, and end it by ^C. Return: output of the shell. Without a shell the process
    group is an orphan, and ignores ^Z."""
    pid, fd = pty.fork()
    if not pid:
        os.execlp("sh", "sh", "-c", 'set -m; trap : INT; "$@"; echo status $?; fg; echo status $?', "sh", *prefix, *PYTHON, WAITS)
    read_until(fd, rb"ready\s")
    os.write(fd, b"\x1a")
    text = read_until(fd, rb"continued\s")
    os.write(fd, b"\x03")
    text += read_until(fd, rb"status \d+\s")
    os.close(fd)
    os.waitpid(pid, 0)
    return re.findall(rb"status (\d+)", text)


def terminal():
    under_env = typed("env")
    equal(typed(*by()), under_env, "^Z, fg, ^C on a terminal: as under env")
    equal(under_env, [b"148", b"130"], "it was stopped, and interrupted")
    ok(wait_for(lambda: not supervisors_alive()), "no supervisor is left", supervisors_alive())


def has_nobody():
    return not os.getuid() and not run(*NOBODY, "smc_run", "--version")[0]


def namespaces():
    if not has_nobody():
        skip("namespaces", "needs root, and a path that others can use")
        return
    same = """
other = socket.socket(2, 2)
first = socket.socket()
print(not is_given() and first.getsockopt(1, 71, 8) == other.getsockopt(1, 71, 8))
"""
    if run("unshare", "-n", "true")[0]:
        skip("another network namespace", "there can be none here")
    else:
        true(same, "in another network namespace: its own socket", "unshare", "-n")
        equal(says("socket.socket()", "unshare", "-n", options=("--strict",))[0], 1, "with --strict: none")
    if not run(*NOBODY, "unshare", "-rn", "true")[0]:
        true(same, "and in one of a user namespace", *NOBODY, "unshare", "-rn")
        true("print(is_given())", "a user namespace alone", "unshare", "-r", prefix=NOBODY)
    true("print(not is_given())", "a program that changes its user: its own socket", *NOBODY)
    true("print(not is_given())", "or its group", "setpriv", "--regid=65534", "--keep-groups")
    equal(says("socket.socket()", *NOBODY, options=("--strict",))[0], 1, "with --strict: none")
    true("print(is_given() and os.getpid() == 1)", "a new process namespace inside", "unshare", "-pf", "--mount-proc")
    true("""
children = len(os.listdir("/proc/self/task"))
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print(is_given() and os.getpid() == 1)
""", "the first process of a container has no child", prefix=("unshare", "-pf", "--mount-proc"))
    status, out, err = says("print(is_given())", prefix=("unshare", "-pf"))
    ok(status == 0 and out and "the supervisor sees no processes in /proc" in err,
       "/proc of other processes: no supervisor, and the reason", (status, out, err))
    equal(says("", options=("--strict",), prefix=("unshare", "-pf"))[0], 125, "with --strict: 125")
    if not run(*hiding(2), "true")[0]:
        true("print(is_given() and not os.path.exists('/proc/1'))", "/proc hides processes of others", prefix=(*hiding(2), *NOBODY))
        out, err = says("print(is_given())", prefix=hiding(4))[1:]
        ok(out and "the supervisor sees no processes in /proc" in err, "and from root what it may not trace: the reason", err)


def hiding(number):
    """proc(5) has the numbers."""
    return ("unshare", "-m", "sh", "-c", 'mount -t proc -o hidepid=%d proc /proc && exec "$@"' % number, "sh")


def cgroups():
    """What a program opens in another control group, and back in the supervisor's."""
    with open("/proc/self/mounts", encoding="ascii") as file:
        top = [row.split()[1] for row in file if row.split()[2] == "cgroup2"]
    with open("/proc/self/cgroup", encoding="ascii") as file:
        own = [row.strip().partition("::")[2] for row in file if row.startswith("0::")]
    here = top and own and top[0] + own[0]
    group = here and "%s/test-%d" % (here.rstrip("/"), os.getpid())
    try:
        os.mkdir(group)
    except (OSError, TypeError):
        skip("control groups", "none can be made here")
        return
    true("""
given = [is_given()]
for group in (%r, %r):
    with open(group + "/cgroup.procs", "w") as file:
        file.write("0")
    given.append(is_given())
print(given == [True, False, True] or given)
""" % (group, here), "in another control group: its own socket")
    os.rmdir(group)


def rights():
    def no_new_privs(*prefix):
        return re.findall(r"NoNewPrivs:\s(\d)", run(*prefix, "cat", "/proc/self/status")[1])
    if os.getuid():
        equal(no_new_privs(*by()), ["1"], "no_new_privs is set")
        return
    equal(no_new_privs(*by()), ["0"], "root needs no no_new_privs")
    if has_nobody():
        equal(no_new_privs(*NOBODY, *by()), ["1"], "others do")
        true("print(is_given())", "another user", prefix=NOBODY)


def all_of_it():
    statuses()
    inheritance()
    which_sockets()
    options()
    many()
    lives()
    terminal()
    namespaces()
    cgroups()
    rights()
