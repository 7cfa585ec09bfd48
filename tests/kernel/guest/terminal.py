# SPDX-License-Identifier: MIT
"""What a person at a terminal sees, for tests in guests and of whole tools."""
import fcntl
import os
import struct
import subprocess
import termios


def on_terminal(argv, env=None, columns=80):
    """Status of a program, and all that the terminal shows of it."""
    here, there = os.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=there, stderr=there, env=env) as program:
        os.close(there)
        text = b""
        try:
            while part := os.read(here, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
    os.close(here)
    return program.returncode, text.decode().replace("\r\n", "\n")
