// SPDX-License-Identifier: MIT
/* Static analysis: what SMC could use on each interface. */
#include "smc_chk/doctor.h"

int doctor_static(const struct doctor *doc __attribute__((unused)))
{
	return cli_error(&chk_tool, "not built yet");
}
