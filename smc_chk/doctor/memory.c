// SPDX-License-Identifier: MIT
/* Doctor: memory that RDMA can use. */
#include "smc_chk/doctor/checks.h"
#include "sys/buddy.h"

#define CHECK "memory"
/* One connection takes two buffers; below this many the next connections get smaller ones. */
#define FEW_BLOCKS 16

/* ---- contiguous memory for SMC-R ---- */

static long long knob(const struct doctor *doc, const char *name, long long normal)
{
	knob_number(&normal, doc->facts, name);
	return normal;
}

static unsigned int order_of(unsigned long long bytes, unsigned long long page_size)
{
	unsigned long long block = page_size;
	unsigned int order = 0;

	for (; block < bytes && order < 30; block *= 2)
		order++;
	return order;
}

/* Other kinds than 0 do not need contiguous memory, and only SMC-R has them. */
static void check_fragmentation(struct doctor *doc)
{
	const struct memory_facts *memory = &doc->facts->memory;
	long long receive = knob(doc, "net.smc.rmem", 65536), send = knob(doc, "net.smc.wmem", 65536);
	unsigned int order, orders = buddy_orders(memory->buddies);
	uint64_t blocks;
	char size[32];

	order = order_of((unsigned long long)(receive > send ? receive : send), memory->page_size);
	if (order >= orders) /* more than there are blocks of: see the sizes */
		order = orders - 1;
	if (!doc->facts->rdma.count || !orders || !buddy_blocks(&blocks, memory->buddies, order))
		return;
	size_text(size, sizeof(size), memory->page_size << order);
	if (knob(doc, "net.smc.smcr_buf_type", 0))
		doctor_ok(doc, CHECK, "net.smc.smcr_buf_type", "SMC-R needs no contiguous memory");
	else if (blocks < FEW_BLOCKS)
		doctor_say(doc, DOCTOR_WARNING, CHECK, "/proc/buddyinfo",
			   "sysctl -w net.smc.smcr_buf_type=2",
			   "is fragmented: %llu free blocks of %s, so SMC-R gets smaller buffers",
			   (unsigned long long)blocks, size);
	else
		doctor_ok(doc, CHECK, "/proc/buddyinfo",
			  "%llu free blocks of %s for buffers of SMC-R", (unsigned long long)blocks,
			  size);
}

/* ---- locked memory ---- */

/* The kernel's own RDMA memory is not counted, that of programs with verbs of their own is. */
static void check_memlock(struct doctor *doc)
{
	const char *limit = doc->facts->memory.memlock;

	if (doc->facts->rdma.count && *limit)
		doctor_ok(doc, CHECK, "RLIMIT_MEMLOCK",
			  "%s: no limit for SMC, only for programs that use RDMA themselves",
			  limit);
}

void doctor_memory(struct doctor *doc)
{
	check_fragmentation(doc);
	check_memlock(doc);
}
