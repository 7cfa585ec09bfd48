// SPDX-License-Identifier: MIT
/* Doctor: memory that RDMA can use. */
#include "smc_chk/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "smc_chk/size.h"
#include "sys/buddy.h"
#include "sys/host.h"
#include "sys/sysfs.h"

#define CHECK "memory"
/* One connection takes two buffers; below this many the next connections get smaller ones. */
#define FEW_BLOCKS 16

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

static bool read_buddies(char *text, size_t size)
{
	char path[PATH_MAX];

	return sysfs_text(text, size, "%s", host_path(path, "/proc/buddyinfo"));
}

unsigned long long size_largest_block(void)
{
	char text[16384];
	unsigned int orders;

	if (!read_buddies(text, sizeof(text)))
		return 0;
	orders = buddy_orders(text);
	return orders ? size_of_page() << (orders - 1) : 0;
}

/* ---- contiguous memory for SMC-R ---- */

static unsigned long knob(const char *name, unsigned long normal)
{
	char path[PATH_MAX], file[64];
	unsigned long value = normal;

	snprintf(file, sizeof(file), "/proc/sys/net/smc/%s", name);
	sysfs_number(&value, "%s", host_path(path, file));
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
	unsigned int order = order_of(receive > send ? receive : send);
	char text[16384], size[32];
	uint64_t blocks;

	if (!doc->rdma.count || !read_buddies(text, sizeof(text)))
		return;
	if (order >= buddy_orders(text)) /* more than there are blocks of: see the sizes */
		order = buddy_orders(text) - 1;
	if (!buddy_blocks(&blocks, text, order))
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
