// SPDX-License-Identifier: MIT
/* Facts about a host: kernel, preload libraries, services, memory, sysctls. */
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/read.h"
#include "base/words.h"
#include "host/btf.h"
#include "host/record.h"
#include "host/smc.h"
#include "launch/learned_list.h"
#include "out/text.h"
#include "process/elf.h"
#include "process/library.h"
#include "process/mark.h"
#include "process/proc.h"
#include "smc_chk/doctor/facts.h"

#define OLD_NAME "libsmc-preload.so"

static int probe_attached(void)
{
	return access(SCOPE_DIR "/" SCOPE_HOOK, F_OK) ? -errno : 0;
}

/* Count in this network namespace, without the netlink request that would load a module. */
static int probe_mptcp(void)
{
	char table[8192];
	int all = 0, n;

	smc_read_start("/proc/net/protocols", 0, table, sizeof(table));
	for (const char *at = table; (at = strstr(at, "\nMPTCP")); at++)
		all += sscanf(at, " %*s %*d %d", &n) == 1 ? n : 0;
	return all;
}

static void load_kernel(struct kernel_facts *kernel, const struct doctor_facts *facts)
{
	char text[HOST_PROBE_SIZE], machine[HOST_PROBE_SIZE], os_release[1024];
	size_t place = offsetof(struct utsname, machine);

	kconfig_load(&kernel->config, facts->release);
	host_text(os_release, sizeof(os_release), "/etc/os-release");
	if (host_probe("uname-machine", facts_probe_uname, &place, machine) < 0)
		*machine = '\0';
	kernel->distribution = distribution_find(os_release, machine, facts->release);
	module_load(&kernel->smc, facts->release, "smc", MODPROBE_SMC_ALIAS);
	kernel->has_smc_dir = host_exists("%s/module/smc", facts->sys);
	kernel->is_attached = !host_probe_number("bpf-attached", probe_attached);
	kernel->is_traced = host_text(text, sizeof(text), TRACE_EVENTS) && *text != '0';
	kernel->has_criu = host_exists("/usr/sbin/criu");
	kernel->mptcp = host_probe_number("mptcp-sockets", probe_mptcp);
	if (facts->socket_error == EACCES)
		kernel->is_confined = confined_own(kernel->own);
	if (facts->has_smc || kernel->is_attached)
		kernel->ipproto_error = host_ipproto_smc();
	if (facts->has_smc)
		kernel->bpf_missing = bpf_convert_missing();
	if (facts->has_smc)
		kernel->sockmaps =
			host_probe("bpf-sockmaps", facts_probe_sockmaps, NULL, kernel->sockmap);
	if (facts->has_smc && !facts->has_diag)
		module_load(&kernel->smc_diag, facts->release, "smc_diag", MODPROBE_DIAG_ALIAS);
}

/* Text of the probe: the file's path, a newline, and its ELF machine. */
static int probe_library(void *arg, char text[HOST_PROBE_SIZE])
{
	const int bits = *(const int *)arg;
	struct target target = { .known = true, .elf = { .bits = bits } };
	struct library library;
	struct smc_elf elf, own;
	struct stat st;
	const char *machine;
	int ret = library_find(&target, &library);

	if (ret)
		return ret;
	ret = smc_elf_inspect(library.file, &elf);
	machine = ret ? "damaged" : smc_elf_machine_name(&elf);
	snprintf(text, HOST_PROBE_SIZE, "%.400s\n%s", library.file,
		 machine ? machine : "another machine");
	if (ret)
		return 0;
	/* A library of this class must be for this machine; others are for 32-bit programs. */
	if (elf.bits == bits && !smc_elf_inspect("/proc/self/exe", &own) &&
	    (elf.machine == own.machine || own.bits != bits))
		ret |= LIBRARY_FITS;
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
		"/usr/local/lib"
	};
	char target[NAME_MAX + 1];

	for (size_t i = 0; i < FACTS_FOREIGN_MAX; i++) {
		char *path = shim->foreign[shim->n_foreign];

		snprintf(path, sizeof(shim->foreign[0]), "%s/" OLD_NAME, directories[i]);
		/* A link from the older name to our library is part of our installation. */
		if (!host_link(target, sizeof(target), "%s", path) ||
		    strncmp(target, LIBRARY_NAME, strlen(LIBRARY_NAME)))
			shim->n_foreign += host_exists("%s", path);
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
	shim->n_learned = learned_count();
	load_library(&shim->own, "library", (int)sizeof(void *) * CHAR_BIT);
	/* Only hosts with 32-bit programs need a 32-bit library. */
	shim->has_narrow_loader = sizeof(void *) > 4 && host_exists("/lib/ld-linux.so.2");
	if (shim->has_narrow_loader)
		load_library(&shim->narrow, "library-32", 32);
	load_foreign(shim);
	load_preloads(shim);
}

/* sysctls besides smc_knobs[] */
static const char *const more_knobs[FACTS_KNOBS - SMC_KNOBS] = {
	"net.smc.hs_ctrl",	   "net.core.rmem_max",	    "net.core.wmem_max",
	"net.ipv4.tcp_syncookies", "net.ipv4.tcp_fastopen", "net.ipv4.tcp_available_ulp",
	"net.ipv6.bindv6only",
};

static const char *knob_name(size_t i)
{
	return i < SMC_KNOBS ? smc_knobs[i].name : more_knobs[i - SMC_KNOBS];
}

const char *knob_text(const struct doctor_facts *facts, const char *name)
{
	for (size_t i = 0; i < FACTS_KNOBS; i++)
		if (!strcmp(knob_name(i), name))
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

/* Set the service's name from the directory of its drop-ins. Return: true if it has ours. */
static bool take_service(struct service_facts *service, const char *directory)
{
	size_t len = strlen(directory);
	char lines[4096];
	int ret;

	if (!word_ends_with(directory, ".service.d") || len >= sizeof(service->unit) ||
	    !host_text(lines, sizeof(lines), "/etc/systemd/system/%s/zz-smc-tools.conf", directory))
		return false;
	snprintf(service->unit, sizeof(service->unit), "%.*s", (int)(len - strlen(".d")),
		 directory);
	service->is_bpf = strstr(lines, "/smc_bpf");
	ret = confined_unit(service->unit, NULL, service->is_bpf, service->why);
	service->is_denied = ret > 0;
	return ret >= 0;
}

static void load_services(struct doctor_facts *facts)
{
	struct host_names names AUTO(host_names_free) = { 0 };

	if (host_list(&names, "/etc/systemd/system"))
		return;
	for (size_t i = 0; i < names.count && facts->n_services < FACTS_SERVICES_MAX; i++)
		facts->n_services +=
			take_service(&facts->services[facts->n_services], names.names[i]);
}

static int probe_page(void)
{
	return (int)sysconf(_SC_PAGESIZE);
}

void facts_load_host(struct doctor_facts *facts)
{
	char path[64];
	int page;

	load_kernel(&facts->kernel, facts);
	load_shim(&facts->shim);
	page = host_probe_number("page-size", probe_page);
	facts->page_size = page > 0 ? (unsigned long long)page : 4096;
	host_text(facts->buddies, sizeof(facts->buddies), "/proc/buddyinfo");
	for (size_t i = 0; i < FACTS_KNOBS; i++) {
		snprintf(path, sizeof(path), "%s", knob_name(i));
		for (char *dot = path; (dot = strchr(dot, '.'));)
			*dot = '/';
		host_text(facts->knobs[i], FACTS_KNOB_SIZE, "/proc/sys/%s", path);
	}
	load_services(facts);
}
