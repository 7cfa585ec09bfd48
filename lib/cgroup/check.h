/* SPDX-License-Identifier: MIT */
/* Requirements of the host for attaching. */
#pragma once

#include "base/err.h"

/* The kernel's function that the eBPF program hooks into. */
#define SCOPE_FUNCTION "update_socket_protocol"

/** check_capabilities() - may this process attach and detach? Return: 0, -errno with a sentence */
int check_capabilities(struct smc_err *err);

/** check_host() - can something be attached here, and by us? Return: 0, -errno with a sentence */
int check_host(struct smc_err *err);
