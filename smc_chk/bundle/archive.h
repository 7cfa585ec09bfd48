/* SPDX-License-Identifier: MIT */
/* Directories to bundles, which are tar.gz files; those of any origin back, for who reads them. */
#pragma once

#include "smc_chk/bundle/workdir.h"

/* What a bundle and its reader have in common. In the archive all is below one directory. */
#define BUNDLE_DIRECTORY "smc-bundle"
#define BUNDLE_SCHEMA "smc-tools/bundle/1"

/* Limits: the largest bundles, of hosts with 100000 sockets, have a tenth of it. */
#define PACK_MAX_BYTES (512ULL * 1024 * 1024)
#define PACK_MAX_FILES 20000
/* A bundle's deepest file, a GID's net device, has 14. */
#define UNPACK_MAX_PARTS 24

/** struct pack_size - files and directories, and bytes in them, before they are packed */
struct pack_size {
	unsigned long long files, bytes;
};

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

/**
 * bundle_unpack() - extract an archive of any origin, by tar(1)
 * @fd: what is read, a regular file
 * @directory: descriptor of an empty directory that receives BUNDLE_DIRECTORY
 * @file: its name, for messages
 *
 * Call it in a process of its own, which gives up its rights: root becomes nobody, and where the
 * kernel has Landlock it can write in @directory only, and read programs and libraries. Only files
 * and directories below BUNDLE_DIRECTORY are taken, by names of at most UNPACK_MAX_PARTS parts, and
 * altogether no more than the limits above; all else, links and devices too, is refused.
 *
 * Return: 0; -errno with @err, and then nothing of what was extracted is to be read.
 */
int bundle_unpack(int fd, int directory, const char *file, struct smc_err *err);

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
