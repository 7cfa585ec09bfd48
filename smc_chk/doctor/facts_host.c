// SPDX-License-Identifier: MIT
/* What the doctor knows of a host: its kernel, preload libraries, memory and sysctls. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup/check.h"
#include "cgroup/scope.h"
#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"
#include "process/elf.h"
#include "process/library.h"
#include "smc_chk/doctor/facts.h"
#include "smc_chk/executes.h"

#define OLD_NAME "libsmc-preload.so"

/* ---- the kernel ---- */

static int probe_attached(void *arg __attribute__((unused)),
			  char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	return access(SCOPE_DIR "/" SCOPE_HOOK, F_OK) ? -errno : 0;
}

static void load_module(struct module_facts *module, const char *release, const char *name,
			const char *alias)
{
	module->name = name;
	module->alias = alias;
	module->how = kmodule_find(release, name);
	module->is_blocked = modprobe_blocked(&module->block, name, alias);
}

/* "none [integrity] confidentiality": the word in brackets. */
static void load_lockdown(char mode[64])
{
	char text[64], *start, *end;

	if (!host_text(text, sizeof(text), "/sys/kernel/security/lockdown"))
		return;
	start = strchr(text, '[');
	end = start ? strchr(start, ']') : NULL;
	if (end)
		snprintf(mode, 64, "%.*s", (int)(end - start - 1), start + 1);
}

static void load_kernel(struct kernel_facts *kernel, const struct doctor_facts *facts)
{
	char text[HOST_PROBE_SIZE];

	kconfig_load(&kernel->config, facts->release);
	load_module(&kernel->smc, facts->release, "smc", MODPROBE_SMC_ALIAS);
	kernel->has_smc_dir = host_exists("%s/module/smc", facts->sys);
	kernel->is_attached = !host_probe("bpf-attached", probe_attached, NULL, text);
	if (facts->has_smc || kernel->is_attached)
		kernel->ipproto_error = host_ipproto_smc();
	if (facts->has_smc)
		kernel->bpf_missing = bpf_convert_missing();
	if (facts->has_smc && !facts->has_diag)
		load_module(&kernel->smc_diag, facts->release, "smc_diag", MODPROBE_DIAG_ALIAS);
	load_lockdown(kernel->lockdown);
}

/* ---- preload libraries ---- */

/* Whatever was started is for this machine, 32-bit programs are its other class. */
static bool fits(const struct smc_elf *elf, int bits)
{
	struct smc_elf own;

	if (elf->bits != bits || smc_elf_inspect("/proc/self/exe", &own))
		return false;
	return elf->machine == own.machine || own.bits != bits;
}

/* The text is the file's path, a newline, and the machine that it is for. */
static int probe_library(void *arg, char text[HOST_PROBE_SIZE])
{
	const int bits = *(const int *)arg;
	struct target target = { .known = true, .elf = { .bits = bits } };
	struct library library;
	struct smc_elf elf;
	struct stat st;
	const char *machine;
	int ret = library_find(&target, &library);

	if (ret)
		return ret;
	ret = smc_elf_inspect(library.file, &elf);
	machine = ret ? NULL : smc_elf_machine_name(&elf);
	snprintf(text, HOST_PROBE_SIZE, "%.400s\n%s", library.file,
		 ret	 ? "damaged" :
		 machine ? machine :
			   "another machine");
	if (ret)
		return 0;
	ret = fits(&elf, bits) ? LIBRARY_FITS : 0;
	if (!stat(library.file, &st) && st.st_mode & S_ISUID)
		ret |= LIBRARY_IS_SETUID;
	return ret;
}

static void load_library(struct library_facts *library, const char *probe, int bits)
{
	library->ret = host_probe("%s", probe_library, &bits, library->file, probe);
	library->machine = library->file + strcspn(library->file, "\n");
	if (*library->machine)
		*library->machine++ = '\0';
}

/* Our installation has a link of the old name to the new one. */
static bool is_ours(const char *path)
{
	char target[NAME_MAX + 1];

	return host_link(target, sizeof(target), "%s", path) &&
	       !strncmp(target, LIBRARY_NAME, strlen(LIBRARY_NAME));
}

static void load_foreign(struct shim_facts *shim)
{
	static const char *const directories[FACTS_FOREIGN_MAX] = {
		"/usr/lib64",
		"/usr/lib",
		"/usr/lib/x86_64-linux-gnu",
		"/usr/lib/s390x-linux-gnu",
		"/usr/lib/aarch64-linux-gnu",
		"/usr/lib/powerpc64le-linux-gnu",
		"/usr/local/lib64",
		"/usr/local/lib",
	};
	for (size_t i = 0; i < FACTS_FOREIGN_MAX; i++) {
		char *path = shim->foreign[shim->n_foreign];

		snprintf(path, sizeof(shim->foreign[0]), "%s/" OLD_NAME, directories[i]);
		shim->n_foreign += host_exists("%s", path) && !is_ours(path);
	}
}

static void load_preloads(struct shim_facts *shim)
{
	char text[4096], *save;

	if (!host_text(text, sizeof(text), "/etc/ld.so.preload"))
		return;
	for (char *word = strtok_r(text, ": \t\n", &save);
	     word && shim->n_preloads < FACTS_PRELOAD_MAX; word = strtok_r(NULL, ": \t\n", &save)) {
		struct preload_entry *entry = &shim->preloads[shim->n_preloads];

		if (!strstr(word, LIBRARY_NAME) && !strstr(word, OLD_NAME))
			continue;
		snprintf(entry->path, sizeof(entry->path), "%s", word);
		entry->is_absent = *word == '/' && !strchr(word, '$') && !host_exists("%s", word);
		shim->n_preloads++;
	}
}

static void load_shim(struct shim_facts *shim)
{
	static const char loader[] = "/lib/ld-linux.so.2";
	const struct smc_elf narrow = { .machine = EM_386, .bits = 32 };

	load_library(&shim->own, "library", (int)sizeof(void *) * CHAR_BIT);
	/* Only who has 32-bit programs misses a library for them. */
	shim->has_narrow_loader = sizeof(void *) > 4 && host_exists(loader);
	if (shim->has_narrow_loader) {
		load_library(&shim->narrow, "library-32", 32);
		shim->executes_narrow = host_executes(loader, &narrow);
	}
	load_foreign(shim);
	load_preloads(shim);
}

/* ---- switches and sizes ---- */

static const char *const knob_names[FACTS_KNOBS] = {
	"net.smc.autocorking_size",
	"net.smc.smcr_buf_type",
	"net.smc.smcr_testlink_time",
	"net.smc.wmem",
	"net.smc.rmem",
	"net.smc.smcr_max_links_per_lgr",
	"net.smc.smcr_max_conns_per_lgr",
	"net.smc.smcr_max_send_wr",
	"net.smc.smcr_max_recv_wr",
	"net.smc.hs_ctrl",
	"net.core.rmem_max",
	"net.core.wmem_max",
	"net.ipv4.tcp_rmem",
	"net.ipv4.tcp_wmem",
	"net.ipv4.tcp_syncookies",
	"net.ipv4.tcp_fastopen",
	"net.ipv4.tcp_available_ulp",
	"net.ipv6.bindv6only",
};

static void load_knobs(char knobs[FACTS_KNOBS][FACTS_KNOB_SIZE])
{
	char path[64];

	for (size_t i = 0; i < FACTS_KNOBS && knob_names[i]; i++) {
		snprintf(path, sizeof(path), "%s", knob_names[i]);
		for (char *dot = path; (dot = strchr(dot, '.'));)
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

const char *size_text(char text[SIZE_TEXT], unsigned long long bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	size_t unit = 0;

	while (unit < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, SIZE_TEXT, "%llu %s", bytes, units[unit]);
	return text;
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
		size_text(text, limit.rlim_cur);
	return 0;
}

static void load_memory(struct memory_facts *memory)
{
	char text[HOST_PROBE_SIZE];
	int page = host_probe("page-size", probe_page, NULL, text);

	memory->page_size = page > 0 ? (unsigned long long)page : 4096;
	host_text(memory->buddies, sizeof(memory->buddies), "/proc/buddyinfo");
	if (host_probe("rlimit-memlock", probe_memlock, NULL, memory->memlock))
		memory->memlock[0] = '\0';
}

void facts_load_host(struct doctor_facts *facts)
{
	load_kernel(&facts->kernel, facts);
	load_shim(&facts->shim);
	load_memory(&facts->memory);
	load_knobs(facts->knobs);
}
