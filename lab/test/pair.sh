#!/bin/bash
# Runs in both guests of a pair: reports to selftest. Argument: connect.py

if ((SMC_LAB_NODE == 1)); then
	role=serve at=$SMC_LAB_IP at6=$SMC_LAB_IP6
else
	role=call at=$SMC_LAB_PEER_IP at6=$SMC_LAB_PEER_IP6
fi
echo "v4=$("$1" $role "$at" 1111)"
echo "v6=$("$1" $role "$at6" 1111)"
echo "$SMC_LAB_NODE" >"$SMC_LAB_SHARED/$SMC_LAB_NODE"
smc-lab-sync files || exit 99
echo "shared=$(cat "$SMC_LAB_SHARED"/[12] | xargs)"
exit $((SMC_LAB_NODE * 10))
