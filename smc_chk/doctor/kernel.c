// SPDX-License-Identifier: MIT
/* Doctor: the kernel: SMC in it, its module, its interfaces. */
#include "smc_chk/doctor/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"
#include "smc/abi.h"
#include "sys/bpf_convert.h"
#include "sys/kconfig.h"
#include "sys/modprobe.h"
#include "sys/scope.h"

#define SMC_ALIAS "net-pf-43"
#define DIAG_ALIAS "net-pf-16-proto-4-type-43"

struct kernel {
	const char *release;
	struct kconfig config;
};

static char option(const struct kernel *kernel, const char *name)
{
	return kernel->config.text ? kconfig_get(kernel->config.text, name) : '\0';
}

/* ---- why there is no SMC ---- */

/* A clause that tells what stands in the way of a module. */
static void describe_block(char *text, size_t size, const struct modprobe_block *block,
			   const char *module, const char *alias)
{
	switch (block->rule) {
	case MODPROBE_BLACKLIST:
		snprintf(text, size, "\"blacklist %s\" in %.200s", module, block->file);
		break;
	case MODPROBE_INSTALL:
		snprintf(text, size, "\"install %s\" in %.200s", module, block->file);
		break;
	case MODPROBE_NO_ALIAS:
		snprintf(text, size, "\"alias %s off\" in %.200s", alias, block->file);
		break;
	default:
		snprintf(text, size, "%.200s", block->file);
	}
}

static void describe_cure(char *text, size_t size, const struct modprobe_block *block,
			  const char *module)
{
	if (block->rule)
		snprintf(text, size, "remove that line from %.200s, then: modprobe %s", block->file,
			 module);
	else if (strstr(block->file, "cmdline"))
		snprintf(text, size, "remove it from module_blacklist= of the kernel's command line"
				     " and boot again");
	else if (strstr(block->file, "modules_disabled"))
		snprintf(text, size, "let the system load it at boot: "
				     "echo %s >/etc/modules-load.d/%s.conf", module, module);
	else
		snprintf(text, size, "modprobe %s", module);
}

static void say_blocked(struct doctor *doc, enum doctor_level level, const char *check,
			const char *module, const char *alias, const struct modprobe_block *block,
			const char *what)
{
	char why[300], cure[320];

	describe_block(why, sizeof(why), block, module, alias);
	describe_cure(cure, sizeof(cure), block, module);
	doctor_say(doc, level, check, module, cure, "%s: %s", what, why);
}

static void say_not_built(struct doctor *doc, const struct kernel *kernel)
{
	static const char remedy[] = "install a kernel that was built with CONFIG_SMC";

	doc->is_untestable = true;
	if (!kernel->config.text)
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", kernel->release, remedy, "has no SMC");
	else if (!doctor_is_before(doc, 6, 18) && option(kernel, "CONFIG_DIBS") == 'n')
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", kernel->release, remedy,
			   "has no SMC: %s has no CONFIG_SMC, nor CONFIG_DIBS, which it needs",
			   kernel->config.file);
	else
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", kernel->release, remedy,
			   "has no SMC: %s has no CONFIG_SMC", kernel->config.file);
}

static void say_sandbox(struct doctor *doc, const struct kernel *kernel)
{
	doc->is_untestable = true;
	doctor_say(doc, DOCTOR_PROBLEM, "kernel", kernel->release, "run smc_chk outside the sandbox",
		   "has SMC, but this process may not use it: %s (seccomp, RestrictAddressFamilies=)",
		   strerror(doc->socket_error));
}

static void say_unrecorded(struct doctor *doc)
{
	doc->is_untestable = true;
	doctor_say(doc, DOCTOR_PROBLEM, "kernel", doc->release, "smc_chk --bundle FILE.tar.gz, there",
		   "nothing was recorded about it");
}

/* The kernel has no SMC now: could it have? */
static void say_no_smc(struct doctor *doc, const struct kernel *kernel)
{
	enum kmodule how = kmodule_find(kernel->release, "smc");
	char built = option(kernel, "CONFIG_SMC");
	struct modprobe_block block;

	if (doc->socket_error == ENODATA)
		say_unrecorded(doc);
	else if (doc->socket_error != EAFNOSUPPORT || how == KMODULE_BUILTIN || built == 'y' ||
	    host_exists("%s/module/smc", doc->sys))
		say_sandbox(doc, kernel);
	else if (built == 'n' || (!built && how != KMODULE_FILE))
		say_not_built(doc, kernel);
	else if (how == KMODULE_ABSENT)
		doctor_say(doc, DOCTOR_PROBLEM, "module", "smc",
			   "install the rest of the kernel's modules (linux-modules-extra, "
			   "kernel-modules-extra)",
			   "is not installed, though this kernel was built with SMC");
	else if (modprobe_blocked(&block, "smc", SMC_ALIAS))
		say_blocked(doc, DOCTOR_PROBLEM, "module", "smc", SMC_ALIAS, &block,
			    "may not be loaded");
	else
		doctor_say(doc, DOCTOR_PROBLEM, "module", "smc", "modprobe smc",
			   "the kernel cannot load it: modprobe and dmesg say why");
}

/* ---- what SMC there is ---- */

static void check_release(struct doctor *doc, const struct kernel *kernel)
{
	const struct smc_sysinfo *info = &doc->info;

	if (doc->has_info && info->has & SMC_SYSINFO_HAS_VERSION)
		doctor_say(doc, DOCTOR_OK, "kernel", kernel->release, NULL, "has SMC version %u.%u",
			   info->version, info->release);
	else
		doctor_say(doc, DOCTOR_OK, "kernel", kernel->release, NULL, "has SMC");
}

static const char *option_word(const struct kernel *kernel, const char *name)
{
	switch (option(kernel, name)) {
	case 'y': return "y";
	case 'm': return "m";
	default: return "n";
	}
}

static void check_config(struct doctor *doc, const struct kernel *kernel)
{
	if (!kernel->config.text)
		return;
	doctor_say(doc, DOCTOR_NOTE, "config", kernel->config.file, NULL,
		   "SMC=%s SMC_DIAG=%s SMC_LO=%s DIBS=%s DIBS_LO=%s MPTCP=%s",
		   option_word(kernel, "CONFIG_SMC"), option_word(kernel, "CONFIG_SMC_DIAG"),
		   option_word(kernel, "CONFIG_SMC_LO"), option_word(kernel, "CONFIG_DIBS"),
		   option_word(kernel, "CONFIG_DIBS_LO"), option_word(kernel, "CONFIG_MPTCP"));
}

static void check_module(struct doctor *doc, const struct kernel *kernel)
{
	struct modprobe_block block;

	if (kmodule_find(kernel->release, "smc") == KMODULE_BUILTIN)
		doctor_say(doc, DOCTOR_OK, "module", "smc", NULL, "is built into the kernel");
	else if (modprobe_blocked(&block, "smc", SMC_ALIAS) && block.rule)
		say_blocked(doc, DOCTOR_WARNING, "module", "smc", SMC_ALIAS, &block,
			    "is loaded, but will not be after the next boot");
	else
		doctor_say(doc, DOCTOR_OK, "module", "smc", NULL, "is loaded");
}

static void check_families(struct doctor *doc)
{
	if (!doc->has_pnet)
		doctor_say(doc, DOCTOR_PROBLEM, "netlink", SMC_ABI_PNET_FAMILY, "modprobe smc",
			   "does not answer: smc_pnet cannot work");
	if (!doc->has_genl)
		doctor_say(doc, DOCTOR_WARNING, "netlink", SMC_ABI_GEN_FAMILY,
			   "install kernel 5.11 or later",
			   "is not there: smcd and smcr cannot work");
	if (doc->has_pnet && doc->has_genl)
		doctor_say(doc, DOCTOR_OK, "netlink", NULL, NULL, "both families of SMC answer");
}

static void check_diag(struct doctor *doc, const struct kernel *kernel)
{
	struct modprobe_block block;

	if (doc->has_diag)
		doctor_say(doc, DOCTOR_OK, "smc_diag", NULL, NULL, "lists sockets");
	else if (kmodule_find(kernel->release, "smc_diag") == KMODULE_ABSENT)
		doctor_say(doc, DOCTOR_WARNING, "smc_diag", NULL,
			   "install a kernel that was built with CONFIG_SMC_DIAG",
			   "module is not installed: smcss cannot list sockets");
	else if (modprobe_blocked(&block, "smc_diag", DIAG_ALIAS))
		say_blocked(doc, DOCTOR_WARNING, "smc_diag", "smc_diag", DIAG_ALIAS, &block,
			    "may not be loaded, so smcss cannot list sockets");
	else
		doctor_say(doc, DOCTOR_WARNING, "smc_diag", NULL, "modprobe smc_diag",
			   "does not answer: smcss cannot list sockets");
}

/* ---- ways of smc_run ---- */

static void check_ways(struct doctor *doc)
{
	int ret = host_ipproto_smc();
	const char *missing = bpf_convert_missing();

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
			   "can give SMC to static programs (by root, or CAP_BPF and CAP_PERFMON)");
}

static int probe_attached(void *arg __attribute__((unused)),
			  char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	return access(SCOPE_DIR "/" SCOPE_HOOK, F_OK) ? -errno : 0;
}

/* Where smc_bpf has attached something, sockets must not lack SMC: only root can see it. */
static void check_attached(struct doctor *doc)
{
	char text[HOST_PROBE_SIZE];

	if (host_probe("bpf-attached", probe_attached, NULL, text))
		return;
	if (host_ipproto_smc())
		doctor_say(doc, DOCTOR_PROBLEM, "attached", "smc_bpf", "smc_bpf detach --all",
			   "makes TCP sockets fail: it turns them into SMC sockets, which the kernel "
			   "has no longer");
	else
		doctor_say(doc, DOCTOR_OK, "attached", "smc_bpf", NULL,
			   "turns sockets into SMC sockets: smc_bpf status says whose");
}

/* ---- what is known about some kernels ---- */

/* One of the words of a file. */
static bool has_word(const char *path, const char *word)
{
	char text[256], *save;

	if (!host_text(text, sizeof(text), "%s", path))
		return false;
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		if (!strcmp(w, word))
			return true;
	return false;
}

static void check_ulp(struct doctor *doc)
{
	if (has_word("/proc/sys/net/ipv4/tcp_available_ulp", "smc"))
		doctor_say(doc, DOCTOR_NOTE, "tcp_ulp", "smc", NULL,
			   "setsockopt(TCP_ULP) makes SMC sockets: repaired kernels no longer allow it "
			   "(CVE-2026-46330)");
}

static void check_lockdown(struct doctor *doc)
{
	char text[64], *mode, *end;

	if (!host_text(text, sizeof(text), "/sys/kernel/security/lockdown"))
		return;
	mode = strchr(text, '[');
	end = mode ? strchr(mode, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	if (strcmp(mode + 1, "none"))
		doctor_say(doc, DOCTOR_NOTE, "lockdown", mode + 1, NULL,
			   "the kernel loads signed modules only%s",
			   strcmp(mode + 1, "confidentiality") ? "" : ", and may refuse eBPF");
}

/* In 6.1 Soft-RoCE cannot register SMC's buffers, and connect() waits for it, unkillably. */
static void check_soft_roce(struct doctor *doc)
{
	char remedy[DOCTOR_WORD_SIZE + 32], word[DOCTOR_WORD_SIZE];

	if (!doctor_is_before(doc, 6, 2))
		return;
	for (size_t i = 0; i < doc->rdma.count; i++) {
		if (strcmp(doc->rdma.devs[i].driver, "rxe"))
			continue;
		snprintf(remedy, sizeof(remedy), "rdma link delete %s",
			 doctor_word(word, doc->rdma.devs[i].name));
		doctor_say(doc, DOCTOR_PROBLEM, "soft-roce", doc->rdma.devs[i].name, remedy,
			   "connect() over Soft-RoCE hangs for ever in this kernel");
	}
}

/* Numbers of distributions that port repairs back, "6.12.0-55.el10", tell nothing. */
static void check_diag_crash(struct doctor *doc)
{
	const unsigned int *n = doc->version;

	if (n[0] == 6 && n[1] == 12 && n[2] > 0 && n[2] < 56)
		doctor_say(doc, DOCTOR_WARNING, "kernel", doc->release,
			   "install kernel 6.12.56 or later",
			   "listing SMC sockets has been seen to crash it");
}

void doctor_kernel(struct doctor *doc)
{
	struct kernel kernel = { .release = doc->release };

	kconfig_load(&kernel.config, doc->release);
	if (!doc->has_smc) {
		say_no_smc(doc, &kernel);
	} else {
		check_release(doc, &kernel);
		check_module(doc, &kernel);
		check_families(doc);
		check_diag(doc, &kernel);
		check_ways(doc);
		check_ulp(doc);
		check_soft_roce(doc);
		check_diag_crash(doc);
	}
	check_attached(doc);
	check_config(doc, &kernel);
	check_lockdown(doc);
	kconfig_free(&kernel.config);
}
