#!/usr/bin/python3 -IS
"""connect.py self|serve|call ADDRESS PORT: one exchange over AF_SMC, then what the socket is now.

Prints SO_DOMAIN and SO_PROTOCOL: "43 0" (IPv6: "43 1") over SMC; a socket that fell back to TCP
prints "2 6" or "10 6".
"""
import ctypes
import socket
import struct
import subprocess
import sys
import threading

AF_SMC, SMC_IPV4, SMC_IPV6 = 43, 0, 1
SO_PROTOCOL, SO_DOMAIN = 38, 39
libc = ctypes.CDLL(None, use_errno=True)


def sockaddr(address, port):
    # Python refuses addresses of a family that it does not know
    if ":" in address:
        return (struct.pack("=H", socket.AF_INET6) + struct.pack("!HI", port, 0) +
                socket.inet_pton(socket.AF_INET6, address) + bytes(4))
    return struct.pack("=H", socket.AF_INET) + struct.pack("!H", port) + socket.inet_aton(address) + bytes(8)


def smc_socket(call, address, port):
    sock = socket.socket(AF_SMC, socket.SOCK_STREAM, SMC_IPV6 if ":" in address else SMC_IPV4)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    name = sockaddr(address, port)
    if call(sock.fileno(), name, len(name)):
        sys.exit("connect.py: %s: errno %d" % (call.__name__, ctypes.get_errno()))
    return sock


def listener(address, port):
    sock = smc_socket(libc.bind, address, port)
    sock.listen(1)
    return sock


def identity(sock):
    return [sock.getsockopt(socket.SOL_SOCKET, option) for option in (SO_DOMAIN, SO_PROTOCOL)]


def serve(sock):
    fd = libc.accept(sock.fileno(), None, None)
    with socket.socket(fileno=fd) as peer:
        peer.sendall(peer.recv(100))
        return identity(peer)


def call(address, port):
    with smc_socket(libc.connect, address, port) as sock:
        sock.sendall(b"hello")
        assert sock.recv(100) == b"hello"
        return identity(sock)


role, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
if role == "serve":
    with listener(address, port) as sock:
        subprocess.check_call(["smc-lab-sync", "listening"])
        print(*serve(sock))
elif role == "call":
    subprocess.check_call(["smc-lab-sync", "listening"])
    print(*call(address, port))
else:
    with listener(address, port) as sock:
        threading.Thread(target=serve, args=(sock,)).start()
        print(*call(address, port))
