/* SPDX-License-Identifier: MIT */
/* Runtime directory of root's tools; its files last until the host restarts. */
#pragma once

#include "base/libc.h"

#define RUN_DIR "/run/smc-tools"

/**
 * rundir_open() - open a file there for writing; creates it and the directory if need be
 * @flags: for open(2), added to O_CREAT, O_NOFOLLOW and O_CLOEXEC
 *
 * Return: descriptor, -1 with errno.
 */
int rundir_open(const char *name, int flags, mode_t mode);
