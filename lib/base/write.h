/* SPDX-License-Identifier: MIT */
/* write(2) until all is written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/**
 * smc_write_all() - write all bytes, however many calls that takes
 *
 * A short write says nothing of its reason: the next one does, "No space left on device".
 *
 * Return: false with errno of write(2).
 */
bool smc_write_all(int fd, const void *data, size_t len);
