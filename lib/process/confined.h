/* SPDX-License-Identifier: MIT */
/*
 * Find out who denies a running process SMC sockets: AppArmor, SELinux, or a setting of its unit.
 * The kernel answers from the loaded policy, without a log. Callers without rights get no name.
 *
 * With @is_bpf the question is only about IPPROTO_SMC, which eBPF uses instead of TCP. @why
 * receives a clause with the name of a profile or domain, not escaped.
 */
#pragma once

#include "host/probe.h"
#include "process/systemctl.h"

#define CONFINED_SEE "see docs/confinement.md"

/**
 * confined_process() - true if AppArmor or SELinux denies a running process SMC sockets
 * @pid: 0 for this process after EACCES: name the module without asking it
 */
bool confined_process(pid_t pid, bool is_bpf, char why[HOST_PROBE_SIZE]);

/** confined_own() - like confined_process() with 0; recorded. Return: true with @why */
bool confined_own(char why[HOST_PROBE_SIZE]);

/** CONFINED_PROPERTIES - properties of a unit that confined_unit() needs */
#define CONFINED_PROPERTIES "MainPID,RestrictAddressFamilies"

/**
 * confined_unit() - find out who denies SMC sockets to the main process of a unit, here or recorded
 * @props: NULL to ask systemctl
 *
 * The present RestrictAddressFamilies= counts, but only if IPPROTO_SMC, which needs no AF_SMC, is
 * missing (before Linux 6.11) or denied.
 * Return: 1 with @why; 0 if nobody does; -ESRCH without a process; another -errno.
 */
int confined_unit(const char *unit, const struct unit_props *props, bool is_bpf,
		  char why[HOST_PROBE_SIZE]);

/** selinux_is_enforcing() - true if SELinux denies what its policy does not allow */
bool selinux_is_enforcing(void);
