/* SPDX-License-Identifier: MIT */
/* Find the program that a command will really run: PATH, scripts, and the kernel's rules. */
#pragma once

#include "process/elf.h"

/* Privileges raised by a file: struct target.raises */
enum {
	TARGET_SETUID = 1 << 0,
	TARGET_SETGID = 1 << 1,
	TARGET_CAPS = 1 << 2, /* file capabilities */
};

/**
 * struct target - the program that a command ends up running
 * @path: its file; for a script, its interpreter; "" if there is none
 * @known: whether @elf could be read
 * @scripts: number of scripts that were followed
 * @is_script: @path is another script, whose interpreter is missing, or one too many
 * @clears_env: a script on the way is started by "env -i", which drops LD_PRELOAD
 * @elf: facts in the file
 * @secure: starting it changes ids or grants capabilities: ld.so then ignores LD_PRELOAD
 * @raises: privileges requested by the file, for any caller
 * @is_nosuid: its file system denies them; @uid, @gid: owner of the file
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
 * target_find() - resolve a command, as execvp(3) would, to the program that will run
 * @out: filled in as far as possible; errors are left to exec
 *
 * Scripts lead to their interpreter, "env NAME" to NAME, at most four times.
 */
void target_find(const char *command, struct target *out);

/** target_exec() - execvp(3), but without running unknown formats as scripts */
void target_exec(char *const *argv);
