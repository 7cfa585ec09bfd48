/* SPDX-License-Identifier: MIT */
/* The rows of smc_chk/doctor/distributions: SMC in the kernels of distributions. */
#pragma once

#include <stdbool.h>

/** struct distribution - a row, as the file describes it */
struct distribution {
	const char *name, *id, *version, *machine, *kernel, *smc, *smcr, *smcd, *bpf, *known,
		*remedy;
};

/** struct distribution_name - of a system: ID=, and VERSION_ID= up to a dot */
struct distribution_name {
	char id[64], version[32];
};

/** distribution_name() - read @os_release. Pure. Return: true if there is a row with its ID */
bool distribution_name(struct distribution_name *name, const char *os_release);

/**
 * distribution_find() - find the row of a kernel. Pure.
 * @os_release: text of /etc/os-release; @machine: as uname(2) names it, "" if unknown
 * @release: of the kernel
 *
 * Return: NULL if nothing is known of it.
 */
const struct distribution *distribution_find(const char *os_release, const char *machine,
					     const char *release);
