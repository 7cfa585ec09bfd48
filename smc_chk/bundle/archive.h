/* SPDX-License-Identifier: MIT */
/* Bundles: tar.gz files made from directories, and unpacked from any origin. */
#pragma once

#include "smc_chk/bundle/workdir.h"

/* Directory at the top of each archive. */
#define BUNDLE_DIRECTORY "smc-bundle"
#define BUNDLE_SCHEMA "smc-tools/bundle/1"

/* Limits: the bundles of hosts with 100000 sockets, the largest known, reach a tenth of them. */
#define PACK_MAX_BYTES (512ULL * 1024 * 1024)
#define PACK_MAX_FILES 20000
/* The deepest path in a bundle, of a GID's net device, has 14 parts. */
#define UNPACK_MAX_PARTS 24

/** struct pack_size - number of files and directories, and unpacked bytes */
struct pack_size {
	unsigned long long files, bytes;
};

/**
 * bundle_pack() - write a directory as an archive, with tar(1)
 * @fd: receives it
 * @directory: its content is put below BUNDLE_DIRECTORY in the archive
 *
 * In the archive the owner is root, and times are reduced to the day.
 */
int bundle_pack(struct workdir *work, int fd, const char *directory, struct pack_size *size,
		struct smc_err *err);

/**
 * bundle_unpack() - extract an archive of any origin
 * @fd: the archive, a regular file
 * @directory: descriptor of an empty directory that receives BUNDLE_DIRECTORY
 * @file: its name, for messages
 *
 * Call it in a process of its own, which it confines to @directory by enclose(). Only files and
 * directories below BUNDLE_DIRECTORY are extracted, with paths of at most UNPACK_MAX_PARTS parts,
 * within the limits above; everything else, also links and devices, is refused.
 *
 * Return: 0; -errno with @err, then do not use any extracted file.
 */
int bundle_unpack(int fd, int directory, const char *file, struct smc_err *err);

/* Below the directory of a struct workdir. */
#define OPEN_DIRECTORY "unpacked/" BUNDLE_DIRECTORY

/**
 * bundle_read() - unpack a bundle into OPEN_DIRECTORY, and check its index
 * @fd: the bundle, a regular file; @file: its name, for messages
 *
 * A separate process does this, which can open no other file and is not root. As root, it gives the
 * directory to nobody: its readers become nobody.
 */
int bundle_read(struct workdir *work, int fd, const char *file, struct smc_err *err);

/** bundle_limit() - limit memory and processor time of later children, for reading a bundle */
void bundle_limit(void);
