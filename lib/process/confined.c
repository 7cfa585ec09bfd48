// SPDX-License-Identifier: MIT
#include "process/confined.h"

#include <ctype.h>

#include "base/array.h"
#include "base/memory.h"
#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"
#include "process/selinux.h"
#include "process/target.h"

/** struct question - about a process with @pid, or else a unit with @unit, or else a program */
struct question {
	pid_t pid;
	const char *unit, *program;
	const struct unit_props *props;
	bool is_bpf;
};

const char *confined_module(void)
{
	unsigned long enforcing = 0;
	char enabled[8];

	host_number(&enforcing, SELINUX_ENFORCE);
	if (enforcing)
		return "selinux";
	return host_text(enabled, sizeof(enabled), "/sys/module/apparmor/parameters/enabled") &&
			       *enabled == 'Y' ?
		       "apparmor" :
		       NULL;
}

/*
 * The profile of a process, or without a @pid that of a program, if systemd starts it. @given: that
 * of its unit, "[-]" before a profile that may be absent; or empty.
 */
static bool find_profile(pid_t pid, const char *program, const char *given,
			 char name[APPARMOR_NAME_SIZE])
{
	if (!strncmp(given, "[-]", 3))
		given += 3;
	snprintf(name, APPARMOR_NAME_SIZE, "%s", given);
	return *name || (pid > 0 ? apparmor_profile(pid, name) : apparmor_attached(program, name));
}

/* A script may start a program of another domain. */
static bool is_script(const char *program)
{
	struct target target;

	target_find(program, &target);
	return target.scripts > 0;
}

/*
 * Return: enum confined_by with a name as @text, as all probes here; -errno.
 *
 * Neither may be known, for example because another user asks. A process with the library needs
 * permission for AF_SMC or for IPPROTO_SMC; one with eBPF for IPPROTO_SMC.
 */
static int judge(pid_t pid, const char *program, const char *given, bool is_bpf,
		 char text[HOST_PROBE_SIZE])
{
	char profile[APPARMOR_NAME_SIZE], context[SELINUX_CONTEXT_SIZE];
	bool has_profile = find_profile(pid, program, given, profile);
	int ret;

	if (has_profile && apparmor_denies(profile, NULL) & APPARMOR_NO_SMC) {
		snprintf(text, HOST_PROBE_SIZE, "%s", profile);
		return BY_APPARMOR;
	}
	if (pid > 0 ? selinux_context(pid, context) : selinux_started(program, context))
		return has_profile ? BY_NOBODY : -ENODATA;
	ret = selinux_denies(context, SELINUX_IPPROTO_SMC);
	if (ret > 0 && !is_bpf)
		ret = selinux_denies(context, SELINUX_AF_SMC);
	if (!ret && pid <= 0 && is_script(program))
		return -ENODATA;
	if (ret <= 0)
		return ret;
	selinux_domain(text, context);
	return BY_SELINUX;
}

static int probe_process(void *arg, char text[HOST_PROBE_SIZE])
{
	const struct question *question = arg;

	return judge(question->pid, question->program, "", question->is_bpf, text);
}

static pid_t main_pid(const struct unit_props *props)
{
	return (pid_t)atoi(unit_prop_text(props, "MainPID"));
}

bool confined_library(struct confined *confined, const struct unit_props *props,
		      const char *library)
{
	char program[PATH_MAX];

	*confined = (struct confined){ .by = BY_APPARMOR, .library = library };
	unit_program(props, program);
	return find_profile(main_pid(props), program, unit_prop_text(props, "AppArmorProfile"),
			    confined->name) &&
	       apparmor_denies(confined->name, library) & APPARMOR_NO_LIBRARY;
}

/* A list of address families that are allowed, or after "~" denied. */
static bool excludes_af_smc(const char *list)
{
	bool denies = *list == '~';

	return *list && unit_has_word(list + denies, "AF_SMC") == denies;
}

static int judge_unit(const struct question *question, const struct unit_props *props,
		      char text[HOST_PROBE_SIZE])
{
	const char *profile = unit_prop_text(props, "AppArmorProfile");
	char program[PATH_MAX];
	int ret;

	unit_program(props, program);
	ret = judge(main_pid(props), program, profile, question->is_bpf, text);
	if (ret > 0 || question->is_bpf ||
	    !excludes_af_smc(unit_prop_text(props, "RestrictAddressFamilies")))
		return ret;
	/* Without AF_SMC it needs IPPROTO_SMC, as with eBPF. */
	if (kernel_ipproto_smc() != -EPROTONOSUPPORT &&
	    judge(main_pid(props), program, profile, true, text) <= 0)
		return ret;
	snprintf(text, HOST_PROBE_SIZE, "%s", question->unit);
	return BY_FAMILIES;
}

static int probe_unit(void *arg, char text[HOST_PROBE_SIZE])
{
	const struct question *question = arg;
	char shown[UNIT_NAME_SIZE];
	struct unit_props props AUTO(unit_props_free) = { 0 };
	struct smc_err ignored;
	int ret;

	if (question->props)
		return judge_unit(question, question->props, text);
	unit_shown_name(question->unit, shown);
	ret = systemctl_show(false, shown, CONFINED_PROPERTIES, &props, &ignored);
	return ret ? ret : judge_unit(question, &props, text);
}

static int probe_own(void *arg __attribute__((unused)), char text[HOST_PROBE_SIZE])
{
	char context[SELINUX_CONTEXT_SIZE], name[APPARMOR_NAME_SIZE];
	int ret = BY_APPARMOR;

	if (!apparmor_profile(0, name)) {
		if (!selinux_is_enforcing() || selinux_context(0, context))
			return -ENODATA;
		selinux_domain(name, context);
		ret = BY_SELINUX;
	}
	snprintf(text, HOST_PROBE_SIZE, "%s", name);
	return ret;
}

static int find(struct confined *confined, host_probe_fn fn, struct question *question,
		const char *what)
{
	char name[HOST_PROBE_SIZE];
	int by = host_probe("confined%s%s", fn, question, name, *what ? "-" : "", what);

	*confined = (struct confined){ .by = by > 0 ? by : BY_NOBODY, .is_bpf = question->is_bpf };
	snprintf(confined->name, sizeof(confined->name), "%.*s", APPARMOR_NAME_SIZE - 1, name);
	return by > 0 ? 1 : by;
}

int confined_find(struct confined *confined, pid_t pid, bool is_bpf)
{
	struct question question = { .pid = pid, .is_bpf = is_bpf };
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	return find(confined, probe_process, &question, number);
}

int confined_find_new(struct confined *confined, struct confined_seen *seen, pid_t pid, bool is_bpf)
{
	char context[SELINUX_CONTEXT_SIZE], *copy;
	int ret = selinux_context(pid, context);

	/* AppArmor answers there, too. */
	if (ret || !strcmp(context, "unconfined"))
		return ret;
	for (size_t i = 0; i < seen->count; i++)
		if (!strcmp(seen->contexts[i], context))
			return 0;
	copy = xstrdup(context);
	*smc_array_add(&seen->contexts, &seen->count) = copy;
	return confined_find(confined, pid, is_bpf);
}

void confined_seen_free(struct confined_seen *seen)
{
	for (size_t i = 0; i < seen->count; i++)
		free(seen->contexts[i]);
	free(seen->contexts);
	*seen = (struct confined_seen){ 0 };
}

int confined_program(struct confined *confined, const char *program, bool is_bpf)
{
	struct question question = { .program = program, .is_bpf = is_bpf };

	return find(confined, probe_process, &question, program);
}

int confined_unit(struct confined *confined, const char *unit, const struct unit_props *props,
		  bool is_bpf)
{
	struct question question = { .unit = unit, .props = props, .is_bpf = is_bpf };

	return find(confined, probe_unit, &question, unit);
}

int confined_own(struct confined *confined)
{
	return find(confined, probe_own, &(struct question){ .pid = 0 }, "");
}

/* Profiles of snaps are generated from their plugs whenever one is refreshed. */
static bool is_snap(const struct confined *confined)
{
	return confined->by == BY_APPARMOR && !strncmp(confined->name, "snap.", 5);
}

const char *confined_text(const struct confined *confined, char text[CONFINED_TEXT_SIZE])
{
	const char *library = confined->library, *quote = library ? "'" : "";

	if (confined->by == BY_FAMILIES)
		snprintf(text, CONFINED_TEXT_SIZE,
			 "RestrictAddressFamilies= of %s forbids AF_SMC, which it needs here",
			 confined->name);
	else if (confined->by == BY_APPARMOR)
		snprintf(text, CONFINED_TEXT_SIZE, "AppArmor's profile '%s' denies %s%s%s%s",
			 confined->name, quote, library ? library : "SMC sockets", quote,
			 is_snap(confined) ? "; snapd generates it, and drops changes" : "");
	else if (confined->is_bpf)
		snprintf(text, CONFINED_TEXT_SIZE,
			 "SELinux denies " SELINUX_IPPROTO_SMC " to %s: by eBPF it can open no TCP "
			 "socket either",
			 confined->name);
	else
		snprintf(text, CONFINED_TEXT_SIZE, "SELinux denies " SELINUX_AF_SMC " to %s",
			 confined->name);
	return text;
}

/* A name that the policy gave, or a stranger's record. A profile may be named after a path. */
static bool is_typable(const struct confined *confined)
{
	const char *marks = confined->by == BY_SELINUX ? "_" : "_-+./:@", *at = confined->name;

	while (isalnum((unsigned char)*at) || (*at && strchr(marks, *at)))
		at++;
	return *confined->name && !*at;
}

const char *confined_remedy(const struct confined *confined, char text[CONFINED_TEXT_SIZE])
{
	const char *name = confined->name;
	bool is_loaded = host_exists(SELINUX_MODULE_LOADED);

	text[0] = '\0';
	if (!is_typable(confined) || is_snap(confined) ||
	    (confined->by == BY_SELINUX && confined->is_bpf))
		return text;
	if (confined->by == BY_FAMILIES)
		snprintf(text, CONFINED_TEXT_SIZE,
			 "add 'RestrictAddressFamilies=AF_SMC' to [Service] with 'systemctl edit "
			 "%s', then: systemctl restart %s",
			 name, name);
	else if (confined->by == BY_SELINUX)
		snprintf(text, CONFINED_TEXT_SIZE,
			 "echo '(typeattributeset smc_domain %s)' >smc_%s.cil && semodule %s-i "
			 "smc_%s.cil%s",
			 name, name, is_loaded ? "" : "-i /usr/share/smc-tools/smc_tools.cil ",
			 name, is_loaded ? "" : " && restorecon /usr/libexec/smc-tools/smc_keep");
	else
		snprintf(text, CONFINED_TEXT_SIZE,
			 "add 'include <abstractions/smc-tools>' to profile %s, then: "
			 "systemctl reload apparmor",
			 name);
	return text;
}

const char *confined_line(const struct confined *confined, char text[CONFINED_TEXT_SIZE])
{
	char remedy[CONFINED_TEXT_SIZE];
	size_t len = strlen(confined_text(confined, text));

	if (*confined_remedy(confined, remedy))
		snprintf(text + len, CONFINED_TEXT_SIZE - len, ": %s", remedy);
	return text;
}

const char *smc_why_not(int err, char text[CONFINED_TEXT_SIZE])
{
	struct confined confined;

	switch (err) {
	case -EAFNOSUPPORT:
	case -EPROTONOSUPPORT:
	case -ESOCKTNOSUPPORT: return smc_missing();
	case -EACCES:
		return confined_own(&confined) > 0 ? confined_line(&confined, text) : SMC_DENIED;
	default:
		snprintf(text, CONFINED_TEXT_SIZE, "SMC sockets cannot be opened here: %s" SMC_ASK,
			 strerror(-err));
		return text;
	}
}
