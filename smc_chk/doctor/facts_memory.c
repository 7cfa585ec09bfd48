// SPDX-License-Identifier: MIT
/* What the doctor knows of a host: its memory, and its switches and sizes below /proc/sys. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/file.h"
#include "host/probe.h"
#include "smc_chk/doctor/facts.h"

/* ---- switches and sizes ---- */

static const char *const knob_names[FACTS_KNOBS] = {
	"net.smc.autocorking_size", "net.smc.smcr_buf_type",
	"net.smc.smcr_testlink_time", "net.smc.wmem",
	"net.smc.rmem", "net.smc.smcr_max_links_per_lgr",
	"net.smc.smcr_max_conns_per_lgr", "net.smc.smcr_max_send_wr",
	"net.smc.smcr_max_recv_wr", "net.smc.hs_ctrl",
	"net.core.rmem_max", "net.core.wmem_max",
	"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
	"net.ipv4.tcp_syncookies", "net.ipv4.tcp_fastopen",
	"net.ipv4.tcp_available_ulp", "net.ipv6.bindv6only",
};

void facts_load_knobs(char knobs[FACTS_KNOBS][FACTS_KNOB_SIZE])
{
	char path[64];

	for (size_t i = 0; i < FACTS_KNOBS && knob_names[i]; i++) {
		snprintf(path, sizeof(path), "%s", knob_names[i]);
		for (char *dot = path; (dot = strchr(dot, '.')); )
			*dot = '/';
		host_text(knobs[i], FACTS_KNOB_SIZE, "/proc/sys/%s", path);
	}
}

const char *knob_text(const struct doctor_facts *facts, const char *name)
{
	for (size_t i = 0; i < FACTS_KNOBS && knob_names[i]; i++)
		if (!strcmp(knob_names[i], name))
			return *facts->knobs[i] ? facts->knobs[i] : NULL;
	return NULL;
}

bool knob_number(long long *value, const struct doctor_facts *facts, const char *name)
{
	const char *text = knob_text(facts, name);
	long long number;
	char *end;

	if (!text)
		return false;
	number = strtoll(text, &end, 10);
	if (end == text || *end)
		return false;
	*value = number;
	return true;
}

/* ---- memory ---- */

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

void facts_load_memory(struct memory_facts *memory)
{
	char text[HOST_PROBE_SIZE];
	int page = host_probe("page-size", probe_page, NULL, text);

	memory->page_size = page > 0 ? (unsigned long long)page : 4096;
	host_text(memory->buddies, sizeof(memory->buddies), "/proc/buddyinfo");
	if (host_probe("rlimit-memlock", probe_memlock, NULL, memory->memlock))
		memory->memlock[0] = '\0';
}
