/* SPDX-License-Identifier: MIT */
/* A bundle of any origin, unpacked for those who read it. */
#pragma once

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

/** bundle_limit() - memory and processor time of what is started from now on, to read a bundle */
void bundle_limit(void);
