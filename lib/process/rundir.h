/* SPDX-License-Identifier: MIT */
/* The directory of what root's tools keep until the host starts again. */
#pragma once

#include <sys/types.h>

#define RUN_DIR "/run/smc-tools"

/**
 * rundir_open() - open a file there for writing, which is made if need be, as is the directory
 * @flags: of open(2), beside O_CREAT, O_NOFOLLOW and O_CLOEXEC
 *
 * Return: descriptor, -1 with errno.
 */
int rundir_open(const char *name, int flags, mode_t mode);
