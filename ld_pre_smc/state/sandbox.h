/* SPDX-License-Identifier: MIT */
/* Detect seccomp filters, under which an additional system call may kill the process. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * shim_in_sandbox - this process may have a seccomp filter
 *
 * Programs such as sshd restrict themselves to a few system calls, and the kernel kills them for
 * any other. close() and exit() are always permitted, getsockopt() is not.
 *
 * True after prctl(2) requested a filter, or PR_SET_NO_NEW_PRIVS, without which only root can
 * install one (libseccomp always sets it); or if the program was started with a filter in place,
 * which shim_fd_prepare() finds out.
 */
extern atomic_bool shim_in_sandbox;

/**
 * shim_is_locked - the program has installed a filter for itself, or is about to
 *
 * True after prctl(2) succeeded with a filter or with PR_SET_NO_NEW_PRIVS. Such a filter is
 * tailored to the program, including arguments: vsftpd's permits socket(AF_INET) and a few options.
 * So no system call is added or changed: new sockets are TCP sockets. Filters in place from the
 * start, of containers and services, are not tailored to the program and less strict.
 */
extern atomic_bool shim_is_locked;

/** shim_sandbox_look() - detect a filter that is already in place */
void shim_sandbox_look(void);

#pragma GCC visibility pop
