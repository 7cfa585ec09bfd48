// SPDX-License-Identifier: MIT
#include "process/confined.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "base/read.h"
#include "host/smc.h"
#include "smc/family.h"

#define NAME_SIZE 256

/* Class of rules for sockets, and the permission to open one. */
#define APPARMOR_NET 14
#define APPARMOR_CREATE 0x10

/* Classes of sockets: of AF_SMC, and the one that Linux takes IPPROTO_SMC for. */
#define SELINUX_AF_SMC "smc_socket"
#define SELINUX_IPPROTO_SMC "rawip_socket"
/* Flag of struct av_decision: the domain is permissive. */
#define SELINUX_PERMISSIVE 1

/* Read a line of @file below /proc/PID/attr; 0 is this process. Return: false for none. */
static bool read_attr(char line[NAME_SIZE], pid_t pid, const char *file)
{
	char path[64];
	int len = pid ? snprintf(path, sizeof(path), "/proc/%d/attr/", (int)pid) :
			snprintf(path, sizeof(path), "/proc/self/attr/");

	snprintf(path + len, sizeof(path) - (size_t)len, "%s", file);
	len = smc_read_start(path, 0, line, NAME_SIZE);
	line[strcspn(line, "\n")] = '\0';
	return len > 0;
}

/* Both modules answer on the descriptor that got the question. Return: false without an answer. */
static bool ask(char answer[NAME_SIZE], const char *file, const char *question, int len)
{
	int fd AUTO_CLOSE = open(file, O_RDWR | O_CLOEXEC);
	ssize_t got = -1;

	if (fd >= 0 && write(fd, question, (size_t)len) == len)
		got = read(fd, answer, NAME_SIZE - 1);
	answer[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* ---- AppArmor ---- */

/* Linux 5.1 and later. Return: false without a profile, and for one that only complains. */
static bool read_profile(char name[NAME_SIZE], pid_t pid)
{
	char *mode = read_attr(name, pid, "apparmor/current") ? strstr(name, " (enforce)") : NULL;

	if (mode)
		*mode = '\0';
	return mode;
}

/* "network smc stream", which accepted sockets of IPPROTO_SMC need, too; big-endian. */
static bool apparmor_denies(const char *profile)
{
	char question[NAME_SIZE + 16], answer[NAME_SIZE];
	unsigned int allowed;
	int len = snprintf(question, sizeof(question), "label%c%s%c%c%c%c%c%c", 0, profile, 0,
			   APPARMOR_NET, 0, AF_SMC, 0, SOCK_STREAM);

	return ask(answer, "/sys/kernel/security/apparmor/.access", question, len) &&
	       sscanf(answer, "allow %x", &allowed) == 1 && !(allowed & APPARMOR_CREATE);
}

/* ---- SELinux ---- */

#define SELINUXFS "/sys/fs/selinux"

/* Return: 0, even if there is no file. */
static unsigned int read_number(const char *path)
{
	char text[32];

	smc_read_start(path, 0, text, sizeof(text));
	return (unsigned int)strtoul(text, NULL, 10);
}

bool selinux_is_enforcing(void)
{
	return read_number(SELINUXFS "/enforce") == 1;
}

static bool selinux_denies(const char *context, const char *class)
{
	char path[128], question[2 * NAME_SIZE + 32], answer[NAME_SIZE];
	unsigned int allowed, unused, flags, permission;
	int len;

	snprintf(path, sizeof(path), SELINUXFS "/class/%s/perms/create", class);
	permission = read_number(path);
	snprintf(path, sizeof(path), SELINUXFS "/class/%s/index", class);
	len = snprintf(question, sizeof(question), "%s %s %u", context, context, read_number(path));
	return permission >= 1 && permission <= 32 &&
	       ask(answer, SELINUXFS "/access", question, len) &&
	       sscanf(answer, "%x %x %x %x %u %x", &allowed, &unused, &unused, &unused, &unused,
		      &flags) == 6 &&
	       !(allowed >> (permission - 1) & 1) && !(flags & SELINUX_PERMISSIVE);
}

/* ---- who denies it ---- */

bool confined_process(pid_t pid, bool is_bpf, char why[HOST_PROBE_SIZE])
{
	char name[NAME_SIZE], domain[64] = "";

	if (read_profile(name, pid) && (!pid || apparmor_denies(name))) {
		snprintf(why, HOST_PROBE_SIZE, "AppArmor's profile '%s' denies SMC sockets", name);
		return true;
	}
	if (!selinux_is_enforcing() || !read_attr(name, pid, "current"))
		return false;
	/* With the library, either kind of socket is enough. */
	if (pid && (!selinux_denies(name, SELINUX_IPPROTO_SMC) ||
		    (!is_bpf && !selinux_denies(name, SELINUX_AF_SMC))))
		return false;
	/* "system_u:system_r:redis_t:s0" */
	sscanf(name, "%*[^:]:%*[^:]:%63[^:]", domain);
	snprintf(why, HOST_PROBE_SIZE, "SELinux denies %s to %s",
		 is_bpf ? SELINUX_IPPROTO_SMC : SELINUX_AF_SMC, domain);
	return true;
}

static int probe_own(void *arg __attribute__((unused)), char why[HOST_PROBE_SIZE])
{
	return confined_process(0, false, why);
}

bool confined_own(char why[HOST_PROBE_SIZE])
{
	return host_probe("confined", probe_own, NULL, why) > 0;
}

/** struct question - arguments of confined_unit() */
struct question {
	const struct unit_props *props;
	const char *unit;
	bool is_bpf;
};

/* Return: like confined_unit(). */
static int judge_unit(const struct question *question, const struct unit_props *props,
		      char why[HOST_PROBE_SIZE])
{
	const char *list = unit_prop_text(props, "RestrictAddressFamilies");
	pid_t pid = (pid_t)atoi(unit_prop_text(props, "MainPID"));
	bool is_denied = *list == '~'; /* a list of what is denied */

	if (pid <= 0)
		return -ESRCH;
	if (confined_process(pid, question->is_bpf, why))
		return 1;
	if (question->is_bpf || !*list || unit_has_word(list + is_denied, "AF_SMC") != is_denied)
		return 0;
	if (kernel_ipproto_smc() != -EPROTONOSUPPORT && !confined_process(pid, true, why))
		return 0;
	snprintf(why, HOST_PROBE_SIZE, "RestrictAddressFamilies= of %s forbids AF_SMC",
		 question->unit);
	return 1;
}

static int probe_unit(void *arg, char why[HOST_PROBE_SIZE])
{
	const struct question *question = arg;
	struct unit_props props AUTO(unit_props_free) = { 0 };
	char shown[UNIT_NAME_SIZE];
	struct smc_err ignored;
	int ret;

	if (question->props)
		return judge_unit(question, question->props, why);
	unit_shown_name(question->unit, shown);
	ret = systemctl_show(false, shown, CONFINED_PROPERTIES, &props, &ignored);
	return ret ? ret : judge_unit(question, &props, why);
}

int confined_unit(const char *unit, const struct unit_props *props, bool is_bpf,
		  char why[HOST_PROBE_SIZE])
{
	struct question question = { .props = props, .unit = unit, .is_bpf = is_bpf };

	return host_probe("confined-%s", probe_unit, &question, why, unit);
}
