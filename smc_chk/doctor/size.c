// SPDX-License-Identifier: MIT
/* Sizes of buffers and of the blocks that they are made of. */
#include "smc_chk/doctor/size.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "host/file.h"
#include "host/probe.h"
#include "sys/buddy.h"

void size_text(char *text, size_t size, unsigned long long bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	size_t unit = 0;

	while (unit < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%llu %s", bytes, units[unit]);
}

static int probe_page(void *arg __attribute__((unused)),
		      char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	return (int)sysconf(_SC_PAGESIZE);
}

unsigned long long size_of_page(void)
{
	char text[HOST_PROBE_SIZE];
	int page = host_probe("page-size", probe_page, NULL, text);

	return page > 0 ? (unsigned long long)page : 4096;
}

bool size_buddies(char text[SIZE_BUDDY_TEXT])
{
	return host_text(text, SIZE_BUDDY_TEXT, "/proc/buddyinfo");
}

unsigned long long size_largest_block(void)
{
	char text[SIZE_BUDDY_TEXT];
	unsigned int orders;

	if (!size_buddies(text))
		return 0;
	orders = buddy_orders(text);
	return orders ? size_of_page() << (orders - 1) : 0;
}
