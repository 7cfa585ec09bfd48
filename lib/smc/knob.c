// SPDX-License-Identifier: MIT
/* Sysctls below net.smc: from Documentation/networking/smc-sysctl.rst, and tested. */
#include "smc/knob.h"

#include "base/libc.h"

#define KNOB(name, normal, low, high, ...)                                                         \
	{                                                                                          \
		name, normal, #normal, low, high, __VA_ARGS__                                      \
	}

const struct smc_knob smc_knobs[SMC_KNOBS + 1] = {
	KNOB("net.smc.autocorking_size", 65536, 0, UINT_MAX, "5.18",
	     "each small send goes out alone"),
	KNOB("net.smc.smcr_buf_type", 0, 0, 2, "6.0"),
	KNOB("net.smc.smcr_testlink_time", 30, 0, INT_MAX, "6.1",
	     "a dead peer of an idle link is not noticed"),
	KNOB("net.smc.wmem", 65536, 16384, 1073741823, "6.1"),
	KNOB("net.smc.rmem", 65536, 16384, 1073741823, "6.1"),
	KNOB("net.smc.smcr_max_links_per_lgr", 2, 1, 2, "6.8"),
	KNOB("net.smc.smcr_max_conns_per_lgr", 255, 16, 255, "6.8"),
	KNOB("net.smc.smcr_max_send_wr", 16, 2, 2048, "6.19"),
	KNOB("net.smc.smcr_max_recv_wr", 48, 2, 2048, "6.19"),
	{ 0 },
};

const struct smc_knob *smc_knob_find(const char *name)
{
	for (const struct smc_knob *knob = smc_knobs; knob->name; knob++)
		if (!strcmp(knob->name, name))
			return knob;
	return NULL;
}
