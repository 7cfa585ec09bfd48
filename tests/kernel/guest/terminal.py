# SPDX-License-Identifier: MIT
"""Output as seen on a terminal, for tests in guests and of whole tools."""
import fcntl
import os
import struct
import subprocess
import termios


def on_terminal(argv, env=None, columns=0):
    """Status of a program, and its output on the terminal. @columns: 0 for a terminal of unknown size."""
    here, there = os.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 50 if columns else 0, columns, 0, 0))
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
