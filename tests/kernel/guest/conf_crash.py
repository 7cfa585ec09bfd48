# SPDX-License-Identifier: MIT
"""smc_conf, killed before each of its changes; with full disks, several at once, and with random files. A later apply has the result
of one that was not disturbed."""
import os
import random
import shutil
import subprocess

from kern import done, equal, ok, out_of, read, run, write

CONF = "/etc/smc-tools/smc.conf"
STEP = shutil.which("step.so")
KNOBS = "net.smc.autocorking_size", "net.smc.wmem"
HAS_SCOPES = bool(shutil.which("smc_bpf")) and not run("smc_bpf", "check")[0]
DEVICES = ["dev%d" % i for i in range(4)]
# Settings of an administrator: FIRST is deleted for a moment when dev0 leaves it.
BY_HAND = """exclusive
pnetid first net dev0 net dev1
pnetid second net dev2
netns blue
exclusive
"""
FILE = """eid CRASH1 CRASH2
handshake-limit on
%s 131072
pnetid third net dev0
deny port 22
allow 10.0.0.0/8 fd00::/8
%snetns blue
%s 90000
pnetid fourth net lo
""" % (KNOBS[0], "scope /crash only ipv4\n" if HAS_SCOPES else "", KNOBS[0])


def conf(*argv, lines=None, kill=None, command=None):
    """Status, output and errors of smc_conf, which is killed before change number @kill, or waits for a command there."""
    env = dict(os.environ, **({"LD_PRELOAD": STEP, "STEP_KILL": str(kill)} if kill else {}), **({"STEP_RUN": command} if command else {}))
    result = subprocess.run(("smc_conf",) + argv, input=lines, text=True, capture_output=True, env=env, check=False)
    return result.returncode, result.stdout, result.stderr


def export():
    return conf("export")[1]


def applied(*argv, lines=None):
    result = conf(*argv, lines=lines)
    if result != (0, "", ""):
        ok(False, "smc_conf " + " ".join(argv), (result, lines))


def reset():
    applied("apply", "-", lines=BY_HAND)


def pnetids(text):
    """Lines of PNET IDs in any order: the kernel's table has none."""
    return sorted(text.splitlines())


def check_killed(verb, expected, prepare=reset):
    """Return: number of steps."""
    step, wrong = 1, []
    while True:
        prepare()
        status, _, _ = conf(*verb, lines=FILE, kill=step)
        if status != -9:
            equal(status, 0, "%s: not killed after %d steps" % (verb[0], step - 1))
            break
        again = conf(*verb, lines=FILE)
        found = export()
        if again[0] or pnetids(found) != pnetids(expected):
            wrong.append((step, again, found))
        step += 1
    ok(not wrong and step > 5, "%s: killed before each of %d changes, the next one does all" % (verb[0], step - 1), wrong[:2])


def check_kills():
    reset()
    applied("apply", "-", lines=FILE)
    expected = export()
    ok("pnetid FIRST net dev1\n" in expected and "pnetid THIRD net dev0\n" in expected, "what it sets, beside what is set by hand", expected)
    check_killed(("apply", "-"), expected)

    def everything():
        reset()
        applied("apply", "-", lines=FILE)

    applied("reset")
    check_killed(("reset",), export(), everything)
    equal([name for name in os.listdir("/run/smc-tools") if name != "smc_conf.lock"], [], "no file is left in /run/smc-tools")


def check_vanishing():
    """A network namespace is deleted before each change: a second apply has the rest, and all once there is one of that name."""
    reset()
    applied("apply", "-", lines=FILE)
    expected = export()
    step, wrong = 1, []
    while True:
        reset()
        first = conf("apply", "-", lines=FILE, kill=step, command="ip netns del blue")
        if os.path.exists("/run/netns/blue"):
            equal(first, (0, "", ""), "a namespace that vanishes: no change after %d" % (step - 1))
            break
        again = conf("apply", "-", lines=FILE)
        host = export()
        out_of("ip", "netns", "add", "blue")
        whole = conf("apply", "-", lines=FILE), export()
        if again[0] or pnetids(host) != pnetids(expected.split("\nnetns ")[0]) or \
                whole[0] != (0, "", "") or pnetids(whole[1]) != pnetids(expected):
            wrong.append((step, first, again, host, whole))
        step += 1
    ok(not wrong and step > 5, "a namespace that vanishes before each of %d changes: the next apply does the rest" % (step - 1), wrong[:2])


def check_keep():
    """The file is the old one or the new one, and keep can be repeated."""
    reset()
    applied("apply", "-", lines=FILE)
    expected = export()
    step, wrong = 1, []
    while True:
        shutil.rmtree("/etc/smc-tools", ignore_errors=True)
        write(CONF, "eid OLD\n")
        status, _, _ = conf("keep", kill=step)
        between = read(CONF)
        again = conf("keep")
        names = sorted(os.listdir("/etc/smc-tools"))
        if between not in (expected, "eid OLD\n") or again[0] or read(CONF) != expected or read(CONF + ".old") != "eid OLD\n" or \
                names != ["smc.conf", "smc.conf.old"]:
            wrong.append((step, between, again, names))
        if status != -9:
            break
        step += 1
    ok(not wrong and step > 3, "keep: killed before each of %d changes" % (step - 1), wrong[:2])


def check_full():
    """No room in /etc: the old file stays. None in /run: everything is applied."""
    shutil.rmtree("/etc/smc-tools", ignore_errors=True)
    os.makedirs("/etc/smc-tools")
    for path in "/etc/smc-tools", "/run/smc-tools":
        out_of("mount", "-t", "tmpfs", "-o", "size=16k", "none", path)
        write(path + "/smc.conf", "eid OLD\n")
        with open(path + "/full", "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass
    status, out, err = conf("keep")
    ok(status == 1 and not out and "No space left" in err, "keep: no room", (status, out, err))
    equal((read(CONF), sorted(os.listdir("/etc/smc-tools"))), ("eid OLD\n", ["full", "smc.conf"]), "the old file stays, alone")
    applied("reset")
    applied("apply", "-", lines=FILE)
    equal(conf("diff", "-", lines=FILE), (0, "", ""), "apply needs no room")
    out_of("umount", "/etc/smc-tools")
    out_of("umount", "/run/smc-tools")


def random_file(rng):
    lines = ["exclusive"]
    if rng.random() < 0.8:
        lines.append("eid " + " ".join(rng.sample(["A", "B", "C.D", "E-1", "F", "G"], rng.randrange(1, 5))))
    lines += ["handshake-limit " + rng.choice(["on", "off"])] * rng.randrange(2)
    lines += ["%s %d" % (knob, rng.randrange(16384, 1 << 20)) for knob in KNOBS if rng.random() < 0.5 and
              os.path.exists("/proc/sys/" + knob.replace(".", "/"))]
    lines += ["pnetid %s net %s" % (rng.choice(["N1", "N2", "N3"]), device) for device in DEVICES if rng.random() < 0.6]
    for _ in range(rng.randrange(4)):
        net = "%d.%d.0.0/%d" % (rng.randrange(1, 99), 16 * rng.randrange(16), rng.choice([12, 16]))
        lines.append("%s %s%s%s" % (rng.choice(["allow", "deny"]), rng.choice(["", "to ", "from "]), net,
                                    rng.choice(["", ":443", ":8000-8100"])))
    lines += ["deny port %d" % rng.randrange(1, 65536)] * rng.randrange(2)
    if HAS_SCOPES:
        lines += ["scope /crash" + rng.choice(["", " only ipv4", " only none", " mptcp keep", " exclude-comm b exclude-comm a"])] * \
            rng.randrange(2)
    lines += ["netns blue", "exclusive", "%s %d" % (KNOBS[0], rng.randrange(1 << 20)), "pnetid IN net lo",
              "deny port 1"][:rng.choice([2, 3, 4, 5])]
    return "\n".join(lines) + "\n"


def check_random(seed, rounds):
    rng = random.Random(seed)
    for number in range(rounds):
        first, second = random_file(rng), random_file(rng)
        applied("apply", "-", lines=first)
        applied("apply", "-", lines=second)
        both = export()
        applied("reset")
        applied("apply", "-", lines=second)
        alone = export()
        what = "seed %d, round %d: " % (seed, number)
        equal(pnetids(both), pnetids(alone), what + "one file after another is the other")
        equal(conf("diff", "-", lines="exclusive\n" + both), (0, "", ""), what + "export, diff")
        applied("apply", "-", lines=both)
        equal(pnetids(export()), pnetids(both), what + "export, apply: no change")


def check_together():
    """Each of two files by several processes, some of which are killed."""
    first, second = ("exclusive\neid %s\npnetid %s net dev0 net dev1\npnetid both net dev2\nhandshake-limit %s\n" % words
                     for words in (("A", "n1", "on"), ("B", "n2", "off")))
    wanted = []
    for text in first, second:
        applied("apply", "-", lines=text)
        wanted.append(pnetids(export()))
    write("/run/first", first)
    write("/run/second", second)
    all_of = []
    for number in range(10):
        env = dict(os.environ, **({"LD_PRELOAD": STEP, "STEP_KILL": str(number + 1)} if number % 3 == 2 else {}))
        all_of.append(subprocess.Popen(("smc_conf", "apply", ("/run/first", "/run/second")[number % 2]), env=env))
    all_of.append(subprocess.Popen(("smc_conf", "apply", "/run/second")))
    states = [process.wait() for process in all_of]
    ok(set(states) <= {0, -9}, "many at once: none fails", states)
    applied("apply", "/run/first")
    equal(pnetids(export()), wanted[0], "many at once: the last one has all of its file")


def main():
    out_of("ip", "netns", "add", "blue")
    for device in DEVICES:
        out_of("ip", "link", "add", device, "type", "dummy")
    os.makedirs("/sys/fs/cgroup/crash", exist_ok=True)
    check_kills()
    check_vanishing()
    check_keep()
    check_full()
    check_random(68, 12)
    check_together()
    done()


main()
