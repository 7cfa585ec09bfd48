// SPDX-License-Identifier: MIT
/* Doctor: the kernel: SMC in it, its module, its interfaces. */
#include "smc_chk/doctor.h"

void doctor_kernel(struct doctor *doc __attribute__((unused)))
{
}
