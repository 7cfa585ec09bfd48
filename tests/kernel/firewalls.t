#!/bin/bash
# SPDX-License-Identifier: MIT
# Firewalls as packages bring them: iptables of both kinds, ufw, firewalld.
. "$(dirname "$0")/packages.sh"
need_packages firewalls firewalld iptables ufw
in_lab run -k lo -t 3600 --install "$MORE" -- firewalls.py
