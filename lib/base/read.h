/* SPDX-License-Identifier: MIT */
/* Whole files in memory. */
#pragma once

#include "base/libc.h"

struct smc_err;

/**
 * smc_read_file() - read a whole file of @len bytes, NUL added; the caller frees it
 * @flags: for open(2), added to O_RDONLY and O_CLOEXEC
 * @max: limit in bytes, rounded up to a buffer's size
 *
 * Return: NULL with errno: EFBIG for a larger file, or that of open(2) or read(2).
 */
char *smc_read_file(const char *path, int flags, size_t max, size_t *len);

/** smc_read_fd() - smc_read_file() for a descriptor, which is closed; NULL for -1, errno kept */
char *smc_read_fd(int from, size_t max, size_t *len);

/**
 * smc_read_start() - read the first bytes of a file, in one read(2); NUL added
 * @flags: for open(2), added to O_RDONLY and O_CLOEXEC
 *
 * Return: number of bytes; -errno, with an empty @text.
 */
int smc_read_start(const char *path, int flags, char *text, size_t size);

/**
 * smc_open_regular() - open a user-specified file for reading
 *
 * Refuses FIFOs, whose open could block, and devices, which might never end, without opening them.
 * Return: a descriptor; -EINVAL if it is not a regular file, -errno of open(2).
 */
int smc_open_regular(const char *path, struct smc_err *err);

/** smc_open_input() - smc_open_regular(), or standard input of any type for "-" */
int smc_open_input(const char *path, struct smc_err *err);
