// SPDX-License-Identifier: MIT
/* Doctor: the kernel: SMC in it, its module, its interfaces. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "smc/abi.h"
#include "smc_chk/doctor/checks.h"

static char option(const struct doctor *doc, const char *name)
{
	const char *config = doc->facts->kernel.config.text;

	return config ? kconfig_get(config, name) : '\0';
}

/* ---- why there is no SMC ---- */

/* A clause that tells what stands in the way of a module. */
static void describe_block(char *text, size_t size, const struct module_facts *module)
{
	switch (module->block.rule) {
	case MODPROBE_BLACKLIST:
		snprintf(text, size, "\"blacklist %s\" in %.200s", module->name, module->block.file);
		break;
	case MODPROBE_INSTALL:
		snprintf(text, size, "\"install %s\" in %.200s", module->name, module->block.file);
		break;
	case MODPROBE_NO_ALIAS:
		snprintf(text, size, "\"alias %s off\" in %.200s", module->alias, module->block.file);
		break;
	default:
		snprintf(text, size, "%.200s", module->block.file);
	}
}

static void describe_cure(char *text, size_t size, const struct module_facts *module)
{
	if (module->block.rule)
		snprintf(text, size, "remove that line from %.200s, then: modprobe %s", module->block.file,
			 module->name);
	else if (strstr(module->block.file, "cmdline"))
		snprintf(text, size, "remove it from module_blacklist= of the kernel's command line"
				     " and boot again");
	else if (strstr(module->block.file, "modules_disabled"))
		snprintf(text, size, "let the system load it at boot: "
				     "echo %s >/etc/modules-load.d/%s.conf", module->name, module->name);
	else
		snprintf(text, size, "modprobe %s", module->name);
}

static void say_blocked(struct doctor *doc, enum doctor_level level, const char *check,
			const struct module_facts *module, const char *what)
{
	char why[300], cure[320];

	describe_block(why, sizeof(why), module);
	describe_cure(cure, sizeof(cure), module);
	doctor_say(doc, level, check, module->name, cure, "%s: %s", what, why);
}

static void say_not_built(struct doctor *doc)
{
	static const char remedy[] = "install a kernel that was built with CONFIG_SMC";

	doc->is_untestable = true;
	if (!doc->facts->kernel.config.text)
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", doc->facts->release, remedy, "has no SMC");
	else if (!facts_is_before(doc->facts, 6, 18) && option(doc, "CONFIG_DIBS") == 'n')
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", doc->facts->release, remedy,
			   "has no SMC: %s has neither CONFIG_SMC nor CONFIG_DIBS, which it needs",
			   doc->facts->kernel.config.file);
	else
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", doc->facts->release, remedy,
			   "has no SMC: %s has no CONFIG_SMC", doc->facts->kernel.config.file);
}

static void say_sandbox(struct doctor *doc)
{
	doc->is_untestable = true;
	doctor_say(doc, DOCTOR_PROBLEM, "kernel", doc->facts->release, "run smc_chk outside the sandbox",
		   "has SMC, but this process may not use it: %s (seccomp, RestrictAddressFamilies=)",
		   strerror(doc->facts->socket_error));
}

static void say_unrecorded(struct doctor *doc)
{
	doc->is_untestable = true;
	doctor_say(doc, DOCTOR_PROBLEM, "kernel", doc->facts->release,
		   "run smc_chk --bundle FILE.tar.gz on that host", "nothing was recorded about it");
}

/* The kernel has no SMC now: could it have? */
static void say_no_smc(struct doctor *doc)
{
	const struct module_facts *module = &doc->facts->kernel.smc;
	char built = option(doc, "CONFIG_SMC");
	int error = doc->facts->socket_error;

	if (error == ENODATA)
		say_unrecorded(doc);
	else if (error != EAFNOSUPPORT || module->how == KMODULE_BUILTIN || built == 'y' ||
		 doc->facts->kernel.has_smc_dir)
		say_sandbox(doc);
	else if (built == 'n' || (!built && module->how != KMODULE_FILE))
		say_not_built(doc);
	else if (module->how == KMODULE_ABSENT)
		doctor_say(doc, DOCTOR_PROBLEM, "module", "smc",
			   "install the rest of the kernel's modules (linux-modules-extra, "
			   "kernel-modules-extra)",
			   "is not installed, though this kernel was built with SMC");
	else if (module->is_blocked)
		say_blocked(doc, DOCTOR_PROBLEM, "module", module, "may not be loaded");
	else
		doctor_say(doc, DOCTOR_PROBLEM, "module", "smc", "modprobe smc",
			   "the kernel cannot load it: modprobe and dmesg say why");
}

/* ---- what SMC there is ---- */

static void check_release(struct doctor *doc)
{
	const struct smc_sysinfo *info = &doc->facts->info;

	if (doc->facts->has_info && info->has & SMC_SYSINFO_HAS_VERSION)
		doctor_say(doc, DOCTOR_OK, "kernel", doc->facts->release, NULL, "has SMC version %u.%u",
			   info->version, info->release);
	else
		doctor_say(doc, DOCTOR_OK, "kernel", doc->facts->release, NULL, "has SMC");
}

static const char *option_word(const struct doctor *doc, const char *name)
{
	switch (option(doc, name)) {
	case 'y': return "y";
	case 'm': return "m";
	default: return "n";
	}
}

static void check_config(struct doctor *doc)
{
	if (!doc->facts->kernel.config.text)
		return;
	doctor_say(doc, DOCTOR_NOTE, "config", doc->facts->kernel.config.file, NULL,
		   "SMC=%s SMC_DIAG=%s SMC_LO=%s DIBS=%s DIBS_LO=%s MPTCP=%s",
		   option_word(doc, "CONFIG_SMC"), option_word(doc, "CONFIG_SMC_DIAG"),
		   option_word(doc, "CONFIG_SMC_LO"), option_word(doc, "CONFIG_DIBS"),
		   option_word(doc, "CONFIG_DIBS_LO"), option_word(doc, "CONFIG_MPTCP"));
}

static void check_module(struct doctor *doc)
{
	const struct module_facts *module = &doc->facts->kernel.smc;

	if (module->how == KMODULE_BUILTIN)
		doctor_say(doc, DOCTOR_OK, "module", "smc", NULL, "is built into the kernel");
	else if (module->is_blocked && module->block.rule)
		say_blocked(doc, DOCTOR_WARNING, "module", module,
			    "is loaded, but will not be after the next boot");
	else
		doctor_say(doc, DOCTOR_OK, "module", "smc", NULL, "is loaded");
}

static void check_families(struct doctor *doc)
{
	if (!doc->facts->has_pnet)
		doctor_say(doc, DOCTOR_PROBLEM, "netlink", SMC_ABI_PNET_FAMILY, "modprobe smc",
			   "does not answer: smc_pnet cannot work");
	if (!doc->facts->has_genl)
		doctor_say(doc, DOCTOR_WARNING, "netlink", SMC_ABI_GEN_FAMILY,
			   "install kernel 5.11 or later",
			   "is not there: smcd and smcr cannot work");
	if (doc->facts->has_pnet && doc->facts->has_genl)
		doctor_say(doc, DOCTOR_OK, "netlink", NULL, NULL, "both families of SMC answer");
}

static void check_diag(struct doctor *doc)
{
	const struct module_facts *module = &doc->facts->kernel.smc_diag;

	if (doc->facts->has_diag)
		doctor_say(doc, DOCTOR_OK, "smc_diag", NULL, NULL, "lists sockets");
	else if (module->how == KMODULE_ABSENT)
		doctor_say(doc, DOCTOR_WARNING, "smc_diag", NULL,
			   "install a kernel that was built with CONFIG_SMC_DIAG",
			   "module is not installed: smcss cannot list sockets");
	else if (module->is_blocked)
		say_blocked(doc, DOCTOR_WARNING, "smc_diag", module,
			    "may not be loaded, so smcss cannot list sockets");
	else
		doctor_say(doc, DOCTOR_WARNING, "smc_diag", NULL, "modprobe smc_diag",
			   "does not answer: smcss cannot list sockets");
}

/* ---- ways of smc_run ---- */

static void check_ways(struct doctor *doc)
{
	const char *missing = doc->facts->kernel.bpf_missing;
	int ret = doc->facts->kernel.ipproto_error;

	if (ret == -ENODATA)
		return;
	if (!ret)
		doctor_say(doc, DOCTOR_OK, "ipproto_smc", NULL, NULL, "sockets can be opened");
	else
		doctor_say(doc, DOCTOR_NOTE, "ipproto_smc", NULL, NULL,
			   "is not there (kernel 6.11): programs use AF_SMC");
	if (missing)
		doctor_say(doc, DOCTOR_NOTE, "ebpf", NULL, NULL,
			   "cannot give SMC to static programs: the kernel lacks %s", missing);
	else
		doctor_say(doc, DOCTOR_OK, "ebpf", NULL, NULL,
			   "can give SMC to static programs (as root, or with CAP_BPF and CAP_PERFMON)");
}

/* Where smc_bpf has attached something, sockets must not lack SMC: only root can see it. */
static void check_attached(struct doctor *doc)
{
	if (!doc->facts->kernel.is_attached)
		return;
	if (doc->facts->kernel.ipproto_error)
		doctor_say(doc, DOCTOR_PROBLEM, "attached", "smc_bpf", "smc_bpf detach --all",
			   "makes TCP sockets fail: it turns them into SMC sockets, which the kernel "
			   "no longer has");
	else
		doctor_say(doc, DOCTOR_OK, "attached", "smc_bpf", NULL,
			   "turns sockets into SMC sockets: smc_bpf status says whose");
}

/* ---- what is known about some kernels ---- */

/* Is it one of the words of a list? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == len && !strncmp(list, word, len))
			return true;
	return false;
}

static void check_ulp(struct doctor *doc)
{
	if (has_word(knob_text(doc->facts, "net/ipv4/tcp_available_ulp"), "smc"))
		doctor_say(doc, DOCTOR_NOTE, "tcp_ulp", "smc", NULL,
			   "setsockopt(TCP_ULP) makes SMC sockets: fixed kernels no longer allow it "
			   "(CVE-2026-46330)");
}

static void check_lockdown(struct doctor *doc)
{
	const char *mode = doc->facts->kernel.lockdown;

	if (*mode && strcmp(mode, "none"))
		doctor_say(doc, DOCTOR_NOTE, "lockdown", mode, NULL,
			   "the kernel loads only signed modules%s",
			   strcmp(mode, "confidentiality") ? "" : ", and may refuse eBPF");
}

/* In 6.1 Soft-RoCE cannot register SMC's buffers, and connect() waits for it, unkillably. */
static void check_soft_roce(struct doctor *doc)
{
	char remedy[DOCTOR_COMMAND_SIZE];

	if (!facts_is_before(doc->facts, 6, 2))
		return;
	for (size_t i = 0; i < doc->facts->rdma.count; i++) {
		if (strcmp(doc->facts->rdma.devs[i].driver, "rxe"))
			continue;
		doctor_command(remedy, "rdma link delete ", doc->facts->rdma.devs[i].name, "");
		doctor_say(doc, DOCTOR_PROBLEM, "soft-roce", doc->facts->rdma.devs[i].name, remedy,
			   "connect() over Soft-RoCE hangs forever in this kernel");
	}
}

/* Numbers of distributions that port repairs back, "6.12.0-55.el10", tell nothing. */
static void check_diag_crash(struct doctor *doc)
{
	const unsigned int *n = doc->facts->version;

	if (n[0] == 6 && n[1] == 12 && n[2] > 0 && n[2] < 56)
		doctor_say(doc, DOCTOR_WARNING, "kernel", doc->facts->release,
			   "install kernel 6.12.56 or later",
			   "listing SMC sockets has been seen to crash it");
}

void doctor_kernel(struct doctor *doc)
{
	if (!doc->facts->has_smc) {
		say_no_smc(doc);
	} else {
		check_release(doc);
		check_module(doc);
		check_families(doc);
		check_diag(doc);
		check_ways(doc);
		check_ulp(doc);
		check_soft_roce(doc);
		check_diag_crash(doc);
	}
	check_attached(doc);
	check_config(doc);
	check_lockdown(doc);
}
