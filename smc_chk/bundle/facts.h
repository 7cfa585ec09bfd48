/* SPDX-License-Identifier: MIT */
/* What a bundle says of the system around SMC. */
#ifndef SMC_CHK_FACTS_H
#define SMC_CHK_FACTS_H

#include <jansson.h>
#include <stdbool.h>

/**
 * facts() - read them all
 * @is_entered: in a network namespace that was asked for; devices of another one are left out
 *
 * Return: an object, NULL without memory.
 */
json_t *facts(bool is_entered);

/** facts_is_about_smc() - is a line of the kernel's log about SMC, RDMA or ISM? */
bool facts_is_about_smc(const char *line);

#endif
