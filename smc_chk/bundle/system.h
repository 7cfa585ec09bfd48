/* SPDX-License-Identifier: MIT */
/* What a bundle says of the system around SMC. */
#ifndef SMC_CHK_SYSTEM_H
#define SMC_CHK_SYSTEM_H

#include <jansson.h>
#include <stdbool.h>

/**
 * system_read() - read them all
 * @is_entered: in a network namespace that was asked for; devices of another one are left out
 *
 * Return: an object, NULL without memory.
 */
json_t *system_read(bool is_entered);

/** system_log_is_about_smc() - is a line of the kernel's log about SMC, RDMA or ISM? */
bool system_log_is_about_smc(const char *line);

#endif
