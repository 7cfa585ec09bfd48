/* SPDX-License-Identifier: MIT */
/* The payload of SMC connections: captured by eBPF, shown or written. */
#pragma once

#include "smc_dump/request.h"

/** payload_run() - until a signal, or enough. Return: 0, -errno with @err */
int payload_run(const struct request *request, struct smc_err *err);
