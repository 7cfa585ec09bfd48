/* SPDX-License-Identifier: MIT */
/* A bundle of any origin, unpacked for those who read it. */
#pragma once

#include "smc_chk/bundle/unpack.h"
#include "smc_chk/bundle/workdir.h"

/**
 * bundle_open() - unpack a bundle into BUNDLE_DIRECTORY of a directory, and look at its index
 * @fd: what is read, from where it stands
 * @file: its name, for messages
 *
 * A process of its own does that, which can open no other file and is not root. The directory is
 * nobody's if this is root: those who read it become nobody.
 *
 * Return: 0, -errno with @err.
 */
int bundle_open(struct workdir *work, int fd, const char *file, struct smc_err *err);

/**
 * typedef bundle_fn - reads what is unpacked, in the process that unpacked it
 * @directory: descriptor of what was BUNDLE_DIRECTORY; the current directory, too
 *
 * Return: 0, -errno with @err.
 */
typedef int (*bundle_fn)(void *arg, int directory, struct smc_err *err);

/**
 * bundle_read() - as bundle_open(), for a reader that needs no other process
 * @wants: what it needs of the bundle, see unpack.h
 */
int bundle_read(struct workdir *work, int fd, const char *file, unpack_wants wants, bundle_fn fn,
		void *arg, struct smc_err *err);

/** bundle_limit() - memory and processor time of what is started from now on, to read a bundle */
void bundle_limit(void);
