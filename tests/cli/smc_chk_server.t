#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""smc_chk serve on any kernel, over TCP: places for clients, and dropped rights. TAP."""
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time

import addresses
from recorded import BUILD
from tap import counted, done, go_on, ok, skip

SMC_CHK = BUILD + '/smc_chk'
AS_TCP = {**os.environ, 'LC_ALL': 'C', 'LD_PRELOAD': BUILD + '/tests/preload/tcp.so'}
READY, BUSY = b'SMC_CHK\n\x01' + bytes(7), b'SMC_CHK\n\x01\x01' + bytes(6)
WHO = b'SMC?\x01\x03' + bytes(10)
IN_NETNS = '--in-netns'


class Server:
    """A server with a limit of open files. Its standard error is a pipe."""

    def __init__(self, *options, files=4096):
        self.process = subprocess.Popen(
            [SMC_CHK, '-S', '-p', '47000', *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=AS_TCP, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
        line = self.process.stdout.readline()
        found = re.fullmatch(r'.* (\d+)\n', line)
        self.port = int(found.group(1)) if found else 0

    def status(self, key):
        with open(f'/proc/{self.process.pid}/status', encoding='ascii') as file:
            return re.search(rf'^{key}:[ \t]*(.*)$', file.read(), re.M).group(1).split()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(60)


def greeting(port, host='127.0.0.1', source=None):
    """A connection, and its greeting."""
    sock = socket.create_connection((host, port), timeout=60, source_address=source and (source, 0))
    words = b''
    while len(words) < 16:
        got = sock.recv(16 - len(words))
        if not got:
            break
        words += got
    return sock, words


def hold(port, count, host='127.0.0.1', source=None):
    """Connections that were served, and the number with a ready greeting."""
    socks = []
    for _ in range(count):
        sock, words = greeting(port, host, source)
        if words == READY:
            sock.sendall(WHO)
            socks.append(sock)
    return socks


def check(host, port):
    """smc_chk connect: exit status and output."""
    done = subprocess.run([SMC_CHK, 'connect', host, '-p', str(port)], env=AS_TCP, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def is_served(host, port):
    """Wait until departed clients are noticed."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if check(host, port)[0] == 2:
            return True
        time.sleep(0.1)
    return False


def check_rights():
    server = Server('-d')
    keys = {key: server.status(key) for key in ('Uid', 'Gid', 'Groups', 'CapEff', 'CapPrm', 'NoNewPrivs', 'Seccomp')}
    ok(keys['CapEff'] == keys['CapPrm'] == ['0' * 16] and keys['NoNewPrivs'] == ['1'] and keys['Seccomp'] == ['2'],
       'no capabilities, no new privileges, a filter of system calls', keys)
    if os.geteuid() == 0:
        ok(keys['Uid'] == keys['Gid'] == ['65534'] * 4 and not keys['Groups'], 'nobody, not root', keys)
    before = server.status('SigCgt')
    ok(int(before[0], 16) >> (signal.SIGUSR1 - 1) & 1, 'it would try to open a file', before)
    server.process.send_signal(signal.SIGUSR1)
    status, out, _ = check('127.0.0.1', server.port)
    ok(status == 2 and ' verified\n' in out, 'and serves', (status, out))
    ended = server.end()
    err = server.process.stderr.read()
    ok('\nerrno 13\n' in err and 'opened' not in err, 'no file can be opened', err)
    ok(ended == 0 and 'could not give up' not in err, 'so it says of no right that it is left', err)


def check_background():
    """sh ignores SIGINT for its background jobs; nohup ignores SIGHUP."""
    before = [(number, signal.signal(number, signal.SIG_IGN)) for number in (signal.SIGINT, signal.SIGHUP)]
    server = Server()
    for number, handler in before:
        signal.signal(number, handler)
    ok(int(server.status('SigIgn')[0], 16) >> (signal.SIGHUP - 1) & 1, 'SIGHUP stays ignored')
    ok(server.end(signal.SIGINT) == 0, 'SIGINT ends a background job')


def check_one_address():
    """All loopback addresses together get a quarter of the 1000 places. IPv6 is counted separately."""
    server = Server()
    held = hold(server.port, 200) + hold(server.port, 50, source='127.0.0.2')
    ok(len(held) == 250, 'a quarter of the places for one peer', len(held))
    for source in ('127.0.0.1', '127.0.0.3'):
        sock, words = greeting(server.port, source=source)
        ok(words == BUSY and sock.recv(1) == b'', f'the next one from {source} gets the answer that the server is busy', words)
    status, out, err = check('127.0.0.1', server.port)
    ok(status == 1 and not out and err.startswith('smc_chk: the server is busy: ') and err.count('\n') == 1,
       'smc_chk connect says so', (status, out, err))
    if socket.has_ipv6 and os.path.exists('/proc/net/if_inet6'):
        status, out, err = check('::1', server.port)
        ok(status == 2, 'others are served', (status, out, err))
    for sock in held:
        sock.close()
    ok(is_served('127.0.0.1', server.port), 'and so is this one when the places are free')
    ok(server.end() == 0, 'it ends')


def check_full():
    """Few descriptors give few places: 40, ten per address. Four addresses take all of them."""
    addresses.add(*(f'10.9.0.{last}/24' for last in range(1, 6)))
    server = Server(files=140)
    held = [hold(server.port, 12, '10.9.0.1', f'10.9.0.{last}') for last in range(1, 5)]
    ok([len(socks) for socks in held] == [10] * 4, 'places for as many as there are descriptors', list(map(len, held)))
    sock, words = greeting(server.port, '10.9.0.1', '10.9.0.5')
    ok(words == BUSY, 'a full server answers a new address', words)
    sock.close()
    for sock in held[0]:
        sock.close()
    ok(is_served('10.9.0.1', server.port), 'and serves when there is room')
    ok(server.end() == 0, 'it ends')


def main():
    if sys.argv[1:2] == [IN_NETNS]:
        go_on(*map(int, sys.argv[2:]))
        check_full()
        done()
    check_rights()
    check_background()
    check_one_address()
    if subprocess.run(['unshare', '-n', 'true'], stderr=subprocess.DEVNULL, check=False).returncode:
        skip('a full server', 'needs a network namespace')
        done()
    os.execvp('unshare', ['unshare', '-n', sys.argv[0], IN_NETNS, *map(str, counted())])


main()
