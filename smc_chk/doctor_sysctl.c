// SPDX-License-Identifier: MIT
/* Doctor: switches and sizes below /proc/sys. */
#include "smc_chk/doctor.h"

void doctor_sysctl(struct doctor *doc __attribute__((unused)))
{
}
