# SPDX-License-Identifier: MIT
"""SMC sockets for tests in guests: Python has no addresses for this family, so libc is called."""
import ctypes
import socket
import sys

AF_SMC = 43
LIBC = ctypes.CDLL(None, use_errno=True)


def call(name, *args):
    result = getattr(LIBC, name)(*args)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def name_of(ip, port):
    """struct sockaddr"""
    if ":" in ip:
        head = socket.AF_INET6.to_bytes(2, sys.byteorder) + port.to_bytes(2, "big") + bytes(4)
        return head + socket.inet_pton(socket.AF_INET6, ip) + bytes(4)
    return socket.AF_INET.to_bytes(2, sys.byteorder) + port.to_bytes(2, "big") + socket.inet_aton(ip) + bytes(8)


def smc_socket(ip):
    return socket.socket(AF_SMC, socket.SOCK_STREAM, int(":" in ip))


def inet_socket(ip):
    """Sockets as smc_bpf makes them; Linux 6.11 or later. sock_diag does not report their addresses."""
    return socket.socket(socket.AF_INET6 if ":" in ip else socket.AF_INET, socket.SOCK_STREAM, 256)


def smc_client(port, ip="127.0.0.1", make=smc_socket, own=0):
    """Connect an SMC socket. @own: local port, 0 for any; a previous connection may have used it."""
    client = make(ip)
    if own:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        name = name_of(ip, own)
        call("bind", client.fileno(), name, len(name))
    name = name_of(ip, port)
    call("connect", client.fileno(), name, len(name))
    return client


def smc_listener(port, ip="127.0.0.1", backlog=128, make=smc_socket):
    listener = make(ip)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    name = name_of(ip, port)
    call("bind", listener.fileno(), name, len(name))
    call("listen", listener.fileno(), backlog)
    return listener


def accept(listener):
    return socket.socket(AF_SMC, socket.SOCK_STREAM, 0, call("accept", listener.fileno(), None, None))
