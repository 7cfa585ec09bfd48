#!/bin/bash
# Runs in both guests of a pair: the second waits for the first, which does nothing
((SMC_LAB_NODE == 1)) || smc-lab-sync never
