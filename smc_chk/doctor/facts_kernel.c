// SPDX-License-Identifier: MIT
/* What the doctor knows of a host: how its kernel was built, and what it lets us do. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"
#include "smc_chk/doctor/facts.h"
#include "sys/bpf_convert.h"
#include "sys/scope.h"

#define SMC_ALIAS "net-pf-43"
#define DIAG_ALIAS "net-pf-16-proto-4-type-43"

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

void facts_load_kernel(struct kernel_facts *kernel, const struct doctor_facts *facts)
{
	char text[HOST_PROBE_SIZE];

	kconfig_load(&kernel->config, facts->release);
	load_module(&kernel->smc, facts->release, "smc", SMC_ALIAS);
	kernel->has_smc_dir = host_exists("%s/module/smc", facts->sys);
	kernel->is_attached = !host_probe("bpf-attached", probe_attached, NULL, text);
	if (facts->has_smc || kernel->is_attached)
		kernel->ipproto_error = host_ipproto_smc();
	if (facts->has_smc)
		kernel->bpf_missing = bpf_convert_missing();
	if (facts->has_smc && !facts->has_diag)
		load_module(&kernel->smc_diag, facts->release, "smc_diag", DIAG_ALIAS);
	load_lockdown(kernel->lockdown);
}
