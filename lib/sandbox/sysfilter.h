/* SPDX-License-Identifier: MIT */
/* A filter of system calls (seccomp(2)) for a process that needs nothing more than it has. */
#pragma once

/* Besides what changes the kernel, its mounts and namespaces, or other processes: */
enum sysfilter_also {
	SYSFILTER_FILES = 1 << 0,   /* opening, making, changing and removing files by name */
	SYSFILTER_EXECUTE = 1 << 1, /* starting programs */
};

/**
 * sysfilter_install() - forbid system calls, for the calling thread and its children
 * @also: enum sysfilter_also, or-ed
 *
 * They fail: with EACCES what is about files and programs, with EPERM the rest, with ENOSYS what
 * is younger than this list, clone3(), which hides its flags, and all in 32-bit mode of a 64-bit
 * machine. Beforehand the process needs PR_SET_NO_NEW_PRIVS or CAP_SYS_ADMIN.
 *
 * Return: 0; -ENOSYS on an architecture whose numbers are not known here; -EINVAL where the kernel
 * has no seccomp; another -errno.
 */
int sysfilter_install(unsigned int also);
