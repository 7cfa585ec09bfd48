#!/bin/bash
# SPDX-License-Identifier: MIT
# CPython's test.test_socket on SMC-D beside a native run.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -t 3600 -- "cpython.py test.test_socket test.test_asyncio.test_sock_lowlevel"
