/* SPDX-License-Identifier: MIT */
/* What will really run: PATH, scripts, and what the kernel does with the file. */
#ifndef SMC_SYS_TARGET_H
#define SMC_SYS_TARGET_H

#include <limits.h>
#include <stdbool.h>

#include "sys/elf.h"

/**
 * struct target - the program that a command ends up in
 * @path: its file; of a script, the file of its interpreter; "" if there is none
 * @known: whether @elf could be read
 * @elf: what the file says about itself
 * @secure: starting it changes ids or gives capabilities: ld.so then ignores LD_PRELOAD
 */
struct target {
	char path[PATH_MAX];
	bool known;
	struct smc_elf elf;
	bool secure;
};

/**
 * target_find() - follow a command to the program that will run
 * @command: as execvp(3) takes it
 * @out: filled in as far as it could be found out; nothing here is an error, exec will tell
 *
 * Scripts lead to their interpreter, "env NAME" to NAME, at most four times.
 */
void target_find(const char *command, struct target *out);

#endif
