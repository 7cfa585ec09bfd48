// SPDX-License-Identifier: MIT
/* Doctor: PNET IDs: does every net device find its partner?. */
#include "smc_chk/doctor.h"

void doctor_pnet(struct doctor *doc __attribute__((unused)))
{
}
