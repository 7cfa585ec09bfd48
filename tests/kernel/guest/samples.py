# SPDX-License-Identifier: MIT
"""Scenes for the samples of output in the manual pages: each causes something and returns a tool's output about it.
Those named picture-NAME are the texts of docs/pictures.

A page has ".\\" sample: NAME" above the block. docs/pages.py takes the text of the scene NAME from SMC_LAB_OUT/NAME, and
compares it with the page after the scene's own rules and those of all. This host is 10.0.0.1, with a redis; its clients are in
the network namespace "client", at 10.0.0.7, 10.0.0.9 and 10.0.0.12."""
import contextlib
import fcntl
import os
import re
import socket
import struct
import subprocess
import sys
import termios
import time

from boot import UNITS, add_redis_user, boot_systemd, choose_units, install_tools, systemctl
from kern import Lines, listens, out_of, wait_for, write
from smcsock import accept, smc_listener
from terminal import on_terminal

CLIENT = ("ip", "netns", "exec", "client")

# Parts that vary between runs, and their replacements.
NUMBER = r"\d+(?:\.\d+)?"
RULES = (
    (r"\b\d\d:\d\d:\d\d\.\d+", "TIME"),
    (r"(?<=\w)\[\d+\]", "[PID]"),
    # Ports that the kernel chooses.
    (r":(?:3276[89]|327[7-9]\d|32[89]\d\d|3[3-9]\d{3}|[45]\d{4}|60\d{3})\b", ":PORT"),
    (r"(?<!in )\b(?:\d+ (?:d|h|min) )?%s (?:us|ms|s|min|h)\b" % NUMBER, "DURATION"),
    (r"\b%s [kMGT]?B/s" % NUMBER, "RATE"),
)
SCENES = {}


class Scene:
    """A sample: function that makes its text, and its rules, which are applied before those for all scenes."""
    def __init__(self, function, rules):
        self.function, self.rules = function, rules

    def plain(self, text):
        """The text without parts that vary, and without the alignment that depends on them."""
        for pattern, word in (*self.rules, *RULES):
            text = re.sub(pattern, word, text, flags=re.MULTILINE)
        return re.sub(r"(?<=\S) +", " ", text)


def scene(name, *rules):
    def add(function):
        SCENES[name] = Scene(function, rules)
        return function
    return add


# ---- parts of scenes ----

class Said(Lines):
    """Lines of a running tool, starting after its first output on stderr, if any."""
    def __init__(self, *argv, first=None):
        super().__init__(*argv, stderr=subprocess.PIPE if first else None)
        said = self.process.stderr.readline() if first else ""
        if first and first not in said:
            raise RuntimeError("%s: %s" % (" ".join(argv), said))

    def until(self, count, words):
        """Wait for this many lines with these words."""
        if not wait_for(lambda: sum(words in line for line in self.all) >= count):
            raise RuntimeError("not %d lines with '%s': %s" % (count, words, "".join(self.all)))

    def end(self):
        """Return: all output."""
        super().end()
        return "".join(self.all)


@contextlib.contextmanager
def running(*argv, port=None):
    """A program in the background, once it listens."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True) as program:
        try:
            if port and not wait_for(lambda: listens(port)):
                raise RuntimeError("%s does not listen" % " ".join(argv))
            yield program
        finally:
            program.kill()


def redis(*command, prefix=("smc_run",)):
    out_of(*CLIENT, *prefix, "redis-cli", "-h", "10.0.0.1", *command)


def typed(*argv, where=()):
    """A command line and what it leaves on a terminal, as wide as a page of 80 columns can show."""
    text = on_terminal([*where, *argv], dict(os.environ, NO_COLOR="1"), 74)[1]
    return "$ %s\n%s" % (" ".join(argv), re.sub(r".*\033\[K", "", text))


def wait_connected(count):
    """Wait for this many connections of this namespace."""
    if not wait_for(lambda: out_of("smcss").count("ACTIVE") == count):
        raise RuntimeError("not %d connections: %s" % (count, out_of("smcss")))


def script(name, text):
    """A user's program. Return: its path."""
    path = "/run/" + name
    write(path, "#!/usr/bin/python3\n" + text)
    os.chmod(path, 0o755)
    return path


def network():
    out_of("ip", "netns", "add", "client")
    for where, commands in (((), ("link add eth0 type veth peer name eth0 netns client", "addr add 10.0.0.1/24 dev eth0", "link set eth0 up")),
                            (("-n", "client"), (*("addr add 10.0.0.%d/24 dev eth0" % host for host in (7, 9, 12)), "link set eth0 up"))):
        subprocess.run(["ip", *where, "-batch", "-"], input="\n".join(commands), text=True, check=True)


# ---- the scenes, in this order ----

@scene("dump", (r"\b[0-9a-f]{16}\b", "ID"), (r"(link group  )[0-9a-f]{8}", r"\1ID"))
def dump():
    """smc_dump: one handshake, the first with this host."""
    said = Said("smc_dump", "-i", "eth0", "port", "6379", first="listening")
    redis("PING")
    said.until(1, "the client offered")
    return said.end()


@scene("decline")
def decline():
    """smc_dump -q: without an EID."""
    out_of("smcd", "ueid", "del", "MYCLUSTER")
    said = Said("smc_dump", "-q", "-i", "eth0", "port", "6379", first="listening")
    redis("PING")
    said.until(1, "=>")
    out_of("smcd", "ueid", "add", "MYCLUSTER")
    return said.end()


@scene("payload")
def payload():
    """smc_dump: requests of two clients to redis."""
    said = Said("smc_dump", "-A", "-p", "redis-server", first="capturing")
    for count, command in enumerate((("SET", "greeting", "hello, world"), ("GET", "greeting")), 1):
        redis(*command)
        said.until(count, "closed")
    return said.end()


PROBE = "10.0.0.1", 7000


def is_followed(listener, said):
    """Was a connection with the probe reported?"""
    with socket.create_connection(PROBE):
        accept(listener).close()
    return any(":7000" in line for line in said.all)


@scene("events", (r"\b(in|out) %s [kM]B" % NUMBER, r"\1 SIZE"))
def events():
    """smc_events: one client over SMC, which stays, while another one without SMC comes twice."""
    with smc_listener(PROBE[1], PROBE[0]) as probe:
        said = Said("smc_events")
        wait_for(lambda: is_followed(probe, said))
        with running(*CLIENT, "smc_run", "redis-cli", "-h", "10.0.0.1") as client:
            client.stdin.write("SET page %s\nGET page\n" % ("x" * 50000))
            client.stdin.flush()
            said.until(1, "connected  10.0.0.1:6379")
            for count in (1, 2):
                redis("PING", prefix=())
                said.until(count, "  TCP  ")
            client.stdin.close()
            said.until(1, "  SMCD  ")
            client.wait()
        said.until(2, "SMCD  ")
    return "".join(line for line in said.end().splitlines(True) if ":7000" not in line)


@scene("smcss")
def smcss():
    """Two clients of redis, one of them without smc_run."""
    with running(*CLIENT, "smc_run", "redis-cli", "-h", "10.0.0.1", "subscribe", "news"), \
            running(*CLIENT, "redis-cli", "-h", "10.0.0.1", "subscribe", "news"):
        wait_connected(2)
        return typed("smcss", "-e")


@scene("run")
def run():
    """smc_run: a client, and its connection."""
    with running(*CLIENT, "smc_run", "redis-cli", "-h", "10.0.0.1", "subscribe", "news"):
        wait_connected(1)
        return "$ smc_run redis-cli -h 10.0.0.1 subscribe news >/dev/null &\n" + typed("smcss", "mode", "smcd", where=CLIENT)


@contextlib.contextmanager
def without_eid():
    out_of("smcd", "ueid", "del", "MYCLUSTER")
    yield
    out_of("smcd", "ueid", "add", "MYCLUSTER")


@scene("problems")
def problems():
    """smc_chk doctor: only what is wrong."""
    with without_eid():
        return typed("smc_chk", "doctor", "--problems")


@scene("doctor")
def doctor():
    """smc_chk: without an EID; its notes are left out."""
    with without_eid():
        text = typed("smc_chk")
    return re.sub(r"note .*?(?=\n\d+ checks)", "note     ...", text, flags=re.DOTALL)


@scene("connect", (r"\b[0-9a-f]{8,16}\b", "ID"), (r"data +\d+", "data SIZE"))
def connect():
    """smc_chk connect: all is well."""
    with running("smc_chk", "serve", port=37373):
        return typed("smc_chk", "connect", "10.0.0.1", where=CLIENT)


@scene("explain")
def explain():
    """smc_chk explain: the most frequent reason."""
    return typed("smc_chk", "explain", "PEERNOSMC")


@scene("pnet")
def pnet():
    """smc_pnet: an ID for an interface."""
    text = typed("smc_pnet", "-a", "NET1", "-I", "eth0") + typed("smc_pnet")
    out_of("smc_pnet", "-f")
    return text


@scene("smcd", (r"\b[0-9a-f]{8,16}\b", "ID"))
def smcd():
    """smcd: the link group of a connection."""
    with running(*CLIENT, "smc_run", "redis-cli", "-h", "10.0.0.1", "subscribe", "news"):
        wait_connected(1)
        return typed("smcd", "linkgroup")


@scene("smcr", (r"\b[0-9a-f]{8,16}\b", "ID"))
def smcr():
    """smcr: the link group of a connection over Soft-RoCE."""
    with running("smc_run", "redis-cli", "subscribe", "news"):
        wait_connected(2)
        return typed("smcr", "linkgroup")


@scene("unit", (r"\d+$", "PID"))
def unit():
    """smc_unit: redis by systemd."""
    out_of("smc_unit", "enable", "redis-server")
    systemctl("restart", "redis-server")
    if not wait_for(lambda: listens(6379)):
        raise RuntimeError("redis-server does not listen")
    text = typed("smc_unit", "status", "redis-server")
    systemctl("stop", "redis-server")
    return text


BOTTLENECKS = "peer writes", "peer reads", "we read"
TOP_RULE = r"^(\S+ +\S+ +\S*SMCD\S* +)>?[\d.]+[kMG]? +>?[\d.]+[kMG]? +\S+ +\S+", r"\1RATE RATE FULL FULL"


def is_calm(text):
    """Has each row of the screen reached its final words?"""
    return [words in row for row, words in zip(text.splitlines()[2:], BOTTLENECKS)] == [True] * len(BOTTLENECKS)


@contextlib.contextmanager
def slow_connections():
    """A client that writes at full speed, one that reads slowly, and their server."""
    os.makedirs("/run/www", exist_ok=True)
    with open("/run/www/image.iso", "wb") as file:
        file.truncate(1 << 34)
    collector = script("collector", "import socket, time\nconn = socket.create_server(('10.0.0.1', 5140)).accept()[0]\n"
                       "while conn.recv(10000):\n    time.sleep(0.1)\n")
    agent = script("agent", "import socket\nconn = socket.create_connection(('10.0.0.1', 5140), source_address=('10.0.0.9', 0))\n"
                   "while True:\n    conn.sendall(bytes(10000))\n")
    with running("smc_run", "python3", "-m", "http.server", "-d", "/run/www", "--bind", "10.0.0.1", "8080", port=8080), \
            running("smc_run", collector, port=5140), \
            running(*CLIENT, "smc_run", "redis-benchmark", "-h", "10.0.0.1", "-c", "1", "-t", "set", "-d", "30000", "-l"), \
            running(*CLIENT, "smc_run", "curl", "--interface", "10.0.0.12", "--limit-rate", "400K", "-o", "/dev/null",
                    "http://10.0.0.1:8080/image.iso"), \
            running(*CLIENT, "smc_run", agent):
        yield


def last_frame(text):
    """The last complete screen that smc_top wrote to a terminal, with its inverse text."""
    frame = text.split("\033[H")[-2]
    return re.sub(r"\033\[[JK]|\r", "", frame).rstrip() + "\n"


def live_screen():
    """The screen of smc_top on a terminal of 100 columns and 8 rows, once it is calm and has found the processes."""
    here, there = os.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("4H", 8, 100, 0, 0))
    with subprocess.Popen(("smc_top",), stdin=there, stdout=there, env=dict(os.environ, TERM="xterm")):
        os.close(there)
        text = "\033[H" * 2
        while not is_calm(last_frame(text)) or last_frame(text).count("]") < len(BOTTLENECKS):
            text += os.read(here, 65536).decode()
        os.write(here, b"q")
        with contextlib.suppress(OSError):  # the other end is closed
            while os.read(here, 65536):
                pass
    os.close(here)
    return last_frame(text)


@scene("top", TOP_RULE)
def top():
    """smc_top, live."""
    with slow_connections():
        return re.sub(r" +$", "", re.sub(r"\033\[[\d;]*m", "", live_screen()), flags=re.MULTILINE)


@scene("picture-top", TOP_RULE)
def picture_top():
    """smc_top, live."""
    with slow_connections():
        return "# smc_top: rates, and what slows a connection down\n" + live_screen()


def make(name):
    begin = time.monotonic()
    write(os.environ["SMC_LAB_OUT"] + "/" + name, SCENES[name].function())
    print("# %s: %.1f s" % (name, time.monotonic() - begin), flush=True)


def boot():
    """The scene with systemd, on ports that are free again afterwards."""
    install_tools(os.environ["PATH"].split(":")[0], "smc_unit")
    add_redis_user()
    write(UNITS + "/lab.target", "[Unit]\nDefaultDependencies=no\n")
    choose_units("/lib/systemd/system/redis-server.service")
    if boot_systemd(__file__, "unit"):
        sys.exit("no scene of systemd")


def main():
    """With RDMA, a guest makes only the scene for it: loopback, which SMC prefers, makes the others."""
    if sys.argv[1:] == ["unit"]:
        make("unit")
        return
    has_rdma = sys.argv[1:] == ["rdma"]
    if not has_rdma:
        boot()
    network()
    with running("smc_run", "redis-server", "--bind", "10.0.0.1", "127.0.0.1", "--protected-mode", "no", "--save", "", port=6379):
        for name in SCENES:
            if name != "unit" and (name == "smcr") == has_rdma:
                make(name)


if __name__ == "__main__":
    main()
