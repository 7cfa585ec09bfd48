#!/bin/bash
# Runs in one guest, kernel lo: reports to selftest. Arguments: some text, connect.py

echo "dir=$PWD"
echo "arg=$1"
echo "name=$(uname -n)"
echo "lab=$SMC_LAB $SMC_LAB_KERNEL $SMC_LAB_NODE"
echo "eid=$(smc-lab-eid show)"
echo "smcd=$("$2" self 127.0.0.1 1111)"
echo "smcd6=$("$2" self ::1 1112)"
smc-lab-eid flush
echo "fallback=$("$2" self 127.0.0.1 1113)"
echo "tools=$(command -v redis-server iperf3 nginx curl rdma jq strace ethtool | wc -l)"
echo "tests=$(/usr/bin/python3 -c 'import test.test_socket' && echo there)"
echo "compiled=$(/usr/bin/python3 -BIS -v -c 'import json' 2>&1 | grep -c '/json/__pycache__/__init__.* matches ')"
modprobe dummy && echo "modprobe=works"
echo "fast=$(cat "$SMC_LAB_FAST/fast/file")"
echo "installed=$(lab-installed)"
echo "of_host=$(ls /usr/bin/lab-host /etc/lab-host 2>/dev/null)"
echo file >"$SMC_LAB_OUT/file"
echo lost >lost
echo oops >/dev/stderr
sleep 1000 &		# a left-over process must not delay the guest's end
seq 20000
echo "last=line"
exit 7
