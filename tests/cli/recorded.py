# SPDX-License-Identifier: MIT
"""For tests of whole tools: a recorded host (see tests/kernel/guest/host.py), several runs at once."""
import concurrent.futures
import os
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT + "/tests")
import tap  # noqa: E402

# For tests that import all from here.
ok, equal, skip, skip_all, done = tap.ok, tap.equal, tap.skip, tap.skip_all, tap.done

BUILD = os.environ.get("BUILD", ROOT + "/build")
BUNDLE = ROOT + "/tests/cli/host.tgz"
COLUMNS = "state,uid,inode,local,peer,mode,reason,process"
SETTINGS = "exclusive pnetid\npnetid NET1 net lo\npnetid NET7 net eth0\n"
# Commands for the recorded host. FILE has settings.
COMMANDS = """
smcss -a
smcss -a -d -W
smcss -D
smcss -R -H
smcss -e
smcss -a -p
smcss -p -n
smcss -s
smcss -s -j
smcss -a -j
smcss -j -o COLUMNS
smcss -o COLUMNS
smcss -a ( sport = 7001 or dst 10.0.0.0/8 ) and not state listen and uid root
smcss -N 1 nonsense
smcss --help
smcss --version
smcss --nonsense
smcd info
smcd -j info
smcd -d device
smcd -j device
smcd -d linkgroup
smcd -j linkgroup
smcd -a -d stats
smcd -j -a stats
smcd -a -m stats
smcd ueid
smcd -j ueid
smcd -j seid
smcd hs
smcd ueid add NEW
smcd help
smcr info
smcr device netdev eth0
smcr -d device
smcr -j device
smcr -d linkgroup
smcr -dd linkgroup link-show
smcr -j linkgroup link-show
smcr -j -a stats
smcr -a -m stats
smcr --help
smcr nonsense
smc_pnet
smc_pnet -s NET1
smc_pnet -s NET9
smc_pnet -j
smc_pnet -l
smc_pnet -l -j
smc_pnet --tree
smc_pnet --suggest
smc_pnet --suggest -j
smc_conf diff FILE
smc_conf diff FILE -j
smc_conf apply FILE
smc_pnet -a NEW -I lo
smc_pnet --help
smc_rnics
smc_rnics -a -w
smc_rnics -a -j
smc_rnics -I -r
smc_rnics --help
smc_chk doctor
smc_chk doctor -j
smc_chk doctor -i eth0
smc_chk -s
smc_chk -s -j
smc_chk -i eth0
smc_chk -j -i eth0
smc_chk serve
"""


def needs(name, *libraries):
    """Preloaded libraries must fit the tools, and the record the machine."""
    with open(BUILD + "/smcss", "rb") as file:
        if b"__asan_init" in file.read():
            skip_all(name, "ASan has an allocator of its own, and must come first")
    if sys.byteorder == "big":
        skip_all(name, "the recorded host is little-endian")
    for library in libraries:
        if not os.path.exists("%s/tests/cli/%s.so" % (BUILD, library)):
            sys.exit("%s/tests/cli/%s.so is missing: make tests" % (BUILD, library))


def unpack(directory):
    """Return: the record, for SMC_TOOLS_ROOT."""
    with tarfile.open(BUNDLE) as tar:
        tar.extractall(directory)
    return directory + "/smc-bundle/record"


def tool(argv, env, timeout=300, **more):
    """A finished tool of the build directory."""
    return subprocess.run([BUILD + "/" + argv[0], *argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                          timeout=timeout, check=False, **more)


def refused(words, result, tmp, name=None):
    """The command failed with one line that contains the words, and left no file in its TMPDIR."""
    left = "".join(os.listdir(tmp))
    tap.refused((result.returncode, result.stdout + left.encode(), result.stderr.decode()), words, name or "refused: %s" % words)


def run(argv, env, timeout=60):
    """Status (None for a hang), stdout, stderr."""
    env = dict({"PATH": BUILD + ":" + os.environ["PATH"], "LC_ALL": "C", "HOME": "/"}, **env)
    try:
        result = tool(argv, env, timeout, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, b"", b"hangs"
    return result.returncode, result.stdout, result.stderr


def each(function, items):
    """Results in order, as soon as they are there; one job per processor, at most four."""
    with concurrent.futures.ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        yield from pool.map(function, items)


def new_directory():
    return tempfile.TemporaryDirectory()
