/* SPDX-License-Identifier: MIT */
/* Before strangers' files are read: nothing but their directory stays within reach. */
#pragma once

#include "base/err.h"
#include "sandbox/confine.h"

/**
 * enclose() - stay below a directory, for good
 * @directory: its descriptor; it becomes the current directory
 * @access: enum landlock_access
 *
 * Root makes it its root directory, and becomes nobody unless the directory is root's own; others
 * need Landlock for that. All give up what confine() takes. Close descriptors of directories
 * outside before: they would lead there.
 *
 * Return: 0; -errno with @err, and then nothing of a stranger is to be read.
 */
int enclose(int directory, unsigned int access, struct smc_err *err);

/**
 * enclose_record() - every tool calls it before it reads the state of a host
 *
 * With SMC_TOOLS_ROOT this process is enclosed in that directory. It and that of SMC_TOOLS_RECORD
 * must belong to the effective user or to root, for root it may also be nobody's.
 *
 * Return: 0, at once where neither is set; -errno with @err.
 */
int enclose_record(struct smc_err *err);

/**
 * enclose_not() - instead, for what needs other files of this host too: it only checks the owner,
 *	who must not be nobody for root. Return: as enclose_record()
 */
int enclose_not(struct smc_err *err);
