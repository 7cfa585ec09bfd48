# SPDX-License-Identifier: MIT
"""Compare predictions of smc_setup plan for bundles of guests with their connections: see guest/plan_r.py.
usage: plan_judge.py DIRECTORY PAIRS SEED"""
import collections
import json
import os
import sys

sys.path[:0] = ["tests", "tests/kernel/guest"]
import fleet  # noqa: E402
from tap import done, equal, ok  # noqa: E402


def read(path):
    """Read a file; None if the guests did not get this far."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="ascii") as file:
        return tuple(json.load(file))


def main(top, count, seed):
    counts, missing = collections.Counter(), []
    for number, pair in enumerate(fleet.draw(seed, count)):
        paths = [fleet.path_of(top, number, node) for node in (1, 2)]
        modes = [read(fleet.mode_path(top, number, client)) for client in (1, 2)]
        if None in modes:
            missing.append(number)
            continue
        guess = fleet.predicted(*paths)
        fleet.judge(number, pair, guess, modes)
        counts.update(mode[0] for mode in modes)
        if number % fleet.WHOLE == fleet.WHOLE - 1:
            anonymous = fleet.predicted(*(path + ".tgz" for path in paths))
            equal([mode for mode, _ in anonymous], [mode for mode, _ in guess], "%d: the same of anonymous bundles" % number)
    print("# %d pairs, seed %d: %s" % (count - len(missing), seed, dict(counts)))
    ok(not missing, "all pairs were made", missing)
    ok(len(counts) > 1, "not all of them are the same", counts)
    done()


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
