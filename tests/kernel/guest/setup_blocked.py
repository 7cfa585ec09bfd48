# SPDX-License-Identifier: MIT
"""A firewall drops packets of SMC-R to guest 2 before any link exists. For the client the handshake succeeds, and the server
declines three seconds later. The kernel may block calls of the client then, even exit(): smc_setup --apply and smc_chk connect
end nevertheless, with the reason. Without the firewall there is SMC-R."""
import agent
from kern import NODE, done, ok, sync, write
from setup_r import BLOCK, UNBLOCK, add_card, connect, on_b, setup, tests_of


def has_reason(text):
    return "TIMEOUT_CL" in text or "4791" in text


def check_apply():
    status, out, err = setup("--apply", "--yes", "b")
    rows = tests_of(out)
    ok(status in (1, 2) and len(rows) == 2 and not err, "--apply ends", (status, out, err))
    ok(all(has_reason(row) for row in rows), "and gives the reason", rows)


def main():
    add_card()
    write("/proc/sys/kernel/hostname", "host%d" % NODE)
    if NODE == 2:
        agent.serve()
    sync("up")
    if NODE == 1:
        agent.install()
        on_b(BLOCK)
        check_apply()
        status, out = connect()
        ok(status in (1, 2) and "Success" not in out and has_reason(out), "so does smc_chk connect, and calls it no success", (status, out))
        on_b(UNBLOCK)
        status, out = connect()
        ok(status == 0 and "using SMC-R" in out and " verified" in out, "without the firewall: SMC-R", (status, out))
    sync("end")
    if NODE == 1:
        done()


main()
