#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Output on terminals, over a recorded host: no line is wider than the terminal, and nothing is missing."""
import collections
import json
import os
import re
import socket
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fleet  # noqa: E402
from recorded import BUILD, ROOT, done, needs, new_directory, ok, run, skip, unpack  # noqa: E402
sys.path.insert(0, ROOT + "/tests/kernel/guest")
from terminal import on_terminal  # noqa: E402 pylint: disable=wrong-import-position

COLUMNS = (40, 80, 120)
STYLE = re.compile("\x1b\\[[0-9;]*m")
PROGRESS = re.compile("(\r\x1b\\[K[^\r]*)*\r\x1b\\[K")  # on a slow machine
TYPED = re.compile(" *(type +)?-> ")  # begins a line to be copied, of any width


def squeezed(text):
    """Remove possible line breaks."""
    return re.sub(r"\s", "", text)


def finding_words(finding):
    return squeezed("%s%s%s:%s" % (finding["level"], finding["check"], finding.get("object", ""), finding["text"]))


def doctor(doc, text):
    lines = text.splitlines()
    for finding in doc["findings"]:
        if finding["level"] != "ok" and finding_words(finding) not in squeezed(text):
            yield finding
        if "remedy" in finding and not any(line.strip() == "-> " + finding["remedy"] for line in lines):
            yield finding["remedy"]
    count = "%d checks are ok" % sum(finding["level"] == "ok" for finding in doc["findings"])
    if not any(line.startswith(count) for line in lines):
        yield count
    levels = [line.split()[0] for line in lines if line.startswith(("problem ", "warning ", "note "))]
    if levels != sorted(levels, key=("problem", "warning", "note").index):
        yield "the worst first"
    if lines[-1] != "-> " + doc["first"]:
        yield "last what to do first"


def verbose(doc, text):
    return [finding for finding in doc["findings"] if finding_words(finding) not in squeezed(text)]


def static(doc, text):
    for device in doc["net_devices"]:
        for word in [device["net_device"], device.get("pnetid", "")] + doc["ueids"]:
            if word not in text:
                yield word


def explained(doc, text):
    for reason in (doc["reason"], doc.get("peer_reason", {})):
        if squeezed(reason.get("meaning", "")) not in squeezed(text):
            yield reason
    for remedy in doc.get("peer_reason", doc["reason"])["remedies"]:
        if "\n" + " " * 12 + "-> " + remedy["command"] + "\n" not in text or squeezed(remedy["purpose"]) not in squeezed(text):
            yield remedy


def plan(doc, text):
    lines = text.splitlines()
    for pair in doc["connections"]:
        mode = {"SMCR": "SMC-R", "SMCD": "SMC-D"}.get(pair["mode"], pair["mode"])
        if not re.search(r"^(%(client)s +<?-> +%(server)s|%(server)s +<-> +%(client)s) +" % pair + mode, text, re.M):
            yield pair
        for gap in pair["why_not_more"]:
            if "remedy" in gap and "-> " + gap["remedy"] not in lines:
                yield gap


def address(end):
    return ("[%s]:%s" if ":" in end["address"] else "%s:%s") % (end["address"], end.get("port", "-")) if "address" in end else "n/a"


def sockets(doc, text):
    """Yield: what the text lacks of mode or state, reason, addresses and processes of each socket."""
    for sock in doc["sockets"]:
        words = [sock.get("mode", sock["state"])]
        if "reason" in sock and sock.get("mode") == "TCP":
            words[0] += " (%s)" % sock["reason"]["symbol"]
        words += [address(sock[end]) for end in ("local", "peer") if sock.get(end)]
        words += ["%s[%d]" % (holder["command"], holder["pid"]) for holder in sock.get("processes", ())]
        if not re.search(r"^" + r"\s+(?:\S+\s+)?".join(map(re.escape, words)), text, re.M):
            yield words
    counts = collections.Counter(sock["mode"] for sock in doc["sockets"] if "mode" in sock)
    words = squeezed(text)
    for mode, count in counts.items():
        if "%d%s" % (count, mode) not in words:
            yield count, mode


def explained_sockets(doc, text):
    yield from sockets(doc, text)
    for symbol, meaning in {(sock["reason"]["symbol"], sock["reason"]["meaning"]) for sock in doc["sockets"] if "reason" in sock}:
        if squeezed(text).count(squeezed("%s: %s" % (symbol, meaning))) != 1:
            yield symbol


def values(*keys):
    """Return: a function that yields the values of these keys that the text lacks."""
    def find(doc, text):
        for row in next(value for value in doc.values() if isinstance(value, list)):
            yield from (row[key] for key in keys if str(row.get(key, "")) not in text)
    return find


def top(_, text):
    if not re.match(r"SMC-D \d+  SMC-R \d+  TCP \d+( +in [^ ]+ k?B/s(  out [^ ]+ k?B/s( +over .* by rate)?)?)?\n", text):
        yield "whole sums"
    head, *rows = (re.split(r"\s{2,}", row) for row in re.findall(r"^(?:Local|Peer|\S+:\d+) .*(?:\n    .*)?", text, re.M))
    yield from (row for row in rows if len(row) != len(head))


def entries(doc, text):
    yield from values("pnetid", "net_device", "ib_device")(doc, text)
    if not text.startswith("PNET_ID "):
        yield "header"


def tree(doc, text):
    yield from values("device")(doc, text)
    if not re.search("^(├─|└─) ", text, re.M):
        yield "lines"


def statistics(doc, text):
    words = " ".join(text.split())
    sizes = ["8KB", "16KB", "32KB", "64KB", "128KB", "256KB", "512KB", ">512KB"]
    for title, side in (("RX Stats", doc["rx"]), ("TX Stats", doc["tx"])):
        part = words[words.index(title):]
        bufs, reqs = ([*map(str, counts[:7]), str(sum(counts[7:]))] for counts in (list(side[kind].values()) for kind in ("buffers", "requests")))
        wide = " ".join([*sizes, "Bufs", *bufs, "Reqs", *reqs])
        if wide not in part and "Size Bufs Reqs " + " ".join(map(" ".join, zip(sizes, bufs, reqs))) not in part:
            yield title
        for label, value in (("Data transmitted (Bytes)", side["bytes"]), ("Total requests", side["calls"]),
                             ("Buffer usage (Bytes)", side["buffer_usage_bytes"]), ("Buffer full", side["full"])):
            if "%s %d " % (label, value) not in part:
                yield title, label


# Command line: function that checks the screen against the JSON; None: no check beyond those of all commands.
SCREENS = {
    "smc_chk": doctor,
    "smc_chk doctor": doctor,
    "smc_chk doctor -i eth0": None,
    "smc_chk doctor --problems": None,
    "smc_chk doctor --verbose": verbose,
    "smc_chk -s": static,
    "smc_chk program sh": None,
    "smc_chk explain PEERNOSMC": explained,
    "smc_chk explain 0x05000000/0x03030000": explained,
    "smc_setup plan A B OTHER BARE": plan,
    "smcss": sockets,
    "smcss -a": sockets,
    "smcss -e": explained_sockets,
    "smcss -D": sockets,
    "smcss -d": sockets,
    "smcss -o inode,uid,cookie,local,peer,mode,process": None,
    "smcss -s": values("process"),
    "smc_top --once -w 0.1": top,
    "smcd device": None,
    "smcr device": values("netdev", "ibdev", "type", "pnetid"),
    "smcr -d device": values("netdev", "ibdev", "type", "pnetid"),
    "smcr linkgroup": values("id", "pnetid"),
    "smcd stats": statistics,
    "smcr -d stats": statistics,
    "smcr info": None,
    "smc_pnet": entries,
    "smc_pnet -l": values("device", "pnetid"),
    "smc_pnet -l --tree": tree,
    "smc_rnics": values("net_device"),
    "smc_rnics -w": values("net_device", "ib_device", "driver"),
    "smc_conf show": None,
    "smc_dump -r made.pcap": None,
    "smc_dump -r smcr.pcap": None,
}
# Commands with styled words when run with --color.
COLORED = {"smcss", "smc_chk", "smc_chk doctor", "smc_setup plan A B OTHER BARE"}


# Programs of extra/ that options of other programs start.
STARTED = {"--all-netns": "smc_netns", "--seccomp": "smc_supervise"}


def is_built(command):
    """make core leaves out programs of extra/."""
    words = command.split()
    return all(os.path.exists(BUILD + "/" + name) for name in [words[0], *(STARTED[word] for word in words if word in STARTED)])


def screen(argv, env, columns):
    status, text = on_terminal([BUILD + "/" + argv[0], *argv[1:]], env, columns)
    return status, PROGRESS.sub("", text)


def check(name, argv, env):
    status, out, err = run(argv, env)
    words = SCREENS[name]
    doc = json.loads(run([word for word in argv if word not in ("--verbose", "--tree", "-e")] + ["-j"], env)[1]) if words else None
    for columns in COLUMNS:
        got, text = screen(argv, dict(env, NO_COLOR="1"), columns)
        wide = [line for line in text.splitlines() if len(line) > columns and not TYPED.match(line)]
        ok(got == status and text and not wide and "\x1b" not in text, "%s: %d columns" % (name, columns), (got, status, wide or text))
        missing = list(words(doc, text)) if words else []
        ok(not missing, "%s: %d columns: nothing is missing" % (name, columns), (missing, text))
    if name not in COLORED:
        return
    got, colored, err = run([*argv, "--color=always"], env)
    ok(got == status and colored != out and STYLE.sub("", colored.decode()) == out.decode(), name + ": --color=always in a pipe", (colored, err))
    ok(run(argv, dict(env, CLICOLOR_FORCE="1"))[1] == colored, name + ": CLICOLOR_FORCE in a pipe")
    plain, shown = screen(argv, dict(env, NO_COLOR="1"), 80)[1], screen(argv, env, 80)[1]
    ok(plain != shown and STYLE.sub("", shown) == plain, name + ": color changes no word", shown)
    ok(screen([*argv, "--color=never"], env, 80)[1] == plain, name + ": --color=never")


def nothing(env):
    """Output if there is nothing to show."""
    for argv, words in ((["smc_chk", "-i", "eth0"], "smc_chk: 'eth0' has no PNET ID\n"),
                        (["smc_pnet", "-s", "NET9"], "smc_pnet: no entry .*\n")):
        got = screen(argv, env, 80)
        ok(got[0] == 0 and re.fullmatch(words, got[1]), " ".join(argv) + ": says that there is nothing", got)
        ok(run(argv, env) == (0, b"", b""), " ".join(argv) + ": but not in a pipe")


# Commands that fail on any host without SMC sockets of its own.
FAILING = ("smcss --al --all-netnss", "smc_chk doctro", "smc_chk explain 0x1234", "smc_top -w nonsense", "smc_run -S nonsense true",
           "smcd stats --nonsense", "smc_pnet -a NET1 -I eth0 -N /nonexistent", "smc_events --netns 1 --nonsense", "smc_ab 1")


def messages(env):
    """Sentences on stderr: one line in a pipe; on a terminal wrapped between words, and commands in quotes stay whole."""
    for command in filter(is_built, FAILING):
        argv = command.split()
        status, _, err = run(argv, env)
        line = err.decode()
        ok(status and line.count("\n") == 1, command + ": one line in a pipe", (status, line))
        for columns in COLUMNS:
            got, text = screen(argv, env, columns)
            lines = text.splitlines()
            ok(got == status and " ".join(part.strip() for part in lines) + "\n" == line and max(map(len, lines)) <= columns
               and all(part.startswith("    ") for part in lines[1:]) and not any(part.count("'") % 2 for part in lines),
               "%s: %d columns: wrapped" % (command, columns), (got, text))


def progress(env, top):
    """A command that may take long shows on a terminal how far it is, and takes that away; in a pipe there is nothing."""
    new = top + "/new.tgz"
    for command, words in (("smc_chk connect 127.0.0.1 -p 1", "connecting to 127\\.0\\.0\\.1 port 1"),
                           ("smc_chk bundle " + new, "collecting: \\d+ of \\d+, [^\r]*")):
        argv = command.split()
        _, out, err = run(argv, env)
        if new in argv:
            os.unlink(new)
        text = on_terminal([BUILD + "/" + argv[0], *argv[1:]], env, 40)[1]
        ok(re.match("(\r\x1b\\[K%s)+\r\x1b\\[K[^\r]*$" % words, text), command + ": progress on a terminal", text)
        ok(b"\r" not in out + err, command + ": none in a pipe", (out, err))


# Commands that need SMC, but no privileges.
USING = ("smcss", "smcss -s --all-netns", "smc_top --once", "smcd info", "smcr device", "smcd -j stats", "smc_pnet", "smc_pnet -l --tree",
         "smc_conf show", "smc_run --strict true", "smc_run --seccomp --strict true", "smc_chk serve --once", "smc_chk -s", "smc_ab 8 true")


def without_smc(env):
    """On a kernel without SMC, each tool names the command to type next."""
    try:
        socket.socket(43, socket.SOCK_STREAM).close()
        skip("a kernel without SMC", "this one has it")
        return
    except OSError:
        pass
    for command in filter(is_built, USING):
        status, text = screen(command.split(), env, 80)
        ok(status and squeezed(text).endswith(squeezed(" 'smc_chk doctor'")), command + ": no SMC, and the command to type", (status, text))


def main():
    needs("screens")
    with new_directory() as top:
        env = {"PATH": BUILD + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "HOME": "/", "TMPDIR": top}
        recorded = dict(env, SMC_TOOLS_ROOT=unpack(top))
        files, hosts = fleet.template(), {}
        os.chdir(top)
        for i, (name, more) in enumerate((("A", {}), ("B", {}), ("OTHER", {"eids": ("OTHER",)}), ("BARE", {"has_rdma": False}))):
            hosts[name] = name + ".tar.gz"
            fleet.bundle(hosts[name], name, fleet.host(files, "10.0.0.%d" % (i + 1), **more))
        hosts.update({name: ROOT + "/tests/cli/captures/" + name for name in ("made.pcap", "smcr.pcap")})
        for name in filter(is_built, SCREENS):
            check(name, [hosts.get(word, word) for word in name.split()], env if " plan " in name else recorded)
        nothing(recorded)
        messages(env)
        if is_built("smc_dump"):
            status, text = screen(["smc_dump"], env, 80)
            ok(status == 1 and "--all" in text, "smc_dump: without a filter, a terminal is asked for one", (status, text))
        without_smc(env)
        progress(env, top)
    done()


main()
