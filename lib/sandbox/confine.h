/* SPDX-License-Identifier: MIT */
/*
 * Drop privileges before untrusted input is read: no new files, no new privileges, no root. Open
 * files stay open. Cannot be undone.
 */
#pragma once

#include "base/err.h"

/* Replaces root's number: the kernel's overflow id for unknown users. */
#define CONFINE_NOBODY 65534

/* Restrictions in effect. */
enum confine_done {
	CONFINE_NO_NEW_PRIVS = 1 << 0, /* prctl(2): exec cannot raise privileges */
	CONFINE_NOT_ROOT = 1 << 1,     /* neither root's number nor any capability */
	CONFINE_LANDLOCK = 1 << 2,
	CONFINE_FILTER = 1 << 3, /* system call filter, see sysfilter.h */
	CONFINE_FILES = 1 << 4,	 /* by Landlock or filter: only files below @paths can be opened */
};

enum landlock_access {
	LANDLOCK_READ = 1 << 0,	 /* read files and directories */
	LANDLOCK_WRITE = 1 << 1, /* write, make, rename and remove */
};

/**
 * struct landlock_path - a path that stays accessible
 * @path: a file, or a directory with everything below it; links are followed
 * @access: enum landlock_access, or-ed
 */
struct landlock_path {
	const char *path;
	unsigned int access;
};

/**
 * landlock_restrict() - deny opening, creating and removing files except below these paths
 *
 * Uses Landlock (landlock(7), kernel 5.13), for the calling thread and its children. Requires
 * PR_SET_NO_NEW_PRIVS or CAP_SYS_ADMIN. Open files stay open; file permissions still apply. Every
 * right known to the running kernel is handled.
 *
 * Return: 0; -ENOSYS or -EOPNOTSUPP if the kernel has no Landlock; -errno with a sentence in
 * @err if a path cannot be opened, or the kernel refuses.
 */
int landlock_restrict(const struct landlock_path *paths, size_t count, struct smc_err *err);

/**
 * struct confine - access to keep
 * @paths: files that can still be opened; without Landlock, files are closed only if it is empty
 * @keeps_root: do not become nobody, and keep capabilities
 * @no_landlock: Landlock would hide other processes if /proc is mounted with hidepid, proc(5)
 */
struct confine {
	const struct landlock_path *paths;
	size_t n_paths;
	bool keeps_root, no_landlock;
};

/**
 * confine() - give up everything else, for good
 * @done: receives enum confine_done; may be NULL
 *
 * Call it while the process has one thread. Afterwards, no programs can be started. Restrictions
 * that this kernel, or an outer sandbox, does not permit are skipped, and missing in @done; so is
 * CONFINE_NOT_ROOT in a user namespace without a mapping for nobody: capabilities are dropped there
 * too, as far as possible.
 *
 * Return: 0; -errno with a sentence in @err if a path cannot be opened, or root could be regained:
 * then the caller must not continue.
 */
int confine(const struct confine *keep, unsigned int *done, struct smc_err *err);
