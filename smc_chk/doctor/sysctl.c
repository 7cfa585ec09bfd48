// SPDX-License-Identifier: MIT
/* Doctor: switches and sizes below /proc/sys, and memory that RDMA can use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/units.h"
#include "smc/buffers.h"
#include "smc/knob.h"
#include "smc_chk/doctor/findings.h"

#define CHECK "sysctl"
#define MEMORY "memory"
/* One connection takes two buffers; below this many the next connections get smaller ones. */
#define FEW_BLOCKS 16
#define MAX_ORDER 32
#define SMCD_MAX (1024ULL * 1024)
#define SMCR_MAX_OLD (512ULL * 1024) /* before kernel 6.11 */
#define SMCR_MAX (512ULL * 1024 * 1024)

/* What a value of 0 or below means, NULL for nothing bad. */
static const char *find_bad(const char *name)
{
	if (!strcmp(name, "net.smc.autocorking_size"))
		return "off: each small send goes out alone";
	if (!strcmp(name, "net.smc.smcr_testlink_time"))
		return "off: a dead peer of an idle link is not noticed";
	return NULL;
}

static void check_knobs(struct doctor *doc)
{
	size_t found = 0, normal = 0;
	long long value;

	for (const struct smc_knob *knob = smc_knobs; knob->name; knob++) {
		const char *bad = find_bad(knob->name);

		if (!knob_number(&value, doc->facts, knob->name))
			continue;
		found++;
		if (value == knob->normal)
			normal++;
		else if (value <= 0 && bad)
			doctor_say(
				doc, DOCTOR_WARNING, CHECK, knob->name,
				doctor_remedy(doc, "sysctl -w %s=%lld", knob->name, knob->normal),
				"is %lld, %s", value, bad);
		else
			doctor_note(doc, CHECK, knob->name, "is %lld, the default is %lld", value,
				    knob->normal);
	}
	if (!found && doc->facts->has_smc)
		doctor_note(doc, CHECK, "net.smc",
			    "does not exist: the first of these sysctls came with kernel 5.18");
	else if (found && found == normal)
		doctor_ok(doc, CHECK, "net.smc", "all values are the defaults");
}

/* The knob limit_smc_hs is the same, but wrong on big-endian machines, and not before 6.12. */
static void check_limitation(struct doctor *doc)
{
	const char *program = knob_text(doc->facts, "net.smc.hs_ctrl");

	if (doc->facts->is_limited)
		doctor_say(doc, DOCTOR_WARNING, "hs-limit", NULL, "smcr hs disable",
			   "handshake limitation is on: under load connections fall back to TCP");
	if (program)
		doctor_note(doc, CHECK, "net.smc.hs_ctrl",
			    "the BPF program %s decides which connections try SMC", program);
}

/* "Node 0, zone   Normal    12  3 ...": numbers of free blocks of order 0, 1, ... after a name. */
unsigned int buddy_blocks(uint64_t *blocks, const char *text, unsigned int order)
{
	uint64_t sums[2] = { 0 };
	unsigned int orders = 0, zones = 0, i;
	bool has_other = false, is_other;
	char *end;

	for (const char *at = text; (at = strstr(at, ", zone "));) {
		at += strlen(", zone ");
		at += strspn(at, " ");
		is_other = strncmp(at, "DMA ", 4);
		at += strcspn(at, " \n");
		for (i = 0; i < MAX_ORDER; i++, at = end) {
			unsigned long long count = strtoull(at, &end, 10);

			if (end == at)
				break;
			if (i >= order)
				sums[is_other] += count << (i - order);
		}
		has_other |= is_other && i;
		orders = zones++ ? orders : i;
	}
	*blocks = sums[has_other];
	return orders;
}

/* As the kernel does: up to a power of two, 16 KiB at least. */
static unsigned long long real_size(unsigned long long size)
{
	unsigned long long real = 16 * 1024;

	while (real < size && real < 1ULL << 40)
		real *= 2;
	return real;
}

/* The largest buffer of SMC-R; contiguous memory comes in blocks of a largest size. */
static unsigned long long smcr_limit(const struct doctor *doc)
{
	const struct memory_facts *memory = &doc->facts->memory;
	uint64_t blocks;
	unsigned int orders = buddy_blocks(&blocks, memory->buddies, 0);
	unsigned long long block = orders ? memory->page_size << (orders - 1) : 0;
	long long type = 0;

	if (facts_is_before(doc->facts, 6, 11))
		return SMCR_MAX_OLD;
	knob_number(&type, doc->facts, "net.smc.smcr_buf_type");
	return type || !block || block > SMCR_MAX ? SMCR_MAX : block;
}

static void check_size(struct doctor *doc, const char *name, const char *what)
{
	unsigned long long real, limit = smcr_limit(doc);
	char real_text[OUT_UNITS], limit_text[OUT_UNITS];
	long long value;

	if (!knob_number(&value, doc->facts, name) || value <= 0)
		return;
	real = real_size((unsigned long long)value);
	out_size(real_text, real);
	if (real > limit)
		doctor_say(doc, DOCTOR_WARNING, "buffers", name,
			   doctor_remedy(doc, "sysctl -w %s=%llu", name, limit),
			   "a connection should get %s to %s, but over SMC-R it gets %s at most",
			   real_text, what, out_size(limit_text, limit));
	else if (real == SMC_KERNEL_BUFFER)
		/* Programs that do not come from smc_run have this. The remedy prints the line. */
		doctor_say(doc, DOCTOR_NOTE, "buffers", name,
			   doctor_remedy(doc, "sysctl -w %s=%d | tee -a /etc/sysctl.d/90-smc.conf",
					 name, SMC_GOOD_BUFFER),
			   "each connection gets 64 KiB to %s, too little for bulk data; smc_run "
			   "sets %s itself, but eBPF cannot. 1000 connections then take %d MiB in "
			   "place of %d",
			   what, out_size(limit_text, SMC_GOOD_BUFFER),
			   1000 * (SMC_GOOD_BUFFER / 1024) / 1024,
			   1000 * (SMC_KERNEL_BUFFER / 1024) / 1024);
	else
		doctor_ok(doc, "buffers", name, "each connection gets %s to %s%s", real_text, what,
			  real > SMCD_MAX ? " (SMC-D: 1 MiB)" : "");
}

/* What a program asks for by SO_RCVBUF or SO_SNDBUF is cut to this. */
static void check_core(struct doctor *doc, const char *name, const char *smc, const char *opt)
{
	char text[OUT_UNITS], least[OUT_UNITS];
	long long max, value;

	if (!knob_number(&max, doc->facts, name) || !knob_number(&value, doc->facts, smc) ||
	    max < 0)
		return;
	out_size(text, real_size((unsigned long long)max));
	if (max < value)
		doctor_note(doc, "buffers", name, "programs that set %s get %s at most, others %s",
			    opt, text, out_size(least, real_size((unsigned long long)value)));
	else
		doctor_ok(doc, "buffers", name, "programs that set %s get up to %s", opt, text);
}

/* TCP needs it when SMC falls back. Before kernel 6.1 SMC's own buffers follow these. */
static void check_tcp_size(struct doctor *doc, const char *name, const char *normal)
{
	const char *value = knob_text(doc->facts, name);
	unsigned long long least, first, most;
	char text[32];

	if (!value || sscanf(value, "%llu %llu %llu", &least, &first, &most) != 3)
		return;
	if (most % 1024)
		snprintf(text, sizeof(text), "%llu bytes", most);
	else
		out_size(text, most);
	if (most < 65536)
		doctor_say(doc, DOCTOR_WARNING, "buffers", name,
			   doctor_remedy(doc, "sysctl -w %s='%s'", name, normal),
			   "connections that fall back to TCP get %s at most", text);
	else
		doctor_ok(doc, "buffers", name, "connections that fall back to TCP get up to %s",
			  text);
}

static void check_tcp(struct doctor *doc)
{
	long long value;

	if (knob_number(&value, doc->facts, "net.ipv4.tcp_syncookies") && value == 2)
		doctor_say(doc, DOCTOR_WARNING, CHECK, "net.ipv4.tcp_syncookies",
			   "sysctl -w net.ipv4.tcp_syncookies=1",
			   "is 2: no server here gets SMC, because SYN cookies drop the client's "
			   "offer");
	if (knob_number(&value, doc->facts, "net.ipv4.tcp_fastopen") && value > 0 && value & 2)
		doctor_note(doc, CHECK, "net.ipv4.tcp_fastopen",
			    "is %lld: servers that use TCP Fast Open stay on TCP", value);
}

void doctor_sysctl(struct doctor *doc)
{
	check_knobs(doc);
	check_limitation(doc);
	check_size(doc, "net.smc.rmem", "receive");
	check_size(doc, "net.smc.wmem", "send");
	check_core(doc, "net.core.rmem_max", "net.smc.rmem", "SO_RCVBUF");
	check_core(doc, "net.core.wmem_max", "net.smc.wmem", "SO_SNDBUF");
	check_tcp_size(doc, "net.ipv4.tcp_rmem", "4096 131072 6291456");
	check_tcp_size(doc, "net.ipv4.tcp_wmem", "4096 16384 4194304");
	check_tcp(doc);
}

/* Other kinds than 0 do not need contiguous memory, and only SMC-R has them. */
static void check_fragmentation(struct doctor *doc)
{
	const struct memory_facts *memory = &doc->facts->memory;
	long long receive = SMC_KERNEL_BUFFER, send = SMC_KERNEL_BUFFER, type = 0;
	unsigned long long most;
	unsigned int order = 0, orders;
	uint64_t blocks;
	char size[OUT_UNITS];

	knob_number(&receive, doc->facts, "net.smc.rmem");
	knob_number(&send, doc->facts, "net.smc.wmem");
	knob_number(&type, doc->facts, "net.smc.smcr_buf_type");
	most = (unsigned long long)(receive > send ? receive : send);
	orders = buddy_blocks(&blocks, memory->buddies, 0);
	if (!doc->facts->rdma.count || !orders)
		return;
	/* More than there are blocks of: see the sizes. */
	while (memory->page_size << order < most && order < orders - 1)
		order++;
	buddy_blocks(&blocks, memory->buddies, order);
	out_size(size, memory->page_size << order);
	if (type)
		doctor_ok(doc, MEMORY, "net.smc.smcr_buf_type", "SMC-R needs no contiguous memory");
	else if (blocks < FEW_BLOCKS)
		doctor_say(doc, DOCTOR_WARNING, MEMORY, "/proc/buddyinfo",
			   "sysctl -w net.smc.smcr_buf_type=2",
			   "is fragmented: %llu free blocks of %s, so SMC-R gets smaller buffers",
			   (unsigned long long)blocks, size);
	else
		doctor_ok(doc, MEMORY, "/proc/buddyinfo",
			  "%llu free blocks of %s for buffers of SMC-R", (unsigned long long)blocks,
			  size);
}

void doctor_memory(struct doctor *doc)
{
	const char *limit = doc->facts->memory.memlock;

	check_fragmentation(doc);
	/* The kernel's own RDMA memory is not counted, that of programs with verbs is. */
	if (doc->facts->rdma.count && *limit)
		doctor_ok(doc, MEMORY, "RLIMIT_MEMLOCK",
			  "%s: no limit for SMC, only for programs that use RDMA themselves",
			  limit);
}
