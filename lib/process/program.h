/* SPDX-License-Identifier: MIT */
/* Run other programs and collect their output. */
#pragma once

#include "base/libc.h"

/**
 * program_run() - run a program and wait for it
 * @argv: NULL-terminated; argv[0] is looked up in PATH if it has no slash
 * @text: its output, stdout and stderr, @size bytes; free() it. NULL on error
 *
 * Return: its exit status, or -errno: -EFBIG for more text than 64 MiB.
 */
int program_run(char *const *argv, char **text, size_t *size);
