// SPDX-License-Identifier: MIT
/* Count the destinations in the shared memory of ld_pre_smc.so, here or on a recorded host. */
#include "host/probe.h"
#include "launch/learned_list.h"

static void add_one(const struct learned_fact *fact, void *arg)
{
	*(int *)arg += fact->is_tcp;
}

static int probe(void *arg __attribute__((unused)),
		 char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	int count = 0, ret = learned_each(add_one, &count);

	return ret ? ret : count;
}

int learned_count(void)
{
	char text[HOST_PROBE_SIZE];
	int count = host_probe("%s", probe, NULL, text, "learned");

	return count > 0 ? count : 0;
}
