/* SPDX-License-Identifier: MIT */
/* Other programs: started, waited for, their output kept. */
#pragma once

#include <stddef.h>

/**
 * program_run() - run a program and wait for it
 * @argv: the first one is looked up in PATH if it has no slash
 * @text: what it wrote, both its streams, @size bytes; free() it. NULL after an error
 *
 * Return: its exit status, or -errno: -EFBIG for more text than 64 MiB.
 */
int program_run(char *const *argv, char **text, size_t *size);
