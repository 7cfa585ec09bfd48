// SPDX-License-Identifier: MIT
/* Count the destinations in the shared memory of ld_pre_smc.so, here or on a recorded host. */
#include "host/probe.h"
#include "launch/learned_list.h"

static void add_one(const struct learned_fact *fact, void *arg)
{
	*(int *)arg += fact->is_tcp;
}

static int count_tcp(void)
{
	int count = 0, ret = learned_each(add_one, &count);

	return ret ? ret : count;
}

int learned_count(void)
{
	int count = host_probe_number("learned", count_tcp);

	return count > 0 ? count : 0;
}
