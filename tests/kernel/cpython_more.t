#!/bin/bash
# SPDX-License-Identifier: MIT
# CPython's tests of what stands upon sockets, on SMC-D beside a native run.
. "$(dirname "$0")/lab.sh"
in_lab run -k lo -t 3600 -- "cpython.py test.test_socketserver test.test_ssl test.test_httpservers"
