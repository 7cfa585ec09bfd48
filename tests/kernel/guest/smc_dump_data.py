# SPDX-License-Identifier: MIT
"""smc_dump's payload against traffic with known bytes. usage: smc_dump_data.py SMCD|SMCR|TCP [PART...]

SMCD: both ends here. SMCR: two guests, guest 1 has the clients, and both capture. TCP: where SMC always falls back.
Captures and sent data stay in SMC_LAB_OUT: tests/kernel/dump_judge.py compares them on the host."""
import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import threading

import pcapng
from kern import NOBODY, NODE, PAIR, done, equal, Forked, listing, ok, refuses, run, skip, sync, uids, wait_for, write
from smcsock import accept, smc_client, smc_listener

MODE = sys.argv[1]
OUT = os.environ["SMC_LAB_OUT"]
IP = os.environ["SMC_LAB_PEER_IP"] if PAIR else "127.0.0.1"
WAYS_PORT = 7300
READY = "capturing SMC payload, until Ctrl-C"


class Dump:
    """smc_dump, with its output."""
    def __init__(self, *argv, prefix=()):
        # As in a terminal: the lab's own command ignores the signal.
        self.process = subprocess.Popen([*prefix, "smc_dump", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.ready = self.process.stderr.readline().decode()
        ok(self.ready == "smc_dump: %s\n" % READY, "smc_dump %s: captures" % " ".join(argv), self.ready)
        self.out = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.out += line

    def end(self, number=signal.SIGINT):
        """Status, stdout, stderr."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        err = self.process.stderr.read().decode()
        self.reader.join(120)
        return self.process.wait(timeout=120), self.out, err


def ended_well(dump, name, losses=False):
    status, out, err = dump.end()
    ok(status == 0 and not out and ("lost" in err) == losses, name + ": ends with a word about what it has", (status, out, err))
    return err


def ways(name, *which, ip=IP, to=None):
    """Make traffic, and write its description to NAME.json. TO: a capture that must lose nothing, so each connection waits for
    it."""
    if PAIR and NODE == 2:
        program = subprocess.Popen(["ways", "serve", "0.0.0.0", str(WAYS_PORT), *which], stdout=subprocess.PIPE, text=True)
        program.stdout.readline()
        sync(name + "-up")
        return save(name, program, program.stdout.read())
    sync(name + "-up")
    program = subprocess.Popen(["ways", "connect" if PAIR else "both", "-h", ip, str(WAYS_PORT), *which], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    return save(name, program, "".join(paced(program, to)))


def paced(program, path):
    """Yield the lines of "ways -h". The next connection begins when the capture has most of the bytes of the earlier ones."""
    size = 0
    go_on(program)
    for text in program.stdout:
        yield text
        line = json.loads(text)
        if line.get("side") != "client":
            continue
        size += line["sent"] + line["got"]
        if path:
            wait_for(lambda: os.path.getsize(path) > size - 100000, 120)
        go_on(program)


def go_on(program):
    try:
        program.stdin.write("\n")
        program.stdin.flush()
    except BrokenPipeError:
        pass  # that was the last one


def save(name, program, out):
    status = program.wait()
    lines = [json.loads(line) for line in out.splitlines() if line != "ready"]
    with open("%s/%s-%d.json" % (OUT, name, NODE), "w", encoding="ascii") as file:
        json.dump(lines, file)
    ok(status == 0 and lines and all(line.get("whole", True) for line in lines), name + ": programs get what they sent",
       (status, [line for line in lines if not line.get("whole", True)]))
    for line in lines:
        if "skipped" in line:
            skip(name + ": " + line["way"], line["skipped"])
    return lines


def capture(name):
    return "%s/%s-%d.pcapng" % (OUT, name, NODE)


# ---- small conversations ----

class Echo(Forked):
    """Echoes each message separately."""
    def __init__(self, port, name="dumpecho", is_smc=True, ip="127.0.0.1"):
        listener = smc_listener(port, ip) if is_smc else socket.create_server((ip, port))
        super().__init__(name, self.echo, listener, is_smc)
        listener.close()

    @staticmethod
    def echo(listener, is_smc):
        while True:
            conn = accept(listener) if is_smc else listener.accept()[0]
            while True:
                data = conn.recv(65536)
                if not data:
                    break
                conn.sendall(data)
            conn.close()


def say(client, data):
    client.sendall(data)
    equal(client.recv(len(data), socket.MSG_WAITALL), data, "an echo of %d bytes" % len(data))


class Caller(Forked):
    """Sends to a port on request, and ends."""
    def __init__(self, port, name, message):
        told, self.go = os.pipe()
        super().__init__(name, self.call, told, port, message)
        os.close(told)

    @staticmethod
    def call(told, port, message):
        os.read(told, 1)
        client = smc_client(port)
        client.sendall(message)
        client.recv(len(message), socket.MSG_WAITALL)
        client.close()

    def end(self):
        os.write(self.go, b"!")
        os.waitpid(self.pid, 0)
        os.close(self.go)


def both_bytes(stream):
    return [half.bytes() for half in stream.halves]


def streams_of(path, port=None):
    found = pcapng.streams(path)
    equal([stream.wrong for stream in found if stream.wrong], [], os.path.basename(path) + ": as TCP would be")
    return found if port is None else pcapng.of_port(found, port)


def has_end(path, port):
    try:
        return any(stream.has_ended() for stream in pcapng.of_port(pcapng.streams(path), port))
    except (AssertionError, OSError):
        return False  # a block is on its way; of a file that grows 7.2 may have no data at all over 9p


def wait_for_end(dump, path, port):
    """Wait until the file has the end of a connection to a port."""
    ok(wait_for(lambda: has_end(path, port) or dump.process.poll() is not None), "the end of a connection is soon in the file")


# ---- captures ----

def all_ways():
    dump = Dump("-w", capture("ways"))
    ways("ways", "all", to=capture("ways"))
    ended_well(dump, "all ways")
    dump = Dump("-s", "100", "-w", capture("cut"))
    ways("cut", "write", "writev", "sendfile", "big")
    ended_well(dump, "-s 100")
    if not PAIR:
        dump = Dump("-w", capture("ipv6"))
        ways("ipv6", "write", "sendmsg", "splice", ip="::1")
        ended_well(dump, "IPv6")


def check_count():
    path, echo = capture("count"), Echo(7500)
    dump = Dump("-c", "5", "-w", path)
    client = smc_client(7500)
    for number in range(4):
        say(client, b"%d" % number * 100)
    status, out, err = dump.end()
    client.close()
    echo.end()
    stream, = streams_of(path, 7500)
    equal((status, len(stream.lengths)), (0, 5), "-c 5: ends by itself, with five messages")
    equal(both_bytes(stream), [b"".join(b"%d" % n * 100 for n in range(k)) for k in (3, 2)], "-c 5: the first five")
    equal((err.count("5 messages"), out), (1, b""), "-c 5: with a message")


def check_choice():
    """-p and a filter select only the wanted connection."""
    echoes = [Echo(7500, "dumpalpha"), Echo(7501, "dumpbeta")]
    cases = [("-p", "dumpalpha", 7500), ("-p", "dumpbeta", 7501), ("-p", "callalpha", 7500), ("-p", str(echoes[1].pid), 7501),
             ("-p", None, 7500), ("-p", "nosuchone", None), ("-p", "dumpalph", None), ("dport = :7500", 7500), ("sport = :7501", 7501),
             ("dport = :7501 or sport = :7", 7501), ("dst 127.0.0.1:7500", 7500), ("not dport = :7500 and not sport = :7500", 7501),
             ("dport = :7502", None)]
    for number, (*argv, port) in enumerate(cases):
        path = "/run/choice-%d.pcapng" % number
        callers = [Caller(7500, "callalpha", b"to alpha"), Caller(7501, "callbeta", b"to beta")]
        argv = [str(callers[0].pid) if arg is None else arg for arg in argv]
        dump = Dump("-w", path, *argv)
        for caller in callers:
            caller.end()
        ended_well(dump, " ".join(argv))
        message = {7500: b"to alpha", 7501: b"to beta"}.get(port)
        equal([(s.server[1], both_bytes(s)) for s in streams_of(path)], [(port, [message, message])] if port else [],
              "only what is wanted: " + " ".join(argv))
    for echo in echoes:
        echo.end()


def check_many():
    """More concurrent connections than the kernel's table of 16384 has entries."""
    listener = smc_listener(7510)
    dump = Dump("-j", "-A", "dport = :7510")
    pairs = [(smc_client(7510), accept(listener)) for _ in range(400)]
    for number, (client, server) in enumerate(pairs):
        client.sendall(b"to %d" % number)
        server.recv(100)
    for number, (client, server) in enumerate(pairs):
        server.sendall(b"from %d" % number)
        client.recv(100)
    for ends in pairs:
        for end in ends:
            end.close()
    listener.close()
    wait_for(lambda: dump.out.count(b"closed") >= len(pairs), 120)
    status, out, err = dump.end()
    told = {}
    for line in out.splitlines():
        event = json.loads(line)
        name = event["from"] if event["to"] == "127.0.0.1:7510" else event["to"]
        told.setdefault(name, []).append(event.get("text", event["event"]))
    equal((status, "lost" in err), (0, False), "many connections at once: nothing is lost")
    equal(sorted(told.values()), sorted(["to %d" % number, "from %d" % number, "closed"] for number in range(len(pairs))),
          "many connections at once: each has what is its own")


def check_types():
    """If smc.ko has BTF the cheaper programs are used: BPF_PROG_TYPE_TRACING."""
    is_module = os.path.exists("/sys/module/smc/sections")
    has_types = os.path.exists("/sys/kernel/btf/smc") or not is_module
    dump = Dump("-w", "/run/types.pcapng")
    infos = "/proc/%d/fdinfo/" % dump.process.pid
    texts = [open(infos + fd, encoding="ascii").read() for fd in os.listdir(infos)]
    equal(any("prog_type:\t26\n" in text for text in texts), has_types, "by types where there are any (%s)" % has_types)
    ended_well(dump, "by types")


def old(whose, process, wanted):
    """Capture a connection that began earlier, and has transferred bytes before."""
    path, echo = capture("old"), Echo(7500)
    client = smc_client(7500)
    say(client, b"before" * 100)
    dump = Dump("-w", path, "-p", process)
    say(client, b"after" * 100)
    client.close()
    wait_for_end(dump, path, 7500)
    err = ended_well(dump, "an old connection")
    echo.end()
    stream, = streams_of(path, 7500)
    equal((stream.wrong, both_bytes(stream)), ([], wanted), "an old connection, of %s: its later messages" % whose)
    ok("older" in stream.comments[0], "an old connection: marked by a comment", stream.comments)
    return stream, err


def check_old():
    old("who sends", str(os.getpid()), [b"after" * 100] * 2)
    stream, err = old("who waited in recv() before", "dumpecho", [b"", b"after" * 100])
    equal(stream.lengths, [(0, 500), (500, 500)], "a call that is older than the capture: how long it is")
    ok("500 bytes could not be read" in err, "a call that is older than the capture: said", err)


def check_first_comment():
    """Process, mode and link group."""
    path, echo = capture("comment"), Echo(7500, "dumpecho")
    dump = Dump("-w", path)
    client = smc_client(7500)
    say(client, b"x")
    row = [s for s in listing() if s.get("peer", {}).get("port") == 7500][0]
    client.close()
    wait_for_end(dump, path, 7500)
    ended_well(dump, "comments")
    echo.end()
    stream, = streams_of(path, 7500)
    comment = stream.comments[0]
    names = ("dumpecho[%d]" % echo.pid, "python3[%d]" % os.getpid())
    ok(any(name in comment for name in names), "comment: the process", comment)
    ok(row["mode"] in comment or {"SMCD": "SMC-D", "SMCR": "SMC-R"}[row["mode"]] in comment, "comment: the mode", (comment, row))
    ok("older" not in comment, "comment: not of one that is older", comment)


def check_fallback():
    """Fallbacks run over TCP: tcpdump shows them."""
    path, plain, echo = capture("fallback"), Echo(7500, "plain", is_smc=False), Echo(7501)
    dump = Dump("-w", path)
    client = smc_client(7500)
    say(client, b"over TCP" * 10)
    client.close()
    with socket.create_connection(("127.0.0.1", 7501)) as client:
        say(client, b"over TCP" * 10)
    if MODE != "TCP":
        client = smc_client(7501)
        say(client, b"over SMC")
        client.close()
        wait_for_end(dump, path, 7501)
    ended_well(dump, "fallback")
    plain.end()
    echo.end()
    equal([both_bytes(s) for s in streams_of(path)], [] if MODE == "TCP" else [[b"over SMC"] * 2],
          "what fell back to TCP is not shown")


def check_urgent():
    """The urgent byte is among the bytes sent, but not among those received."""
    dump, listener = Dump("-j", "-A", "dport = :7500 or sport = :7500"), smc_listener(7500)
    client = smc_client(7500)
    server = accept(listener)
    got = []
    for sender, receiver in (client, server), (server, client):
        sender.sendall(b"before")
        sender.send(b"!", socket.MSG_OOB)
        poll = select.poll()
        poll.register(receiver, select.POLLPRI)
        ok(poll.poll(60000), "urgent: it arrives")
        got.append((receiver.recv(1, socket.MSG_OOB), receiver.recv(100)))
        sender.sendall(b"after")
        got.append(receiver.recv(5, socket.MSG_WAITALL))
    equal(got, [(b"!", b"before"), b"after"] * 2, "urgent: what programs get")
    for end in (client, server, listener):
        end.close()
    wait_for(lambda: b"closed" in dump.out)
    status, out, err = dump.end()
    told = {"out": "", "in": ""}
    for event in map(json.loads, out.splitlines()):
        told["out" if event["to"] == "127.0.0.1:7500" else "in"] += event.get("text", "")
    equal((status, told, "lost" in err), (0, {"out": "before!after", "in": "beforeafter"}, False), "urgent: what is seen of one end")


# ---- strangers ----

def check_killed():
    """smc_dump is killed during a transfer: programs are not affected, and it can be started again."""
    dump = Dump("-w", "/run/killed.pcapng")
    program = subprocess.Popen(["ways", "both", "-h", IP, str(WAYS_PORT), "write", "thousand", "big", "threads"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    program.stdin.write("1\n2\n3\n")
    program.stdin.flush()
    wait_for(lambda: os.path.getsize("/run/killed.pcapng") > 100000)
    dump.end(signal.SIGKILL)
    program.stdin.write("4\n")
    program.stdin.close()
    lines = save("killed", program, program.stdout.read())
    equal(len(lines), 8, "killed: all connections had their end")
    dump = Dump("-w", capture("again"))
    ways("again", "write")
    ended_well(dump, "after one that was killed")


def check_stopped():
    """The kernel's reports are not read: they are lost and counted, and programs continue."""
    dump = Dump("-w", capture("stopped"))
    dump.process.send_signal(signal.SIGSTOP)
    ways("stopped", "write", "nonblocking", "big")
    dump.process.send_signal(signal.SIGCONT)
    err = ended_well(dump, "stopped", losses=True)
    ok(pcapng.statistics(capture("stopped"))[1] > 0, "stopped: the file says how many are lost", err)


# ---- refusals ----

def refused(words, *argv, prefix=()):
    refuses((*prefix, "smc_dump", *argv), "^smc_dump: .*" + words, "refused: " + " ".join([*prefix, "smc_dump", *argv]))


def check_refusals():
    refused("missing capabilities: CAP_BPF", prefix=NOBODY)
    refused("", "-w", "/nosuch/directory/file")
    ok(not os.path.exists("/nosuch"), "nothing is made for a file that cannot be")
    subprocess.run(["mount", "-t", "tmpfs", "none", "/sys/kernel/btf"], check=True)
    refused("BTF", "-w", "/run/nobtf.pcapng")
    subprocess.run(["umount", "/sys/kernel/btf"], check=True)
    ok(not os.path.exists("/run/nobtf.pcapng"), "no file is left of what did not begin")
    os.umask(0o022)
    dump = Dump("-w", "/run/mode.pcapng")
    equal(uids(dump.process), (["65534"] * 4, 0, "2"), "it runs as nobody, without capabilities, behind a filter")
    equal(stat.S_IMODE(os.stat("/run/mode.pcapng").st_mode), 0o600, "the file is the owner's alone")
    status, out, err = dump.end(signal.SIGTERM)
    equal((status, out, "0 messages" in err), (0, b"", True), "SIGTERM is no failure, and nothing happened")
    equal(list(pcapng.packets("/run/mode.pcapng")), [], "a file without packets")


def check_without_smc():
    if not os.path.exists("/sys/module/smc/sections"):
        skip("without SMC: one sentence", "it is built into this kernel")
        return
    write("/etc/modprobe.d/no-smc.conf", "install smc /bin/false\ninstall smc_diag /bin/false\n")
    gone = wait_for(lambda: (run("modprobe", "-r", "smc_diag"), run("rmmod", "smc")) and not os.path.exists("/sys/module/smc"))
    if ok(gone, "SMC is gone", run("lsmod")[1]):
        refused("SMC", "-w", "/run/nosmc.pcapng")
        ok(not os.path.exists("/run/nosmc.pcapng"), "without SMC no file is made")


# ---- on the terminal ----

BOTH_WAYS = "dport = :7500 or sport = :7500"
EVIL = b"first line\r\nevil \x1b[31mred\x1b]0;title\x07 \x00\x08\x7f\x9b\xff end\n"


def on_terminal(*argv):
    """Output of smc_dump for a message, its echo, and the end of the connection."""
    echo, dump = Echo(7500), Dump(*argv)
    client = smc_client(7500)
    say(client, EVIL)
    client.close()
    wait_for(lambda: b"closed" in dump.out)
    status, out, _ = dump.end()
    echo.end()
    equal(status, 0, " ".join(["terminal:", *argv]))
    strange = sorted({c for c in out if c < 32 and c != 10 and c != 9 or c > 126})
    equal(strange, [], "%s: nothing that a terminal obeys" % " ".join(argv))
    return out.decode("ascii")


def check_text():
    size = len(EVIL)
    plain = on_terminal(BOTH_WAYS)
    lines = plain.splitlines()
    equal((len(lines), sum(" %d B" % size in line for line in lines), "closed" in lines[-1]), (3, 2, True), "a line a message")
    ok("127.0.0.1:7500" in lines[0] and " > " in lines[0] and {"SMCD": "SMCD", "SMCR": "SMCR"}[MODE] in lines[0], "who with whom", lines[0])
    ascii_text = on_terminal("-A", BOTH_WAYS)
    ok(ascii_text.count("\n\tfirst line\n\tevil") == 2 and "evil .[31mred" in ascii_text and " end\n" in ascii_text, "-A: text", ascii_text)
    hexed = on_terminal("-x", BOTH_WAYS)
    joined = "".join(hexed.split()).lower()
    ok("first line" not in hexed and (EVIL[:8].hex() in joined or EVIL[:8].hex(" ") in hexed), "-x: bytes", hexed)
    both = on_terminal("-x", "-A", BOTH_WAYS)
    ok("first" in both and EVIL[:4].hex() in "".join(both.split()).lower(), "-x -A: both", both)


def check_json():
    events = [json.loads(line) for line in on_terminal("-j", BOTH_WAYS).splitlines()]
    equal([e["event"] for e in events], ["data", "data", "closed"], "-j: events")
    equal([(e["length"], e["captured"], e["lost_before"], e["is_unread"]) for e in events[:2]], [(len(EVIL), len(EVIL), 0, False)] * 2, "-j: sizes")
    equal((events[0]["from"], events[0]["to"]), (events[1]["to"], events[1]["from"]), "-j: there and back")
    equal((events[0]["to"], {e["mode"] for e in events}), ("127.0.0.1:7500", {MODE}), "-j: addresses and mode")
    ok("name" in events[0]["process"] and not {"text", "bytes"} & set(events[0]), "-j: whose, and no bytes", events[0])
    event = json.loads(on_terminal("-j", "-x", "-A", BOTH_WAYS).splitlines()[0])
    equal(bytes.fromhex(event["bytes"]), EVIL, "-j -x: the bytes")
    ok("text" not in event, "-j -A: what is no UTF-8 is no text", event)
    event = json.loads(on_terminal("-j", "-A", "-s", "20", BOTH_WAYS).splitlines()[0])
    equal((event.get("text"), "bytes" in event), (EVIL[:20].decode(), False), "-j -A: text")
    event = json.loads(on_terminal("-j", "-x", "-s", "7", BOTH_WAYS).splitlines()[0])
    equal((event["length"], event["captured"], bytes.fromhex(event["bytes"])), (len(EVIL), 7, EVIL[:7]), "-j -s 7: cut")


# ---- all ----

ALL = (all_ways, check_many, check_types, check_count, check_choice, check_old, check_first_comment, check_fallback, check_text, check_json,
       check_urgent, check_killed, check_stopped, check_refusals, check_without_smc)
PARTS = {"SMCD": ALL, "SMCR": (all_ways, check_types), "TCP": (check_fallback, check_refusals)}[MODE]

for part in PARTS:
    if not sys.argv[2:] or part.__name__ in sys.argv[2:]:
        part()
sync("end")
done()
