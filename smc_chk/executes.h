/* SPDX-License-Identifier: MIT */
/* Which programs the kernel executes: of which machine, and of how many bits. */
#pragma once

#include <stdbool.h>

#include "process/elf.h"

/**
 * host_executes() - does the kernel execute programs of the same kind as a file?
 * @file: an ELF file of this host, program or library; it is not started
 * @elf: smc_elf_inspect()'s answer for it
 *
 * A kernel has no 32-bit programs without CONFIG_IA32_EMULATION or CONFIG_COMPAT, with
 * ia32_emulation=off on its command line (Linux 6.7), and on arm64 processors without AArch32.
 * Interpreters of binfmt_misc count.
 *
 * Return: false when the kernel refused such a program; true also when nobody knows.
 */
bool host_executes(const char *file, const struct smc_elf *elf);
