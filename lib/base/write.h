/* SPDX-License-Identifier: MIT */
/* Write bytes and files completely or not at all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * smc_write_all() - write all bytes, in as many calls as needed
 *
 * A short write does not give a reason: the next call does.
 * Return: false with errno of write(2).
 */
bool smc_write_all(int fd, const void *data, size_t len);

/**
 * smc_replace_file() - write a new file and rename it over the old one
 * @dir: descriptor of the directory; a hostile owner can spoil this file only
 *
 * Return: 0; -errno, with the old file unchanged.
 */
int smc_replace_file(int dir, const char *name, const void *data, size_t len, mode_t mode);
