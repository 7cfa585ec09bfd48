/* SPDX-License-Identifier: MIT */
/*
 * A process that is about to read what strangers wrote gives up what it no longer needs: new files,
 * new rights, root. What is open stays open. Nothing of it can be taken back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What root becomes: the number that the kernel itself shows for somebody unknown. */
#define CONFINE_NOBODY 65534

/* What took effect. */
enum confine_done {
	CONFINE_NO_NEW_PRIVS = 1 << 0, /* prctl(2): no program raises rights any more */
	CONFINE_NOT_ROOT = 1 << 1,     /* neither root's number nor a capability is left */
	CONFINE_LANDLOCK = 1 << 2,
	CONFINE_FILTER = 1 << 3, /* of system calls, see sysfilter.h */
	CONFINE_FILES = 1 << 4,	 /* by either: no file but below @paths can be opened */
};

enum landlock_access {
	LANDLOCK_READ = 1 << 0,	 /* files and directories */
	LANDLOCK_WRITE = 1 << 1, /* write, make, rename and remove */
	LANDLOCK_EXECUTE = 1 << 2,
};

/**
 * struct landlock_path - what stays reachable
 * @path: a file, or a directory with all below it; links are followed
 * @access: enum landlock_access, or-ed
 */
struct landlock_path {
	const char *path;
	unsigned int access;
};

/**
 * landlock_restrict() - from now on no file is opened, made or removed but below these paths
 *
 * By Landlock (landlock(7), kernel 5.13), for the calling thread and its children. Beforehand the
 * process needs PR_SET_NO_NEW_PRIVS or CAP_SYS_ADMIN. What is open stays open; the permissions of
 * files still count. Every right that the running kernel knows is handled.
 *
 * Return: 0; -ENOSYS or -EOPNOTSUPP where the kernel has no Landlock; -errno with a sentence in
 * @err when a path cannot be opened, or the kernel refuses.
 */
int landlock_restrict(const struct landlock_path *paths, size_t count, struct smc_err *err);

/**
 * struct confine - what remains
 * @paths: what can still be opened; without Landlock only its absence closes files
 * @keeps_root: do not become nobody, and keep capabilities
 * @no_landlock: it would hide other processes where /proc is mounted with hidepid, proc(5)
 */
struct confine {
	const struct landlock_path *paths;
	size_t n_paths;
	bool keeps_root, no_landlock;
};

/**
 * confine() - give up everything else, for good
 * @done: receives enum confine_done; NULL is allowed
 *
 * Call it while the process has one thread. Programs can be started afterwards only with a path
 * that has LANDLOCK_EXECUTE. What this kernel, or a sandbox around this process, does not let us
 * do is left out, and missing in @done; so is CONFINE_NOT_ROOT in a user namespace that does not
 * know nobody: capabilities are gone there too, as far as possible.
 *
 * Return: 0; -errno with a sentence in @err when a path cannot be opened, or root could come back:
 * then the caller must not go on.
 */
int confine(const struct confine *keep, unsigned int *done, struct smc_err *err);
