#!/bin/bash
# SPDX-License-Identifier: MIT
# The samples of output in the manual pages: the same scenes make the same lines, but for times, ports and the like.
exec "$(dirname "$0")/../../docs/samples" check
