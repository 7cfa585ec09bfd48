/* SPDX-License-Identifier: MIT */
/* The rows of smc_chk/doctor/distributions: SMC in the kernels of distributions. */
#pragma once

/** struct distribution - a row, as the file describes it */
struct distribution {
	const char *name, *id, *version, *machine, *kernel, *smc, *smcr, *smcd, *bpf, *known,
		*remedy;
};

/**
 * distribution_find() - find the row of a kernel. Pure.
 * @os_release: text of /etc/os-release
 * @machine: as uname(2) names it, "" if unknown
 * @release: of the kernel
 *
 * Return: NULL if nothing is known of it.
 */
const struct distribution *distribution_find(const char *os_release, const char *machine,
					     const char *release);
