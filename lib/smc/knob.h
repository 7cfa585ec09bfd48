/* SPDX-License-Identifier: MIT */
/* The numbers below /proc/sys/net/smc, each of which a network namespace has for itself. */
#pragma once

#define SMC_KNOB_PREFIX "net.smc."

/**
 * struct smc_knob - one of them
 * @normal: what a new network namespace has; @normal_text: in decimal
 * @low, @high: what the kernel takes
 * @since: first kernel that has it
 *
 * limit_smc_hs is not among them: it is handshake limitation under another name, and cannot be
 * trusted on big-endian machines. Nor is hs_ctrl, which names an eBPF program.
 */
struct smc_knob {
	const char *name;
	long long normal;
	const char *normal_text;
	long long low, high;
	const char *since;
};

/** smc_knobs - all that are known, ended by one without a name */
extern const struct smc_knob smc_knobs[];

/** smc_knob_find() - by "net.smc.rmem". Return: NULL for none */
const struct smc_knob *smc_knob_find(const char *name);
