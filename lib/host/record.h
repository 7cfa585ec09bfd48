/* SPDX-License-Identifier: MIT */
/*
 * A recorded host: what the tools read of the kernel, kept in a folder of ordinary files.
 *
 *   sys/, proc/, ...	files as they were read; of what was only looked for, an empty file or a
 *			folder; a link's target in NAME@link; what was in a folder in NAME@list
 *   netlink/		see netlink/replay.h
 *   probes/NAME	a number, a newline, words: host_probe()
 *   complete		there as long as nothing failed to be recorded
 */
#ifndef SMC_HOST_RECORD_H
#define SMC_HOST_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define RECORD_COMPLETE "complete"
#define RECORD_LINK "@link"
#define RECORD_LIST "@list"

/** record_root() - folder of the recorded host to read from, SMC_TOOLS_ROOT; NULL: this host */
const char *record_root(void);

/** record_dir() - folder to record into, SMC_TOOLS_RECORD; NULL: nothing is recorded */
const char *record_dir(void);

/**
 * record_path() - where a file of the host is in a record
 * @path: absolute; "." and ".." are resolved by their letters, so that nothing leaves @root; what
 *	is below /proc/self/fd/N is the sysfs of sysfs_here()
 *
 * Return: false when it is too long.
 */
bool record_path(char out[PATH_MAX], const char *root, const char *path);

/*
 * The functions that record change nothing else, errno included. Without record_dir() they do
 * nothing. What could not be written is told by RECORD_COMPLETE being gone.
 */

/** record_put() - keep the content of a file; a longer one that is there already wins */
void record_put(const char *path, const void *data, size_t len);

/** record_set() - keep the content of a file, in place of what is there; @name is in the record */
void record_set(const char *name, const void *data, size_t len);

/** record_append() - put more at the end of a file; @name is in the record */
void record_append(const char *name, const void *data, size_t len);

/** record_exists() - keep that there is such a file or folder */
void record_exists(const char *path);

/** record_fail() - something could not be recorded */
void record_fail(void);

/**
 * record_get() - a whole file of the recorded host
 * @name: in the record
 * @len: of what is returned, which has a NUL behind it; free() it
 *
 * Return: NULL with an errno; EFBIG for one that no tool wrote.
 */
char *record_get(const char *name, size_t *len);

/**
 * record_folders() - make the folders above a file, of mode 0700
 * @path: of the file; as it was again afterwards
 * @skip: how many letters of it lead to a folder that is there
 *
 * Return: false with an errno.
 */
bool record_folders(char *path, size_t skip);

/** record_refuse() - Return: -EROFS with a sentence that says that nothing can be changed there */
int record_refuse(struct smc_err *err);

#endif
