/* SPDX-License-Identifier: MIT */
/* Confine a process to one directory before it reads untrusted files. */
#pragma once

#include "base/err.h"
#include "sandbox/confine.h"

/**
 * enclose() - confine this process to a directory, for good
 * @directory: its descriptor; it becomes the current directory
 * @access: enum landlock_access
 *
 * For root, the directory becomes the root directory, and the process becomes nobody unless root
 * owns the directory. Other users need Landlock. Everything else is given up as in confine(). Close
 * descriptors of directories outside before the call: they would lead out.
 *
 * Return: 0; -errno with @err, after which no untrusted file may be read.
 */
int enclose(int directory, unsigned int access, struct smc_err *err);

/**
 * enclose_record() - confine this process to a recorded host, if there is one
 *
 * Every tool calls it before it reads the state of a host. With SMC_TOOLS_ROOT this process is
 * confined to that directory. This directory, and that of SMC_TOOLS_RECORD, must belong to the
 * effective user or to root; for root, also to nobody.
 *
 * Return: 0, at once if neither is set; -errno with @err.
 */
int enclose_record(struct smc_err *err);

/**
 * enclose_not() - use instead of enclose_record() in commands that also need other files
 *
 * Only checks the owner, who for root must not be nobody. Return: like enclose_record().
 */
int enclose_not(struct smc_err *err);
