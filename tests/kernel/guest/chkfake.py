# SPDX-License-Identifier: MIT
"""Servers that differ from smc_chk serve, and hosts that mishandle SMC's TCP option."""
import ctypes
import errno
import fcntl
import os
import socket
import struct
import threading

AF_SMC = 43
GREETING = b"SMC_CHK\n\x01" + bytes(7)


def receive(conn, size):
    data = b""
    while len(data) < size:
        got = conn.recv(size - len(data))
        if not got:
            raise EOFError
        data += got
    return data


class Fake:
    """A server on its own port that handles each client with a function, until the program ends."""

    def __init__(self, treat, family=AF_SMC):
        self.listener = socket.socket(family, socket.SOCK_STREAM, 0)
        # Python has no addresses for AF_SMC.
        if family == AF_SMC:
            self.listener.close()
            self.listener = smc_socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(100)
        self.port = self.listener.getsockname()[1]
        self.seen = b""
        self.clients = 0
        self.treat = treat
        threading.Thread(target=self.loop, daemon=True).start()

    def loop(self):
        while True:
            conn = self.listener.accept()[0]
            self.clients += 1
            threading.Thread(target=self.one, args=(conn,), daemon=True).start()

    def one(self, conn):
        try:
            self.treat(self, conn)
        except (EOFError, OSError):
            pass
        conn.close()


def smc_socket():
    """IPPROTO_SMC: AF_INET to Python, SMC to the kernel."""
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 256)


def silent(fake, conn):
    """Records what a client sends before any greeting."""
    while True:
        data = conn.recv(4096)
        if not data:
            return
        fake.seen += data


def banner(fake, conn):
    conn.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")
    silent(fake, conn)


def busy(fake, conn):
    """smc_chk serve with no free place; then waits for anything that the client still sends."""
    conn.sendall(b"SMC_CHK\n\x01\x01" + bytes(6))
    silent(fake, conn)


def greet(change):
    """smc_chk serve as its protocol says, but change(data, n) is what the n-th echo becomes."""
    def treat(_fake, conn):
        conn.sendall(GREETING)
        count = 0
        while True:
            head = receive(conn, 16)
            command, length = head[5], struct.unpack(">Q", head[8:])[0]
            if command == 3:
                conn.sendall(b"SMC!\x01\x00\x00\x00" + bytes(8))
                continue
            data = receive(conn, length)
            conn.sendall(change(bytearray(data), count) if command == 1 else head)
            count += 1
    return treat


def flip(data, count):
    if count == 2:
        data[40000] ^= 1
    return data


def hang_up(data, count):
    if count == 2:
        raise EOFError
    return data


def stall(data, count):
    return data[:-1] if count == 2 else data


# ---- hosts on the other end of a tunnel ----

TUNSETIFF = 0x400454CA
OPTION = b"\x01\x01\xfe\x06\xe2\xd4\xc3\xd9"


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def segment(src, dst, sport, dport, seq, ack, flags, options=b"", data=b""):
    tcp = struct.pack(">HHIIBBHHH", sport, dport, seq & 0xffffffff, ack & 0xffffffff,
                      (20 + len(options)) // 4 << 4, flags, 65535, 0, 0) + options + data
    pseudo = src + dst + struct.pack(">HH", 6, len(tcp))
    tcp = tcp[:16] + struct.pack(">H", checksum(pseudo + tcp)) + tcp[18:]
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0, src, dst)
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + tcp


FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16


class Tunnel:
    """10.9.0.0/24: .2 returns the option and says no more, .3 answers SMC's handshake with text,
    .4 with a reset, .5 drops everything, .6 loses the option. Notes what TCP data arrives."""

    def __init__(self):
        self.tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.tun, TUNSETIFF, struct.pack("16sH22x", b"smctun", 0x1001))
        os.system("ip addr add 10.9.0.1/24 dev smctun && ip link set smctun up")
        self.seen = {}
        threading.Thread(target=self.loop, daemon=True).start()

    def loop(self):
        while True:
            packet = os.read(self.tun, 65536)
            if packet[0] >> 4 == 4 and packet[9] == 6:
                self.answer(packet)

    def answer(self, packet):
        src, dst = packet[12:16], packet[16:20]
        tcp = packet[(packet[0] & 15) * 4:]
        sport, dport, seq, ack = struct.unpack(">HHII", tcp[:12])
        flags, data, host = tcp[13], tcp[(tcp[12] >> 4) * 4:], dst[3]

        def reply(*args, **kwargs):
            os.write(self.tun, segment(dst, src, dport, sport, *args, **kwargs))
        if host == 5:
            return
        if flags & SYN:
            reply(1000, seq + 1, SYN | ACK, options=b"" if host == 6 else OPTION)
        elif flags & FIN:
            reply(ack, seq + len(data) + 1, FIN | ACK)
        elif data:
            self.seen[host] = self.seen.get(host, b"") + data
            if host == 4:
                reply(ack, seq + len(data), RST | ACK)
            else:
                reply(ack, seq + len(data), PSH | ACK if host == 3 else ACK,
                      data=b"SSH-2.0-OpenSSH_9.2p1\r\n" if host == 3 else b"")


def forbid_smc():
    """For this process and its children: socket(AF_SMC, ...) fails as RestrictAddressFamilies= makes it fail."""
    libc = ctypes.CDLL(None, use_errno=True)
    rules = b"".join(struct.pack("<HBBI", *rule) for rule in (
        (0x20, 0, 0, 0),             # number of the system call
        (0x15, 0, 3, 41),            # socket() of x86-64?
        (0x20, 0, 0, 16),            # its first argument
        (0x15, 0, 1, AF_SMC),
        (0x06, 0, 0, 0x00050000 | errno.EAFNOSUPPORT),
        (0x06, 0, 0, 0x7fff0000)))
    program = ctypes.create_string_buffer(rules)
    filter_ = struct.pack("HxxxxxxP", len(rules) // 8, ctypes.addressof(program))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter_, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
