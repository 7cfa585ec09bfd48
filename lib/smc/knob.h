/* SPDX-License-Identifier: MIT */
/* Sysctls below net.smc; each network namespace has its own. */
#pragma once

#define SMC_KNOB_PREFIX "net.smc."

/**
 * struct smc_knob - a sysctl
 * @normal: default in a new network namespace; @normal_text: in decimal
 * @low, @high: range accepted by the kernel; @since: first kernel that has it
 * @off: effect of 0, a clause; NULL if it is harmless
 *
 * limit_smc_hs is not listed: it is handshake limitation by another name, and unreliable on
 * big-endian machines. Neither is hs_ctrl, which names an eBPF program.
 */
struct smc_knob {
	const char *name;
	long long normal;
	const char *normal_text;
	long long low, high;
	const char *since, *off;
};

#define SMC_KNOBS 9

/** smc_knobs - all known ones, terminated by one without a name */
extern const struct smc_knob smc_knobs[SMC_KNOBS + 1];

/** smc_knob_find() - find by name, "net.smc.rmem". Return: NULL for none */
const struct smc_knob *smc_knob_find(const char *name);
