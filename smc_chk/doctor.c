// SPDX-License-Identifier: MIT
#include "smc_chk/smc_chk.h"

int chk_doctor(const struct chk_request *req __attribute__((unused)))
{
	return cli_error(&chk_tool, "not built yet");
}
