// SPDX-License-Identifier: MIT
/* Doctor: the net devices below SMC. */
#include "smc_chk/doctor.h"

void doctor_net(struct doctor *doc __attribute__((unused)))
{
}
