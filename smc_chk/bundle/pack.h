/* SPDX-License-Identifier: MIT */
/* Directories to bundles, which are tar.gz files. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "smc_chk/bundle/workdir.h"

/* What a bundle and its reader have in common. In the archive all is below one directory. */
#define BUNDLE_DIRECTORY "smc-bundle"
#define BUNDLE_SCHEMA "smc-tools/bundle/1"

/* Limits: the largest bundles, of hosts with 100000 sockets, have a tenth of it. */
#define PACK_MAX_BYTES (512ULL * 1024 * 1024)
#define PACK_MAX_FILES 20000

/** struct pack_size - files and directories, and bytes in them, before they are packed */
struct pack_size {
	size_t files;
	uint64_t bytes;
};

/** pack_measure() - size of a directory and all below it. Return: 0, -errno */
int pack_measure(struct pack_size *size, const char *directory);

/**
 * bundle_pack() - write a directory as an archive, by tar(1)
 * @fd: receives it
 * @directory: what is in it comes below BUNDLE_DIRECTORY in the archive
 *
 * The owner in the archive is root, and of times only the day is in it.
 *
 * Return: 0, -errno with @err.
 */
int bundle_pack(struct workdir *work, int fd, const char *directory, struct pack_size *size,
		struct smc_err *err);
