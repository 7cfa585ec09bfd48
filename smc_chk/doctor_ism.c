// SPDX-License-Identifier: MIT
/* Doctor: ISM devices and loopback-ism. */
#include "smc_chk/doctor.h"

void doctor_ism(struct doctor *doc __attribute__((unused)))
{
}
