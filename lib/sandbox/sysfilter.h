/* SPDX-License-Identifier: MIT */
/* System call filter (seccomp(2)) for a process that needs no more rights than it uses now. */
#pragma once

/* Optional additions to calls that change the kernel, mounts, namespaces or other processes: */
enum sysfilter_also {
	SYSFILTER_FILES = 1 << 0,   /* open, create, change and remove files by name */
	SYSFILTER_EXECUTE = 1 << 1, /* start programs */
};

/**
 * sysfilter_install() - forbid system calls, for the calling thread and its children
 * @also: enum sysfilter_also, or-ed
 *
 * Forbidden calls fail with EACCES if they are about files and programs, otherwise with EPERM; with
 * ENOSYS if they are newer than this list, for clone3(), which hides its flags, and for all calls
 * in 32-bit mode of a 64-bit machine. Requires PR_SET_NO_NEW_PRIVS or CAP_SYS_ADMIN.
 *
 * Return: 0; -ENOSYS on an architecture whose numbers are not known here; -EINVAL if the kernel has
 * no seccomp; another -errno.
 */
int sysfilter_install(unsigned int also);
