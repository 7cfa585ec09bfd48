# SPDX-License-Identifier: MIT
"""smc_ab finds no difference between a command and itself, in 19 of 20 tries on average: by chance more or fewer here.

The number of tries suffices to distinguish: at 19 of 20 right on average, six of twenty are wrong in 1 of 3000 runs of this test, at 14 of 20 in half
of them. The coverage itself is tested with thousands of tries, by unit/numbers."""
import json
import subprocess

from kern import done, equal, ok, run, wait_for

TRIES, WRONG_MAX = 20, 5
verdicts = []

# Runs in the background until the guest ends.
server = subprocess.Popen(["smc_run", "traffic", "serve", "7100"], stdout=subprocess.DEVNULL)
wait_for(lambda: run("smc_run", "burn", "7100")[0] == 0)
for _ in range(TRIES):
    status, out, err = run("smc_ab", "-n", "8", "-j", "--metric", "([0-9.]+) steps/us", "--", "burn", "7100")
    doc = json.loads(out) if out else {"error": err}
    if (status, err, doc.get("used_smc")) != (0, "", 8):
        ok(False, "a try", (status, err, doc))
        break
    verdicts.append(doc["verdict"])
    print("# %s, %.3f: %s" % (doc["verdict"], doc["metric"]["ratio"], doc["metric"]["interval"]), flush=True)
server.kill()
equal(len(verdicts), TRIES, "every run used SMC")
ok(set(verdicts) <= {"none", "smc", "tcp"}, "a verdict of each try", verdicts)
ok(TRIES - verdicts.count("none") <= WRONG_MAX, "no difference in %d of %d tries" % (verdicts.count("none"), len(verdicts)), verdicts)
done()
