# SPDX-License-Identifier: MIT
"""Does smc_keep get unsent data of programs that AppArmor confines, with abstractions/smc-tools?"""
from apparmor import denials, load, set_up
from kern import done, equal
from keep_home import closes, held_at_last

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


def check(user):
    """Return: is a socket held, was a namespace's path denied; what became of the data."""
    denials()
    rest, sockets, _ = closes(["/usr/bin/smc_run", *user, "aa-exec", "-p", "lab-keep", "--"], [], held_at_last)
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
