# SPDX-License-Identifier: MIT
"""TCP option 254 of SMC in the SYNs of this process: a sock_ops program of eBPF, instruction by instruction."""
import ctypes
import os
import platform
import struct
import sys

SYS_BPF = {"x86_64": 321, "s390x": 351, "aarch64": 280}[platform.machine()]
PROG_LOAD, PROG_ATTACH, SOCK_OPS, CGROUP_SOCK_OPS = 5, 8, 13, 3
# Values of sock_ops->op, a flag, and numbers of helpers.
CONNECT, ACTIVE_ESTABLISHED, PASSIVE_ESTABLISHED, LISTEN, OPTION_LENGTH, WRITE_OPTION = 3, 4, 5, 11, 14, 15
WRITE_OPTIONS = 1 << 6
SET_FLAGS, STORE_OPTION, RESERVE_OPTION = 59, 143, 144
OPTION = bytes.fromhex("fe06e2d4c3d9")
CGROUP = "/sys/fs/cgroup/smc-peer"


def instruction(code, target=0, source=0, offset=0, value=0):
    registers = source << 4 | target if sys.byteorder == "little" else target << 4 | source
    return struct.pack("=BBhi", code, registers, offset, value)


def move(register, value):
    return [instruction(0xb7, register, value=value)]


def call(helper):
    return [instruction(0xbf, 1, 6), instruction(0x85, value=helper)]


END = move(0, 1) + [instruction(0x95)]


def store(data):
    """The option on the stack, and its address in register 2."""
    words = [int.from_bytes(data[at:at + 2], sys.byteorder) for at in range(0, len(data), 2)]
    return ([instruction(0x6a, 10, offset=2 * i - 8, value=word) for i, word in enumerate(words)] +
            [instruction(0xbf, 2, 10), instruction(0x07, 2, value=-8)])


PARTS = (
    ((CONNECT, LISTEN), move(2, WRITE_OPTIONS) + call(SET_FLAGS)),
    ((ACTIVE_ESTABLISHED, PASSIVE_ESTABLISHED), move(2, 0) + call(SET_FLAGS)),
    ((OPTION_LENGTH,), move(2, len(OPTION)) + move(3, 0) + call(RESERVE_OPTION)),
    ((WRITE_OPTION,), store(OPTION) + move(3, len(OPTION)) + move(4, 0) + call(STORE_OPTION)),
)


def program():
    code = [instruction(0xbf, 6, 1), instruction(0x61, 7, 1)]
    for ops, part in PARTS:
        body = part + END
        for i, op in enumerate(ops):
            last = i == len(ops) - 1
            # The last one skips the body unless it matches, the others jump to it if they do.
            code.append(instruction(0x55 if last else 0x15, 7, offset=len(body) if last else len(ops) - 1 - i, value=op))
        code += body
    return b"".join(code + END)


def bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes.ljust(128, b"\0"), 128)
    result = ctypes.CDLL(None, use_errno=True).syscall(SYS_BPF, command, buffer, 128)
    if result < 0:
        raise OSError(ctypes.get_errno(), "bpf")
    return result


def load(code):
    text, log = ctypes.create_string_buffer(code), ctypes.create_string_buffer(65536)
    name = ctypes.create_string_buffer(b"MIT\0")
    attributes = struct.pack("=IIQQIIQ", SOCK_OPS, len(code) // 8, ctypes.addressof(text), ctypes.addressof(name), 1,
                             len(log), ctypes.addressof(log))
    try:
        return bpf(PROG_LOAD, attributes)
    except OSError as error:
        raise OSError(error.errno, log.value.decode()) from None


def offer_smc():
    """From now on, sockets of this process and its children offer SMC."""
    os.makedirs(CGROUP, exist_ok=True)
    with open(CGROUP + "/cgroup.procs", "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    group = os.open(CGROUP, os.O_RDONLY)
    bpf(PROG_ATTACH, struct.pack("=IIII", group, load(program()), CGROUP_SOCK_OPS, 0))
    os.close(group)
