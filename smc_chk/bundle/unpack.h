/* SPDX-License-Identifier: MIT */
/* Bundles of any origin back into directories. */
#pragma once

#include "base/err.h"

/* A bundle's deepest file, a GID's net device, has 14. */
#define UNPACK_MAX_PARTS 24

/**
 * bundle_unpack() - extract an archive of any origin, by tar(1)
 * @fd: what is read, a regular file
 * @directory: descriptor of an empty directory that receives BUNDLE_DIRECTORY
 * @file: its name, for messages
 *
 * Call it in a process of its own, which gives up its rights: root becomes nobody, and where the
 * kernel has Landlock it can write in @directory only, and read programs and libraries. Only files
 * and directories below BUNDLE_DIRECTORY are taken, by names of at most UNPACK_MAX_PARTS parts, and
 * altogether no more than the limits of pack.h; all else, links and devices too, is refused.
 *
 * Return: 0; -errno with @err, and then nothing of what was extracted is to be read.
 */
int bundle_unpack(int fd, int directory, const char *file, struct smc_err *err);
