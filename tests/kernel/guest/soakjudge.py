# SPDX-License-Identifier: MIT
"""Does a process grow? Evaluates the samples of "make soak"."""
from statistics import median

WARM_UP = 0.1
# Two windows of a quarter each: after the warm-up, and at the end.
WINDOW = (1 - WARM_UP) / 4
SLICES = 9
# Tolerance for the usual maximum of a window: two pages; a connection more or less at the time.
NOISE = {"kb": 8, "fds": 2, "threads": 2}
# Where it is known what malloc() has handed out, in bytes, that must not grow. Then malloc() may keep some pages
# more than before: how many there ever were depends on the largest tables, and on the order of their parts.
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
    """Sentences. refreshes: how many there were in each tenth of the time; rows: how many showed what they had to."""
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
