/* SPDX-License-Identifier: MIT */
/* Bytes and files, written as a whole or not at all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * smc_write_all() - write all bytes, however many calls that takes
 *
 * A short write says nothing of its reason: the next one does.
 * Return: false with errno of write(2).
 */
bool smc_write_all(int fd, const void *data, size_t len);

/**
 * smc_replace_file() - write a new file and give it the name of the old one, in one step
 * @dir: descriptor of the directory; its owner may be hostile, and can spoil this file only
 *
 * Return: 0; -errno, with the old file as it was.
 */
int smc_replace_file(int dir, const char *name, const void *data, size_t len, mode_t mode);
