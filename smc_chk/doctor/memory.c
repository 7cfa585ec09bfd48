// SPDX-License-Identifier: MIT
/* Doctor: memory that RDMA can use. */
#include "smc_chk/doctor/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "host/file.h"
#include "host/probe.h"
#include "smc_chk/doctor/size.h"
#include "sys/buddy.h"

#define CHECK "memory"
/* One connection takes two buffers; below this many the next connections get smaller ones. */
#define FEW_BLOCKS 16

/* ---- contiguous memory for SMC-R ---- */

static unsigned long knob(const char *name, unsigned long normal)
{
	unsigned long value = normal;

	host_number(&value, "/proc/sys/net/smc/%s", name);
	return value;
}

static unsigned int order_of(unsigned long long bytes)
{
	unsigned long long block = size_of_page();
	unsigned int order = 0;

	for (; block < bytes && order < 30; block *= 2)
		order++;
	return order;
}

/* Other kinds than 0 do not need contiguous memory, and only SMC-R has them. */
static void check_fragmentation(struct doctor *doc)
{
	unsigned long receive = knob("rmem", 65536), send = knob("wmem", 65536);
	unsigned int order = order_of(receive > send ? receive : send), orders;
	char text[SIZE_BUDDY_TEXT], size[32];
	uint64_t blocks;

	if (!doc->rdma.count || !size_buddies(text))
		return;
	orders = buddy_orders(text);
	if (order >= orders) /* more than there are blocks of: see the sizes */
		order = orders - 1;
	if (!orders || !buddy_blocks(&blocks, text, order))
		return;
	size_text(size, sizeof(size), size_of_page() << order);
	if (knob("smcr_buf_type", 0))
		doctor_say(doc, DOCTOR_OK, CHECK, "net.smc.smcr_buf_type", NULL,
			   "SMC-R needs no contiguous memory");
	else if (blocks < FEW_BLOCKS)
		doctor_say(doc, DOCTOR_WARNING, CHECK, "/proc/buddyinfo",
			   "sysctl -w net.smc.smcr_buf_type=2",
			   "is fragmented: %llu free blocks of %s, so SMC-R gets smaller buffers",
			   (unsigned long long)blocks, size);
	else
		doctor_say(doc, DOCTOR_OK, CHECK, "/proc/buddyinfo", NULL,
			   "%llu free blocks of %s for buffers of SMC-R",
			   (unsigned long long)blocks, size);
}

/* ---- locked memory ---- */

static int probe_memlock(void *arg __attribute__((unused)), char text[HOST_PROBE_SIZE])
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return -errno;
	if (limit.rlim_cur == RLIM_INFINITY)
		snprintf(text, HOST_PROBE_SIZE, "unlimited");
	else
		size_text(text, HOST_PROBE_SIZE, limit.rlim_cur);
	return 0;
}

/* The kernel's own RDMA memory is not counted, that of programs with verbs of their own is. */
static void check_memlock(struct doctor *doc)
{
	char text[HOST_PROBE_SIZE];

	if (doc->rdma.count && !host_probe("rlimit-memlock", probe_memlock, NULL, text))
		doctor_say(doc, DOCTOR_OK, CHECK, "RLIMIT_MEMLOCK", NULL,
			   "%s: no limit for SMC, only for programs that use RDMA themselves", text);
}

void doctor_memory(struct doctor *doc)
{
	check_fragmentation(doc);
	check_memlock(doc);
}
