# SPDX-License-Identifier: MIT
"""smc_setup --apply over all hosts of a cluster: SMC-R between each pair, in both directions, as planned; and --undo. Host 1 does it,
the others are reached by an ssh of ours. The hosts have one table of EIDs, but each its own name and files."""
import os

from kern import done, equal, ok, out_of, run, write

HOSTS = int(os.environ["SMC_LAB_HOSTS"])
NAMES = ["host%d" % host for host in range(1, HOSTS + 1)]
ADDED = "/etc/smc-tools/smc.conf.d/50-added.conf"
# usage: on HOST COMMAND...: a shell there runs it, as with ssh. One boot ID would mean one kernel, with SMC-D over loopback.
ON = """#!/bin/sh
exec ip netns exec "$1" unshare --mount --uts sh -c '
	mkdir -p "/run/files/$1" /etc/smc-tools && mount --bind "/run/files/$1" /etc/smc-tools && hostname "$1" &&
		mount --bind "/run/boot-$1" /proc/sys/kernel/random/boot_id && shift && eval "$*"' sh "$@"
"""
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
exec on "$@"
"""


def on(host, command):
    return run("on", host, command)


def setup(*options):
    return on("host1", " ".join(("smc_setup", *options, *NAMES[1:])))


def rows(out):
    return sorted(" ".join(line.split()) for line in out.split("Seen\n")[-1].splitlines())


def files():
    return [on(host, "cat " + ADDED)[1].split() for host in NAMES]


def main():
    for name, text in ("on", ON), ("ssh", SSH):
        write("/usr/bin/" + name, text)
        os.chmod("/usr/bin/" + name, 0o755)
    for number, name in enumerate(NAMES):
        write("/run/boot-" + name, "00000000-0000-0000-0000-00000000000%d\n" % number)
    status, out, err = setup("--apply", "--yes")
    pairs = ["%s %s" % (client, server) for client in NAMES for server in NAMES if client != server]
    equal((status, rows(out), err), (0, ["%s SMC-R v2, 2 links SMC-R, 2 links" % pair for pair in pairs], ""), "--apply: SMC-R with two links between all hosts")
    equal(files(), [["eid", "SMC-SETUP"]] * HOSTS, "an EID in common, also at the next boot")
    status, out, err = setup("--apply", "--yes")
    ok(status == 0 and "Nothing to change" in out and not err, "again: nothing to do", (status, out, err))
    equal(setup("--undo", "--yes"), (0, "", ""), "--undo")
    equal((out_of("smcd", "ueid"), files()), ("", [[]] * HOSTS), "all hosts are as before")
    done()


main()
