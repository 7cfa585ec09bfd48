#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles of AppArmor for services of packages, and those of packaging/apparmor.
. "$(dirname "$0")/packages.sh"
need_packages databases mariadb-server-core
SMC_LAB_APPEND=audit=1 in_lab run -k lo --install "$MORE" -- profiles.py
