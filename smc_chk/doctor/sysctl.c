// SPDX-License-Identifier: MIT
/* Doctor: sysctls. */

#include "out/units.h"
#include "smc/buffer_sizes.h"
#include "smc_chk/doctor/findings.h"

#define CHECK "sysctl"
#define SMCD_MAX (1024ULL * 1024)
#define SMCR_MAX_OLD (512ULL * 1024) /* before kernel 6.11 */
#define SMCR_MAX (512ULL * 1024 * 1024)

static void check_knobs(struct doctor *doc)
{
	size_t found = 0, normal = 0;
	long long value;

	for_each(knob, smc_knobs, SMC_KNOBS) {
		if (!knob_number(&value, doc->facts, knob->name))
			continue;
		found++;
		if (value == knob->normal)
			normal++;
		else if (value <= 0 && knob->off)
			doctor_say(
				doc, DOCTOR_WARNING, CHECK, knob->name,
				doctor_remedy(doc, "sysctl -w %s=%lld", knob->name, knob->normal),
				"is %lld, off: %s", value, knob->off);
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

unsigned int buddy_orders(const char *text)
{
	const char *at = strstr(text, ", zone ");
	unsigned int orders = 0;
	char *end;

	at = at ? at + strlen(", zone ") : "";
	at += strspn(at, " ");
	for (at += strcspn(at, " \n"); strtoull(at, &end, 10), end != at; at = end)
		orders++;
	return orders;
}

/* Round as the kernel does: up to a power of two, at least 16 KiB. */
static unsigned long long real_size(unsigned long long size)
{
	unsigned long long real = 16 * 1024;

	while (real < size && real < 1ULL << 40)
		real *= 2;
	return real;
}

/* Largest buffer of SMC-R, limited by the largest block of contiguous memory. */
static unsigned long long smcr_limit(const struct doctor *doc)
{
	unsigned int orders = buddy_orders(doc->facts->buddies);
	unsigned long long block = orders ? doc->facts->page_size << (orders - 1) : 0;
	long long type = 0;

	if (facts_is_before(doc->facts, 6, 11))
		return SMCR_MAX_OLD;
	knob_number(&type, doc->facts, "net.smc.smcr_buf_type");
	return type || !block || block > SMCR_MAX ? SMCR_MAX : block;
}

/* @except: ends the sentence about memory */
static void check_size(struct doctor *doc, const char *name, const char *what, const char *except)
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
		/*
		 * A note for programs not started by smc_run. The remedy writes what sysctl(8)
		 * prints into its own file for sysctl.d(5), so it can be typed again.
		 */
		doctor_say(doc, DOCTOR_NOTE, "buffers", name,
			   doctor_remedy(doc, "sysctl -w %s=%d | tee /etc/sysctl.d/90-smc-%s.conf",
					 name, SMC_GOOD_BUFFER, strrchr(name, '.') + 1),
			   "each connection gets 64 KiB to %s, too little for bulk data; smc_run "
			   "sets %s itself, but eBPF cannot. 1000 connections then take %d MiB "
			   "instead of %d MiB%s",
			   what, out_size(limit_text, SMC_GOOD_BUFFER),
			   1000 * (SMC_GOOD_BUFFER / 1024) / 1024,
			   1000 * (SMC_KERNEL_BUFFER / 1024) / 1024, except);
	else
		doctor_ok(doc, "buffers", name, "each connection gets %s to %s%s", real_text, what,
			  real > SMCD_MAX ? " (SMC-D: 1 MiB)" : "");
}

/* SO_RCVBUF and SO_SNDBUF of programs are limited to this. */
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

void doctor_sysctl(struct doctor *doc)
{
	const char *program = knob_text(doc->facts, "net.smc.hs_ctrl");
	long long value;

	check_knobs(doc);
	/* The sysctl limit_smc_hs needs 6.12, and is wrong on big-endian machines. */
	if (doc->facts->is_limited)
		doctor_say(doc, DOCTOR_WARNING, "hs-limit", NULL, "smcr hs disable",
			   "handshake limitation is on: connections fall back to TCP under load");
	if (program)
		doctor_note(doc, CHECK, "net.smc.hs_ctrl",
			    "the BPF program %s decides which connections try SMC", program);
	check_size(doc, "net.smc.rmem", "receive", "");
	check_size(doc, "net.smc.wmem", "send", ", none over loopback");
	check_core(doc, "net.core.rmem_max", "net.smc.rmem", "SO_RCVBUF");
	check_core(doc, "net.core.wmem_max", "net.smc.wmem", "SO_SNDBUF");
	if (knob_number(&value, doc->facts, "net.ipv4.tcp_syncookies") && value == 2)
		doctor_say(doc, DOCTOR_WARNING, CHECK, "net.ipv4.tcp_syncookies",
			   "sysctl -w net.ipv4.tcp_syncookies=1",
			   "is 2: no server here gets SMC, because SYN cookies drop the client's "
			   "offer");
	if (knob_number(&value, doc->facts, "net.ipv4.tcp_fastopen") && value > 0 && value & 2)
		doctor_note(doc, CHECK, "net.ipv4.tcp_fastopen",
			    "is %lld: servers that use TCP Fast Open stay on TCP", value);
}
