# SPDX-License-Identifier: MIT
"""Does a process grow? Evaluates the samples of "make soak"."""
from statistics import median

WARM_UP = 0.1
# Share of a window: one is after the warm-up, one at the end.
WINDOW = (1 - WARM_UP) / 4
SLICES = 9
# Tolerated growth: two pages of memory, and one connection.
NOISE = {"kb": 8, "fds": 2, "threads": 2}
# If the bytes that malloc() has handed out are known, they may grow by HEAP_NOISE. Memory may then grow by KEPT KiB, as
# the pages that malloc() keeps depend on the largest tables so far and on the order of allocations.
HEAP_NOISE, KEPT = 512, 64
PARTS = 10


class Sample:
    """A sample of a process, at a moment from 0 to 1."""

    def __init__(self, when, kb, fds, threads, heap=None):
        self.when, self.kb, self.fds, self.threads, self.heap = when, kb, fds, threads, heap


def usual(samples, what, start, extreme=max):
    """The median of the maxima of a window's slices: a leak raises all of them, a rare moment one.

    None if the process was not seen in most slices. In a few of them a busy machine may not have looked."""
    slices = [[] for _ in range(SLICES)]
    for sample in samples:
        position = int((sample.when - start) / WINDOW * SLICES)
        value = getattr(sample, what)
        if sample.when >= start and position < SLICES and value is not None:
            slices[position].append(value)
    seen = [extreme(part) for part in slices if part]
    return median(seen) if 2 * len(seen) > SLICES else None


def ends(samples, what, extreme=max):
    """Usual maxima after the warm-up, in the middle and at the end; None if it was not seen throughout."""
    return [usual(samples, what, start, extreme) for start in (WARM_UP, (1 + WARM_UP - WINDOW) / 2, 1 - WINDOW)]


def faults(samples, refreshes=None, rows=None):
    """Return: a sentence for each fault. @refreshes: their number in each tenth of the time; @rows: number of refreshes with
    the expected output."""
    found, noise = [], dict(NOISE)
    start, _, end = ends(samples, "heap", min)
    if None not in (start, end):
        noise["kb"] = KEPT
        if end > start + HEAP_NOISE:
            found.append("bytes in use grow from %d to %d" % (start, end))
    for what, name in (("kb", "kB"), ("fds", "descriptors"), ("threads", "threads")):
        start, _, end = ends(samples, what)
        if start is None or end is None:
            return ["was not there all the time"]
        if end > start + noise[what]:
            found.append("%s grow from %g to %g" % (name, start, end))
    if refreshes is not None and not all(refreshes):
        found.append("stood still: %s refreshes in the tenths of the time" % " ".join(map(str, refreshes)))
    if rows == 0:
        found.append("never showed what it is there for")
    return found
