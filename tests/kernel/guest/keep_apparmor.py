# SPDX-License-Identifier: MIT
"""Does smc_keep get unsent data of programs that AppArmor confines, with abstractions/smc-tools?"""
import os

from apparmor import denials, load, set_up
from kern import done, equal, processes, wait_for
from keep_home import closes

PROFILE = """include <tunables/global>
profile lab-keep %s {
  include <abstractions/base>
  include <abstractions/python>
  include <abstractions/smc-tools>
  network inet stream,
  /usr/bin/python3* mrix,
  /run/smc-lab/** r,
  @{PROC}/sys/net/** r,
}
"""
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]


def unix_sockets():
    with open("/proc/net/unix", encoding="ascii", errors="replace") as file:
        return {"socket:[%s]" % line.split()[6] for line in file}


def held():
    """Number of sockets passed to keepers; None while one may still get some: it ends without any."""
    pids, own = processes("smc_keep"), unix_sockets()
    found = {link for pid in pids for link in links("/proc/%d/fd" % pid) if link.startswith("socket:")}
    return len(found - own - unix_sockets()) or (None if pids else 0)


def links(directory):
    try:
        return [os.readlink(os.path.join(directory, name)) for name in os.listdir(directory)]
    except OSError:
        return []


def check(user):
    """Return: is a socket held, was a namespace's path denied; what became of the data."""
    denials()
    rest, sockets, _ = closes(["/usr/bin/smc_run", *user, "aa-exec", "-p", "lab-keep", "--"], [], lambda: wait_for(lambda: held() is not None) and held())
    return (sockets, ("getattr", "") in denials()[0]), rest


def main():
    set_up()
    for user, name in ([], "root"), (NOBODY, "nobody"):
        load("keep", PROFILE % "")
        found, rest = check(user)
        equal(found, (0, True), "%s: no keeper, as namespaces have no path; the data: %s" % (name, rest))
        load("keep", PROFILE % "flags=(attach_disconnected)")
        equal(check(user), ((1, False), "complete"), name + ", attach_disconnected: the keeper has the socket, and sends the data")
    done()


main()
