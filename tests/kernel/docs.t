#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples of output in the manual pages: the same scenes give the same lines, except for times, ports and the like.
exec "$(dirname "$0")/../../docs/samples" check
