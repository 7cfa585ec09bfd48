# SPDX-License-Identifier: MIT
"""A map of sockets with a verdict on streams, and a sock_ops program that uses it, by bpf(2)."""
import ctypes
import os
import platform
import struct

NUMBER = {"x86_64": 321, "aarch64": 280, "s390x": 351}
MAP_CREATE, PROG_LOAD, PROG_ATTACH = 0, 5, 8
SOCKHASH, SOCK_OPS, SK_SKB, STREAM_VERDICT = 18, 13, 14, 5
LIBC = ctypes.CDLL(None, use_errno=True)


def bpf(command, attr):
    buffer = ctypes.create_string_buffer(attr, 128)
    ret = LIBC.syscall(NUMBER[platform.machine()], command, buffer, len(buffer))
    if ret < 0:
        raise OSError(ctypes.get_errno(), "bpf")
    return ret


def load(kind, name, code):
    """A program that returns 1: SK_PASS."""
    code += struct.pack("=BBhi", 0xb7, 0, 0, 1) + struct.pack("=BBhi", 0x95, 0, 0, 0)
    code, licence = ctypes.create_string_buffer(code, len(code)), ctypes.create_string_buffer(b"GPL")
    return bpf(PROG_LOAD, struct.pack("=IIQQIIQII16s", kind, len(code) // 8, ctypes.addressof(code), ctypes.addressof(licence),
                                      0, 0, 0, 0, 0, name))


def make():
    """Return: descriptors, which keep everything in the kernel."""
    fds = [bpf(MAP_CREATE, struct.pack("=IIIIIII16s", SOCKHASH, 8, 8, 16, 0, 0, 0, b"lab_socks"))]
    fds.append(load(SK_SKB, b"lab_verdict", b""))
    bpf(PROG_ATTACH, struct.pack("=IIII", fds[0], fds[1], STREAM_VERDICT, 0))
    # A load of the map's address: its registers are 1 and 1 (BPF_PSEUDO_MAP_FD), in either byte order.
    use = struct.pack("=BBhi", 0x18, 0x11, 0, fds[0]) + bytes(8)
    fds.append(load(SOCK_OPS, b"lab_ops", use))
    return fds


def close(fds):
    while fds:
        os.close(fds.pop())
