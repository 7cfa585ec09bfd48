// SPDX-License-Identifier: MIT
/* Doctor: RDMA devices, ports, link layer, GIDs. */
#include "smc_chk/doctor.h"

void doctor_rdma(struct doctor *doc __attribute__((unused)))
{
}
