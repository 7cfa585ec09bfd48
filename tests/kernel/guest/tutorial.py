# SPDX-License-Identifier: MIT
"""docs/tutorial.md, typed line by line: each command prints the lines below it, except for parts that vary.

usage: tutorial.py DIRECTORY    in systemd, see boot.py; SMC_LAB_OUT/tutorial.md is the text with the present output"""
import difflib
import fcntl
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import termios

import kern
from boot import UNITS, add_redis_user, boot_systemd, choose_units
from kern import done, ok, out_of, read, skip, wait_for, write
from samples import Scene

COUNT, WORK = "/run/count", "/run/work"
GROUP = "/sys/fs/cgroup/tutorial"
MARK = "=== status "
PROGRESS = re.compile("(\r\x1b\\[K[^\r]*)*\r\x1b\\[K|\r(?=\n)")
# Commands whose output may change a moment after the previous command.
READERS = "smcss", "smc_unit status", "smc_bpf status"
RULES = ((r"\b[0-9a-f]{64}\b", "ID"), (r"^(Created symlink) .*", r"\1"), (r"\b(pid|fd)=\d+", r"\1=N"), (r"(?<=in use) +\d+$", " PID"),
         (r"\b\d+ files, \d+ KB", "SIZE"))
PLAIN = Scene(None, RULES).plain


def endpoints():
    """TCP sockets that listen or are connected: local and remote end, state."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        return {tuple(line.split()[1:4]) for line in table if line.split()[3] in ("01", "0A")}


class Shell:
    """One shell on a terminal, for all commands: jobs and directory are kept."""
    def __init__(self, directory):
        here, there = os.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("4H", 50, 100, 0, 0))
        self.process = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=there, stderr=there, text=True, cwd=directory,
                                        env=dict(os.environ, TERM="dumb", SYSTEMD_PAGER="cat"))
        os.close(there)
        self.screen = os.fdopen(here, newline="\n")

    def run(self, command):
        """Return: its status and output."""
        before = endpoints()
        self.process.stdin.write("{\n%s\n} </dev/null\nprintf '%s%%d\\n' $?\n" % (command, MARK))
        self.process.stdin.flush()
        text = ""
        for line in self.screen:
            words, mark, status = PROGRESS.sub("", line).partition(MARK)
            text += words
            if mark:
                break
        else:
            raise RuntimeError("the shell ended: " + text)
        if command.endswith("&"):
            wait_for(lambda: endpoints() - before)
        return int(status), text


def commands_of(lines):
    """Return: for each command the indices of its first line, of the line after it and of the line after its output; and the
    command."""
    found, is_inside = [], False
    for i, line in enumerate(lines):
        if line.startswith("```"):
            is_inside = line == "```console" and lines[i - 1] != "<!-- install -->"
        elif is_inside and line.startswith("$ "):
            found.append([i, i + 1, i + 1, line[2:]])
        elif is_inside and line.startswith("> ") and found[-1][1] == i:
            found[-1][1:] = [i + 1, i + 1, found[-1][3] + "\n" + line[2:]]
        elif is_inside:
            found[-1][2] = i + 1
    return found


def is_same(result, want):
    """Are the lines the same, in any order? The order of sockets varies. A command may only fail if the page has its
    message."""
    status, text = result
    return sorted(PLAIN(text).splitlines()) == sorted(PLAIN(want).splitlines()) and (not status or text)


def type_all(lines, shell):
    """Return: the lines with the actual output."""
    new, last = [], 0
    for _, begin, end, command in commands_of(lines):
        new += lines[last:begin]
        last = end
        want = "".join(line + "\n" for line in lines[begin:end])
        if command.startswith("promtool") and not shutil.which("promtool"):
            skip(command, "no promtool")
            new += lines[begin:end]
            continue
        results = []
        def attempt():
            results.append(shell.run(command))
            return is_same(results[-1], want) or not command.startswith(READERS)
        wait_for(attempt, 20)
        status, text = results[-1]
        ok(is_same((status, text), want), "tutorial: " + command.splitlines()[0], "status %d\n" % status + "\n".join(
            difflib.unified_diff(PLAIN(want).splitlines(), PLAIN(text).splitlines(), "page", "now", "", "", 3, "")))
        new += text.splitlines()
    return new + lines[last:]


def prepare():
    """A machine after "make install", with podman, redis and Prometheus' promtool, and a bundle of another one."""
    shutil.rmtree("/etc/smc-tools")
    os.mkdir("/etc/smc-tools")
    out_of("smcd", "ueid", "flush")
    for name in os.listdir("/run/netns") if os.path.exists("/run/netns") else ():
        out_of("ip", "netns", "del", name)
    add_redis_user()
    # Names of containers are looked for where podman's usual driver has them.
    os.symlink("vfs-containers", "/var/lib/containers/storage/overlay-containers")
    os.mkdir(WORK)
    out_of("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "wire")
    out_of("ip", "link", "set", "eth0", "up")
    out_of("ip", "addr", "add", "10.0.0.7/24", "dev", "eth0")
    out_of("unshare", "--uts", "sh", "-c", "hostname web && smc_chk bundle %s/web.tar.gz" % WORK)
    out_of("ip", "addr", "flush", "dev", "eth0")
    out_of("ip", "addr", "add", "10.0.0.1/24", "dev", "eth0")


def boot():
    """The tutorial in systemd. Return: the status, of the tests before it, too."""
    write(UNITS + "/lab.target", "[Unit]\nDefaultDependencies=no\n")
    choose_units("/lib/systemd/system/redis-server.service", "/lib/systemd/system/multi-user.target", *glob.glob("/lib/systemd/system/smc-*"))
    prepare()
    write("/sys/fs/cgroup/cgroup.subtree_control", "+cpu +memory +pids")
    os.mkdir(GROUP)
    write(COUNT, "%d %d" % kern.counted())
    return boot_systemd(__file__, os.getcwd(), group=GROUP)


def main():
    kern.go_on(*map(int, read(COUNT).split()))
    lines = read(sys.argv[1] + "/docs/tutorial.md").splitlines()
    new = type_all(lines, Shell(WORK))
    write(os.environ["SMC_LAB_OUT"] + "/tutorial.md", "\n".join(new) + "\n")
    done()


if __name__ == "__main__":
    main()
