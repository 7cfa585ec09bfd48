/* SPDX-License-Identifier: MIT */
/* Write bytes and files completely or not at all. */
#pragma once

#include "base/libc.h"

/** smc_write_all() - write all bytes, in as many calls as needed. Return: false with errno */
bool smc_write_all(int fd, const void *data, size_t len);

/**
 * smc_replace_file() - write a new file and rename it over the old one
 * @dir: descriptor of the directory, whose owner, if hostile, can damage only this file
 *
 * Return: 0; -errno, with the old file unchanged.
 */
int smc_replace_file(int dir, const char *name, const void *data, size_t len, mode_t mode);

/* ---- the runtime directory of root's tools; its files last until the host restarts ---- */

#define RUN_DIR "/run/smc-tools"

/**
 * rundir_open() - open a file in that directory for writing; creates both if necessary
 * @flags: for open(2), added to O_CREAT, O_NOFOLLOW and O_CLOEXEC
 *
 * Return: descriptor, -1 with errno.
 */
int rundir_open(const char *name, int flags, mode_t mode);
