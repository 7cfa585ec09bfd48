// SPDX-License-Identifier: MIT
/* Doctor: the kernel: SMC in it, its module, its interfaces; preload library; services. */

#include "base/array.h"
#include "base/words.h"
#include "process/library.h"
#include "smc/genl_abi.h"
#include "smc_chk/doctor/findings.h"

static char option(const struct doctor *doc, const char *name)
{
	const char *config = doc->facts->kernel.config.text;

	return config ? kconfig_get(config, name) : '\0';
}

static const char *cure(struct doctor *doc, const struct module_facts *module)
{
	const char *file = module->file, *name = module->name;
	char then[64];

	snprintf(then, sizeof(then), ", then: modprobe %s", name);
	if (module->rule)
		return doctor_command(doc, "remove that line from ", file, then);
	if (strstr(file, "cmdline"))
		return "remove it from module_blacklist= of the kernel's command line and boot "
		       "again";
	if (strstr(file, "modules_disabled"))
		return doctor_remedy(doc,
				     "let the system load it at boot: "
				     "echo %s >/etc/modules-load.d/%s.conf",
				     name, name);
	return doctor_remedy(doc, "modprobe %s", name);
}

static void say_blocked(struct doctor *doc, enum doctor_level level, const char *check,
			const struct module_facts *module, const char *what)
{
	static const char *const words[] = {
		[MODPROBE_BLACKLIST] = "blacklist",
		[MODPROBE_INSTALL] = "install",
		[MODPROBE_NO_ALIAS] = "alias",
	};
	bool is_alias = module->rule == MODPROBE_NO_ALIAS;

	if (module->rule)
		doctor_say(doc, level, check, module->name, cure(doc, module),
			   "%s: \"%s %s%s\" in %.200s", what, words[module->rule],
			   is_alias ? module->alias : module->name, is_alias ? " off" : "",
			   module->file);
	else
		doctor_say(doc, level, check, module->name, cure(doc, module), "%s: %.200s", what,
			   module->file);
}

/* The distribution's remedy, if its row describes a kernel built like this one: 'n', 'm' or '?'. */
static const char *remedy_of(const struct doctor *doc, const char *built, const char *otherwise)
{
	const struct distribution *row = doc->facts->kernel.distribution;

	return row && strchr(built, *row->smc) ? row->remedy : otherwise;
}

static void say_not_built(struct doctor *doc)
{
	const char *file = doc->facts->kernel.config.file, *what = " has no CONFIG_SMC";

	if (!doc->facts->kernel.config.text)
		file = what = "";
	else if (!facts_is_before(doc->facts, 6, 18) && option(doc, "CONFIG_DIBS") == 'n')
		what = " has neither CONFIG_SMC nor CONFIG_DIBS, which it needs";
	doctor_say(doc, DOCTOR_PROBLEM, "kernel", doc->facts->release,
		   remedy_of(doc, "n", "install a kernel that was built with CONFIG_SMC"),
		   "has no SMC%s%s%s", *file ? ": " : "", file, what);
}

/* The kernel has no SMC. Find out whether it could have SMC. */
static void say_no_smc(struct doctor *doc)
{
	const struct module_facts *module = &doc->facts->kernel.smc;
	const char *release = doc->facts->release;
	char built = option(doc, "CONFIG_SMC");
	int error = doc->facts->socket_error;
	bool is_absent = built == 'n' || (!built && module->how != KMODULE_FILE);
	/* A filter may also have kept an installed and allowed module from being loaded. */
	bool is_filtered = doc->facts->has_filter && module->how == KMODULE_FILE && !is_absent &&
			   !module->is_blocked;
	bool is_refused = error != EAFNOSUPPORT || module->how == KMODULE_BUILTIN || built == 'y' ||
			  doc->facts->kernel.has_smc_dir || is_filtered;

	doc->is_untestable = error == ENODATA || is_refused || is_absent;
	if (error == ENODATA)
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", release,
			   "run smc_chk bundle FILE.tar.gz on that host",
			   "nothing was recorded about it");
	else if (doc->facts->kernel.is_confined)
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", release, CONFINED_SEE,
			   "this process may not use SMC: %s", doc->facts->kernel.own);
	else if (is_refused)
		doctor_say(doc, DOCTOR_PROBLEM, "kernel", release,
			   "run smc_chk outside the sandbox",
			   "has SMC, but this process may not use it: %s (%s)", strerror(error),
			   error == EACCES ? "AppArmor or SELinux" :
					     "seccomp, RestrictAddressFamilies=");
	else if (is_absent)
		say_not_built(doc);
	else if (module->how == KMODULE_ABSENT)
		doctor_say(doc, DOCTOR_PROBLEM, "module", "smc",
			   remedy_of(doc, "m?",
				     "install the rest of the kernel's modules "
				     "(linux-modules-extra, kernel-modules-extra)"),
			   "is not installed, though this kernel was built with SMC");
	else if (module->is_blocked)
		say_blocked(doc, DOCTOR_PROBLEM, "module", module, "may not be loaded");
	else
		doctor_say(doc, DOCTOR_PROBLEM, "module", "smc", "modprobe smc",
			   "the kernel cannot load it: modprobe and dmesg say why");
}

static void check_config(struct doctor *doc)
{
	static const char *const names[] = {
		"SMC", "SMC_DIAG", "SMC_LO", "DIBS", "DIBS_LO", "MPTCP"
	};
	char text[128] = "", name[32];
	size_t len = 0;

	if (!doc->facts->kernel.config.text)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "CONFIG_%s", names[i]);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%c", i ? " " : "",
					names[i], option(doc, name));
	}
	doctor_note(doc, "config", doc->facts->kernel.config.file, "%s", text);
}

static void check_module(struct doctor *doc)
{
	const struct module_facts *module = &doc->facts->kernel.smc;

	if (module->how == KMODULE_BUILTIN)
		doctor_ok(doc, "module", "smc", "is built into the kernel");
	else if (module->is_blocked && module->rule)
		say_blocked(doc, DOCTOR_WARNING, "module", module,
			    "is loaded, but will not be after the next boot");
	else
		doctor_ok(doc, "module", "smc", "is loaded");
}

static void check_families(struct doctor *doc)
{
	if (doc->facts->unread.code) {
		doctor_say(doc, DOCTOR_PROBLEM, "netlink", NULL, NULL,
			   "answers only in part, so this list is incomplete: %s",
			   doc->facts->unread.text);
		return;
	}
	if (!doc->facts->has_pnet)
		doctor_say(doc, DOCTOR_PROBLEM, "netlink", SMCR_GENL_FAMILY_NAME, "modprobe smc",
			   "does not answer: smc_pnet cannot work");
	if (!doc->facts->has_genl)
		doctor_say(doc, DOCTOR_WARNING, "netlink", SMC_GENL_FAMILY_NAME,
			   "install kernel 5.11 or later", "is missing: smcd and smcr cannot work");
	if (doc->facts->has_pnet && doc->facts->has_genl)
		doctor_ok(doc, "netlink", NULL, "both families of SMC answer");
}

static void check_diag(struct doctor *doc)
{
	const struct module_facts *module = &doc->facts->kernel.smc_diag;

	if (doc->facts->has_diag)
		doctor_ok(doc, "smc_diag", NULL, "lists sockets");
	else if (doc->facts->unread.code)
		return;
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

static void check_ways(struct doctor *doc)
{
	const char *missing = doc->facts->kernel.bpf_missing;
	int ret = doc->facts->kernel.ipproto_error;

	if (ret == -ENODATA)
		return;
	if (!ret)
		doctor_ok(doc, "ipproto_smc", NULL, "sockets can be opened");
	else
		doctor_note(doc, "ipproto_smc", NULL,
			    "is missing (it needs kernel 6.11): programs use AF_SMC");
	if (missing)
		doctor_note(doc, "ebpf", NULL,
			    "cannot give SMC to static programs: the kernel lacks %s", missing);
	else
		doctor_ok(doc, "ebpf", NULL,
			  "can give SMC to static programs (as root, or with CAP_BPF and "
			  "CAP_PERFMON)");
}

/* The trace events for sending and receiving print a link, which SMC-D does not have. */
static bool is_traced(const struct doctor_facts *facts)
{
	return facts->kernel.is_traced && (facts->rdma.n_isms || facts->choices.has_loopback);
}

/**
 * struct fault - a bug of released kernels; version 6.12.56 is 6012056
 * @from: first version with it
 * @fixed: first fixed version of each series that has a fix; all later series are fixed, too
 * @remedy: instead of a later kernel
 * @concerns: true if this host is concerned; NULL for every host
 */
static const struct fault {
	unsigned int from, fixed[6];
	const char *text, *remedy;
	bool (*concerns)(const struct doctor_facts *facts);
} faults[] = {
	{ 6012000, { 6012056 }, "listing SMC sockets has been seen to crash it", NULL, NULL },
	{ 4011000,
	  { 5010234, 5015178, 6001128, 6006075, 6012012, 6013001 },
	  "recv(2) with MSG_PEEK may return the same bytes twice",
	  NULL,
	  NULL },
	{ 5016000,
	  { 6012095, 7001000 },
	  "trace events of SMC are enabled: with SMC-D, they crash kernels without the fix of May "
	  "2026",
	  "echo 0 >" TRACE_EVENTS,
	  is_traced },
};

/*
 * Version numbers with a suffix such as "6.12.0-55.el10" do not show which fixes a distribution has
 * backported, so only the host's behaviour counts.
 */
static void check_fault(struct doctor *doc, const struct fault *fault)
{
	const unsigned int *n = doc->facts->version, *fix = fault->fixed;
	unsigned int version = n[0] * 1000000 + n[1] * 1000 + n[2];
	const char *remedy = fault->remedy;

	if (fault->concerns ? !fault->concerns(doc->facts) : !n[2])
		return;
	while (fix < &fault->fixed[ARRAY_SIZE(fault->fixed) - 1] && fix[1] &&
	       *fix / 1000 != version / 1000)
		fix++;
	if (version < fault->from || version >= *fix)
		return;
	if (!remedy)
		remedy = doctor_remedy(doc, "install kernel %u.%u.%u or later", *fix / 1000000,
				       *fix / 1000 % 1000, *fix % 1000);
	doctor_say(doc, DOCTOR_WARNING, "kernel", doc->facts->release, remedy, "%s", fault->text);
}

static void check_known(struct doctor *doc)
{
	const struct rdma_table *rdma = &doc->facts->rdma;

	if (words_have(knob_text(doc->facts, "net.ipv4.tcp_available_ulp"), "smc"))
		doctor_note(doc, "tcp_ulp", "smc",
			    "every local user can turn TCP sockets into SMC sockets by "
			    "setsockopt(TCP_ULP), which also loads SMC: fixed kernels no longer "
			    "have that");
	/*
	 * In 6.1 Soft-RoCE cannot register SMC's buffers, and connect() waits for that and cannot
	 * be killed. Kernels without SMC-Rv2 do not use Soft-RoCE at all. rdma(8) takes every word
	 * that begins with '-' for an option, wherever it stands.
	 */
	for (size_t i = 0; i < rdma->count && doc->facts->choices.is_rxe_broken; i++) {
		const char *name = rdma->devs[i].name;

		if (!strcmp(rdma->devs[i].driver, "rxe"))
			doctor_say(doc, DOCTOR_PROBLEM, "soft-roce", name,
				   doctor_command(doc,
						  *name == '-' ? "rdma -- link delete " :
								 "rdma link delete ",
						  name, ""),
				   "connect() over Soft-RoCE hangs forever in this kernel");
	}
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		check_fault(doc, &faults[i]);
}

/*
 * A verdict on the TCP socket inside an SMC socket replaces the functions that SMC has set: the
 * handshake breaks, data is lost, and recv(2) does not wait.
 */
static void check_sockmaps(struct doctor *doc)
{
	const struct kernel_facts *kernel = &doc->facts->kernel;
	int len = (int)strcspn(kernel->sockmap, "\n");
	const char *filler = kernel->sockmap[len] ? kernel->sockmap + len + 1 : "";

	if (kernel->sockmaps <= 0)
		return;
	if (*filler)
		doctor_say(
			doc, DOCTOR_WARNING, "sockmap", NULL,
			"detach the program from control groups that use SMC: bpftool cgroup tree",
			"eBPF map %.*s has a verdict on streams, and sock_ops program %s adds "
			"sockets: in its control groups SMC breaks, even after fallback to TCP",
			len, kernel->sockmap, filler);
	else
		doctor_note(
			doc, "sockmap", NULL,
			"eBPF map %.*s has a verdict on streams: SMC sockets break if a program "
			"adds them",
			len, kernel->sockmap);
}

/* Go 1.24 and later listen with MPTCP, unless that is switched off. */
static void check_mptcp(struct doctor *doc)
{
	if (doc->facts->kernel.mptcp > 0)
		doctor_note(doc, "mptcp", NULL,
			    "%d MPTCP sockets never use SMC: start Go servers of 1.24 or later by "
			    "smc_run or in a scope of smc_bpf, or with GODEBUG=multipathtcp=0",
			    doc->facts->kernel.mptcp);
}

void doctor_kernel(struct doctor *doc)
{
	const struct smc_sysinfo *info = &doc->facts->info;

	if (!doc->facts->has_smc) {
		say_no_smc(doc);
	} else {
		if (doc->facts->has_info && info->has & SMC_SYSINFO_HAS_VERSION)
			doctor_ok(doc, "kernel", doc->facts->release, "has SMC version %u.%u",
				  info->version, info->release);
		else
			doctor_ok(doc, "kernel", doc->facts->release, "has SMC");
		check_module(doc);
		check_families(doc);
		check_diag(doc);
		check_ways(doc);
		check_known(doc);
		check_sockmaps(doc);
		check_mptcp(doc);
		if (doc->facts->kernel.has_criu)
			doctor_note(
				doc, "criu", NULL,
				"criu cannot save SMC sockets: checkpoints of their programs fail");
	}
	/* Only root sees programs of smc_bpf. While one is attached, SMC sockets must work. */
	if (doc->facts->kernel.is_attached && doc->facts->kernel.ipproto_error)
		doctor_say(doc, DOCTOR_PROBLEM, "attached", "smc_bpf", "smc_bpf detach --all",
			   "makes TCP sockets fail: it turns them into SMC sockets, which the "
			   "kernel no longer has");
	else if (doc->facts->kernel.is_attached)
		doctor_ok(doc, "attached", "smc_bpf",
			  "turns sockets into SMC sockets: see smc_bpf status");
	check_config(doc);
}

/* ---- the preload library: installed, right machine, not hidden by another one ---- */

static void check_own(struct doctor *doc)
{
	const struct library_facts *library = &doc->facts->shim.own;

	if (library->ret == -ENODATA)
		return;
	if (library->ret < 0)
		doctor_say(doc, DOCTOR_WARNING, "shim", LIBRARY_NAME,
			   "install the library of smc-tools (make install)",
			   "is not installed: smc_run cannot reach programs");
	else if (!(library->ret & LIBRARY_FITS))
		doctor_say(doc, DOCTOR_PROBLEM, "shim", library->file,
			   "install the library of smc-tools for this machine (make install)",
			   "no program on this machine can load it: it is %s", library->machine);
	else
		doctor_ok(doc, "shim", library->file, "fits this machine (%s)", library->machine);
	if (library->ret > 0 && library->ret & LIBRARY_IS_SETUID)
		doctor_note(doc, "shim", library->file,
			    "is set-uid: reaches set-uid programs as well");
}

static void check_narrow(struct doctor *doc)
{
	const struct library_facts *library = &doc->facts->shim.narrow;

	if (!doc->facts->shim.has_narrow_loader)
		return;
	if (library->ret >= 0 && library->ret & LIBRARY_FITS)
		doctor_ok(doc, "shim", library->file, "serves 32-bit programs");
	else if (library->ret != -ENODATA)
		doctor_note(doc, "shim", NULL,
			    "32-bit programs stay on TCP: there is no 32-bit " LIBRARY_NAME);
}

void doctor_shim(struct doctor *doc)
{
	check_own(doc);
	check_narrow(doc);
	/* smc-tools 1.8.5 installs under the old name, which programs may still preload. */
	for (size_t i = 0; i < doc->facts->shim.n_foreign; i++) {
		const char *path = doc->facts->shim.foreign[i];

		doctor_say(doc, DOCTOR_WARNING, "shim", path,
			   doctor_command(doc,
					  "remove the package that it belongs to, by rpm -qf "
					  "or dpkg -S ",
					  path, ""),
			   "belongs to another implementation: LD_PRELOAD=%s loads it",
			   strrchr(path, '/') + 1);
	}
	for_each(entry, doc->facts->shim.preloads, doc->facts->shim.n_preloads)
		if (entry->is_absent)
			doctor_say(doc, DOCTOR_WARNING, "shim", "/etc/ld.so.preload",
				   doctor_command(doc, "remove ", entry->path,
						  " from /etc/ld.so.preload"),
				   "names %s, which does not exist: every program prints an error",
				   entry->path);
		else
			doctor_note(doc, "shim", "/etc/ld.so.preload",
				    "names %s: every program that loads it uses SMC", entry->path);
}

/* ---- AppArmor, SELinux and their units let the enabled services use SMC ---- */

void doctor_services(struct doctor *doc)
{
	const struct doctor_facts *facts = doc->facts;
	size_t denied = 0;

	for_each(service, facts->services, facts->n_services) {
		if (!service->is_denied)
			continue;
		denied++;
		doctor_say(doc, service->is_bpf ? DOCTOR_PROBLEM : DOCTOR_WARNING, "confinement",
			   service->unit, CONFINED_SEE, "%s%s",
			   service->is_bpf ? "" : "stays on TCP: ", service->why);
	}
	if (facts->n_services && !denied)
		doctor_ok(doc, "confinement", NULL, "all enabled services (%zu) may use SMC",
			  facts->n_services);
}
