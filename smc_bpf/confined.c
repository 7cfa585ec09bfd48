// SPDX-License-Identifier: MIT
/* Refuse programs if AppArmor or SELinux would deny them the sockets that eBPF gives them. */
#include "smc_bpf/smc_bpf.h"

#include <dirent.h>

#include "process/confined.h"
#include "process/proc.h"

/* In a drop-in this process is a member of the unit's group. */
static pid_t find_process(const struct scope_target *target, struct confined *confined)
{
	struct confined_seen seen AUTO(confined_seen_free) = { .count = 0 };
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	pid_t pid = 0;

	while (proc && (pid = proc_next(proc)))
		if (pid != getpid() && scope_target_has(target, pid) &&
		    confined_find_new(confined, &seen, pid, true) > 0)
			break;
	return pid;
}

int confined_check(const struct scope_target *target, const char *unit, struct smc_err *err)
{
	char text[CONFINED_TEXT_SIZE], who[32] = "", name[UNIT_NAME_SIZE];
	struct confined confined;
	struct smc_err ignored;
	pid_t pid;

	if (!confined_module())
		return 0;
	pid = find_process(target, &confined);
	if (pid)
		snprintf(who, sizeof(who), "process %d: ", (int)pid);
	else if (!unit || unit_name(unit, name, &ignored) ||
		 confined_unit(&confined, name, NULL, true) <= 0)
		return 0;
	return smc_err_say(err, EACCES, "%s%.300s; --force attaches anyway", who,
			   confined_line(&confined, text));
}
