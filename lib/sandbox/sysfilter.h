/* SPDX-License-Identifier: MIT */
/* System call filter (seccomp(2)) for a process that needs no more rights than it uses now. */
#pragma once

#include "base/libc.h"

/**
 * sysfilter_install() - forbid system calls, for the calling thread and its children
 * @is_without_files: forbid to open, create, change and remove files by name, too
 *
 * Forbidden calls fail with EACCES if they are about files and programs, otherwise with EPERM; with
 * ENOSYS if they are newer than this list, for clone3(), which hides its flags, and for all calls
 * in 32-bit mode of a 64-bit machine. Requires PR_SET_NO_NEW_PRIVS or CAP_SYS_ADMIN.
 *
 * Return: 0; -ENOSYS on an architecture whose numbers are not known here; -EINVAL if the kernel has
 * no seccomp; another -errno.
 */
int sysfilter_install(bool is_without_files);
