/* SPDX-License-Identifier: MIT */
/* Bundles of any origin back into directories. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "smc_chk/bundle/archive.h"

/* A bundle's deepest file, a GID's net device, has 14. */
#define UNPACK_MAX_PARTS 24

/** typedef unpack_wants - is this file needed? @name: below BUNDLE_DIRECTORY */
typedef bool (*unpack_wants)(const char *name);

/**
 * bundle_unpack() - extract an archive of any origin
 * @fd: what is read, from where it stands
 * @directory: descriptor of an empty directory that receives what is below BUNDLE_DIRECTORY
 * @file: its name, for messages
 * @wants: others are only judged; NULL for all
 *
 * Only files and directories below BUNDLE_DIRECTORY are taken, by plain names of at most
 * UNPACK_MAX_PARTS parts, and altogether no more than the limits of pack.h, where directories
 * count that only a name implies; all else, links and devices too, is refused.
 *
 * Return: 0, -errno with @err.
 */
int bundle_unpack(const struct archive_library *lib, int fd, int directory, const char *file,
		  unpack_wants wants, struct smc_err *err);
