# SPDX-License-Identifier: MIT
"""The frequency of this machine's time-stamp counter, in kHz: an emulated guest has the same counter, and measures it
wrong, by a factor even, while this machine is busy. Sampled with the clock before and after; of several samples the
one that took least."""
import ctypes
import mmap
import time

# rdtsc; shl rdx, 32; or rax, rdx; ret
CODE = bytes.fromhex("0f31 48c1e220 4809d0 c3")


def sample(counter):
    best = None
    for _ in range(20):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        ticks = counter()
        took = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - before
        if best is None or took < best[0]:
            best = took, ticks, before + took // 2
    return best[1:]


page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(CODE)
rdtsc = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
first = sample(rdtsc)
time.sleep(0.1)
last = sample(rdtsc)
print((last[0] - first[0]) * 1000000 // (last[1] - first[1]))
