// SPDX-License-Identifier: MIT
/* Processes that have the preload library, and to which AppArmor or SELinux denies SMC sockets. */
#include "smcss.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/read.h"
#include "host/probe.h"
#include "process/confined.h"
#include "process/library.h"

/* Bytes that are read of a list of mappings, at most. */
#define MAPS_MAX (64 << 20)

struct walk {
	DIR *proc;
	struct confined_seen seen;
};

/* Servers such as redis write their title over the environment. */
static bool has_library(pid_t pid)
{
	char path[64], *text;
	size_t len;
	bool is_found;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	text = smc_read_file(path, 0, MAPS_MAX, &len);
	is_found = text && memmem(text, len, LIBRARY_NAME, strlen(LIBRARY_NAME));
	free(text);
	return is_found;
}

/* Check the next process. @text: receives the line about it */
static int probe_next(void *arg, char text[HOST_PROBE_SIZE])
{
	char line[CONFINED_TEXT_SIZE], path[64], comm[16] = "";
	struct walk *walk = arg;
	struct confined confined;
	FILE *file;
	pid_t pid;

	walk->proc = walk->proc ? walk->proc : opendir("/proc");
	while (walk->proc && (pid = proc_next(walk->proc)))
		if (has_library(pid) && confined_find_new(&confined, &walk->seen, pid, false) > 0)
			break;
	if (!walk->proc || !pid)
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (file && fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
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
