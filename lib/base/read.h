/* SPDX-License-Identifier: MIT */
/* Whole files in memory. */
#pragma once

#include <stddef.h>

struct smc_err;

/**
 * smc_read_file() - a whole file of @len bytes, with a NUL after it; to be freed
 * @flags: of open(2), beside O_RDONLY and O_CLOEXEC
 * @max: the most that is read, in bytes, rounded up to a buffer's size
 *
 * Return: NULL with an errno: EFBIG for a larger file, that of open(2) or read(2).
 */
char *smc_read_file(const char *path, int flags, size_t max, size_t *len);

/** smc_read_fd() - the same of a descriptor, which is closed; NULL with errno as it was for -1 */
char *smc_read_fd(int fd, size_t max, size_t *len);

/**
 * smc_open_regular() - open for reading what a user named
 *
 * A FIFO without a writer would block, a device might never end: both are refused, unopened.
 * Return: a descriptor; -EINVAL if it is not a regular file, -errno of open(2).
 */
int smc_open_regular(const char *path, struct smc_err *err);

/** smc_open_input() - the same, or standard input, of any kind, for "-" */
int smc_open_input(const char *path, struct smc_err *err);
