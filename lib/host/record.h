/* SPDX-License-Identifier: MIT */
/*
 * Recorded hosts: data read by the tools, in a directory of ordinary files.
 *
 *   sys/, proc/, ...	files as they were read; an empty file or directory if only its existence
 *			was checked; NAME@link has a link's target, NAME@list a directory's entries
 *   netlink/		see netlink/replay.h
 *   probes/NAME	a number, a newline, words: host_probe()
 *   complete		exists unless something could not be recorded
 */
#pragma once

#include "base/err.h"

#define RECORD_COMPLETE "complete"
#define RECORD_LINK "@link"
#define RECORD_LIST "@list"

/** record_root() - directory of the recorded host to read from, SMC_TOOLS_ROOT; NULL: this host */
const char *record_root(void);

/** record_dir() - directory to record into, SMC_TOOLS_RECORD; NULL: nothing is recorded */
const char *record_dir(void);

/**
 * record_path() - path of a host's file within a record
 * @path: absolute; "." and ".." are resolved; /proc/self/fd/N stands for the sysfs of sysfs_here()
 *
 * Return: false if it is too long.
 */
bool record_path(char out[PATH_MAX], const char *path);

/**
 * record_open() - open a file of the recorded host, or of the record in progress
 * @flags: added to O_RDONLY; O_DIRECTORY for a directory
 *
 * The directory must belong to the effective user or to root; its content is untrusted, see
 * host/beneath.h.
 * Return: a descriptor, -1 with errno.
 */
int record_open(const char *path, int flags);

/** record_link() - like readlink(2) */
ssize_t record_link(const char *path, char *target, size_t size);

/** record_has() - true if there is such a file or directory */
bool record_has(const char *path);

/*
 * The recording functions have no other effect, not even on errno. Without record_dir() they do
 * nothing. On a write error, RECORD_COMPLETE is removed.
 */

/** record_put() - record the content of a file, unless a longer one is already there */
void record_put(const char *path, const void *data, size_t len);

/** record_set() - replace the content of a file; @name is relative to the record */
void record_set(const char *name, const void *data, size_t len);

/** record_append() - append to a file of the record */
void record_append(const char *name, const void *data, size_t len);

/** record_exists() - record the existence of a file or directory */
void record_exists(const char *path);

/**
 * record_get() - read a whole file of the recorded host, NUL added; the caller frees it
 * @name: relative to the record
 * @max: limit in bytes, larger than any file the tools write; rounded up to a buffer's size
 *
 * Return: NULL with errno; EFBIG if it is larger.
 */
char *record_get(const char *name, size_t max, size_t *len);

/** record_refuse() - refuse a change while reading a record. Return: -EROFS, with @err */
int record_refuse(struct smc_err *err);
