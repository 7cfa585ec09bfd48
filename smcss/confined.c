// SPDX-License-Identifier: MIT
/* Processes that have the preload library, and to which AppArmor or SELinux denies SMC sockets. */
#include "smcss/smcss.h"

#include <dirent.h>

#include "host/probe.h"
#include "process/confined.h"
#include "process/library.h"
#include "process/proc.h"

struct walk {
	DIR *proc;
	struct confined_seen seen;
};

/* Check the next process. @text: receives the line about it */
static int probe_next(void *arg, char text[HOST_PROBE_SIZE])
{
	char line[CONFINED_TEXT_SIZE], comm[16];
	struct walk *walk = arg;
	struct confined confined;
	pid_t pid;

	walk->proc = walk->proc ? walk->proc : opendir("/proc");
	/* Not the environment: servers such as redis write their title over it. */
	while (walk->proc && (pid = proc_next(walk->proc)))
		if (proc_has(pid, "maps", "/" LIBRARY_NAME) > 0 &&
		    confined_find_new(&confined, &walk->seen, pid, false) > 0)
			break;
	if (!walk->proc || !pid)
		return -ENOENT;
	proc_comm(pid, comm, sizeof(comm));
	snprintf(text, HOST_PROBE_SIZE, "%s[%d] uses TCP: %.400s", comm, (int)pid,
		 confined_line(&confined, line));
	return 0;
}

void smcss_confined(struct out_text *text)
{
	struct walk walk = { .proc = NULL };
	char line[HOST_PROBE_SIZE];

	if (!confined_module())
		return;
	for (size_t i = 0; !host_probe("confined-tcp-%zu", probe_next, &walk, line, i); i++) {
		out_escaped(text, line, sizeof(line));
		out_char(text, '\n');
	}
	if (walk.proc)
		closedir(walk.proc);
	confined_seen_free(&walk.seen);
}
