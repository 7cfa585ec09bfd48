/* SPDX-License-Identifier: MIT */
/* What will really run: PATH, scripts, and what the kernel does with the file. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "process/elf.h"

/* What starting a file raises: struct target.raises */
enum {
	TARGET_SETUID = 1 << 0,
	TARGET_SETGID = 1 << 1,
	TARGET_CAPS = 1 << 2, /* file capabilities */
};

/**
 * struct target - the program that a command ends up in
 * @path: its file; of a script, the file of its interpreter; "" if there is none
 * @known: whether @elf could be read
 * @scripts: how many scripts were followed
 * @is_script: @path is one more, whose interpreter is not there, or one too many
 * @clears_env: a script on the way that "env -i" starts: no LD_PRELOAD gets past that
 * @elf: what the file says about itself
 * @secure: starting it changes ids or gives capabilities: ld.so then ignores LD_PRELOAD
 * @raises: what the file asks for, whoever starts it
 * @is_nosuid: and does not get, by its file system
 * @uid, @gid: owner of the file
 */
struct target {
	char path[PATH_MAX];
	bool known, is_script, clears_env, secure, is_nosuid;
	int scripts;
	struct smc_elf elf;
	unsigned int raises;
	uid_t uid;
	gid_t gid;
};

/**
 * target_find() - follow a command, as execvp(3) takes it, to the program that will run
 * @out: filled in as far as it could be found out; nothing here is an error, exec will tell
 *
 * Scripts lead to their interpreter, "env NAME" to NAME, at most four times.
 */
void target_find(const char *command, struct target *out);

/** target_exec() - execvp(3), but a program that the kernel does not execute is no script */
void target_exec(char *const *argv);
