/* SPDX-License-Identifier: MIT */
/* A bundle of any origin, unpacked for those who read it. */
#pragma once

#include "smc_chk/bundle/archive.h"

/* Below the directory of a struct workdir. */
#define OPEN_DIRECTORY "unpacked/" BUNDLE_DIRECTORY

/**
 * typedef bundle_fn - reads what is unpacked, in a process that has no other file
 * @directory: descriptor of OPEN_DIRECTORY; the current directory, too
 *
 * Return: 0, -errno with @err.
 */
typedef int (*bundle_fn)(void *arg, int directory, struct smc_err *err);

/**
 * bundle_read() - unpack a bundle into OPEN_DIRECTORY, look at its index, and call a function
 * @fd: what is read, a regular file
 * @file: its name, for messages
 * @fn: NULL if somebody else will read it
 *
 * Processes of their own do that, which can open no other file and are not root. The directory is
 * nobody's if this is root: those who read it become nobody.
 *
 * Return: 0, -errno with @err.
 */
int bundle_read(struct workdir *work, int fd, const char *file, bundle_fn fn, void *arg,
		struct smc_err *err);

/** bundle_limit() - memory and processor time of what is started from now on, to read a bundle */
void bundle_limit(void);
