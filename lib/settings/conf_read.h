/* SPDX-License-Identifier: MIT */
/* Read files of settings, smc.conf(5). */
#pragma once

#include "settings/conf.h"

#define CONF_FILE "/etc/smc-tools/smc.conf"
/* Read after smc.conf, even if that is missing: lines added by programs, such as smc_unit peers. */
#define CONF_DIR "/etc/smc-tools/smc.conf.d"

/*
 * An error is one sentence, "FILE:LINE: WORD: what was expected", and leaves @conf empty. A
 * repeated line counts once; another value for the same object in the same section is an error.
 */

/**
 * conf_read() - read a file and its includes
 * @path: "-" for standard input, which cannot include files
 * @is_applied: the settings will be applied: as root, refuse files that other users can change
 *
 * Return: 0; -EINVAL for a wrong line; -EPERM for a file writable by others; another -errno.
 */
int conf_read(struct conf *conf, const char *path, bool is_applied, struct smc_err *err);

/**
 * conf_read_directory() - read the files *.conf of a directory, sorted by name
 * @conf: may already have settings, which are kept
 */
int conf_read_directory(struct conf *conf, const char *path, bool is_applied, struct smc_err *err);

/**
 * conf_read_text() - read lines from memory, which cannot include files
 * @text: @len bytes, followed by a NUL; modified
 * @name: file name for messages and places
 */
int conf_read_text(struct conf *conf, char *text, size_t len, const char *name,
		   struct smc_err *err);
