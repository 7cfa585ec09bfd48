/* SPDX-License-Identifier: MIT */
/* Files of settings, smc.conf(5). */
#pragma once

#include "settings/conf.h"

#define CONF_FILE "/etc/smc-tools/smc.conf"
/* Read after it, whether or not the file is there: what programs add, such as smc_unit peers. */
#define CONF_DIR "/etc/smc-tools/smc.conf.d"

/*
 * An error is one sentence, "FILE:LINE: WORD: what was expected", and @conf is empty then. The same
 * line twice counts once; another value for the same thing in the same section is an error.
 */

/**
 * conf_read() - a file, and those that it includes
 * @path: "-" for standard input, which cannot include
 * @is_applied: if this is root, refuse files that other users can change
 *
 * Return: 0; -EINVAL for a wrong line; -EPERM for a file that others may write; another -errno.
 */
int conf_read(struct conf *conf, const char *path, bool is_applied, struct smc_err *err);

/**
 * conf_read_directory() - the files *.conf of a directory, in the order of their names
 * @conf: what was read before; stays
 */
int conf_read_directory(struct conf *conf, const char *path, bool is_applied, struct smc_err *err);

/**
 * conf_read_text() - lines from memory, which cannot include
 * @text: @len bytes, with a NUL behind them; changed
 * @name: of the file, for messages and places
 */
int conf_read_text(struct conf *conf, char *text, size_t len, const char *name,
		   struct smc_err *err);
