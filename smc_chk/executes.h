/* SPDX-License-Identifier: MIT */
/* Kinds of programs that the kernel executes: machine and word size. */
#pragma once

#include "process/elf.h"

/**
 * host_executes() - can the kernel execute programs of the kind of this file?
 * @file: an ELF file of this host, program or library; it is not started
 * @elf: result of smc_elf_inspect() for it
 *
 * 32-bit programs need CONFIG_IA32_EMULATION or CONFIG_COMPAT, no ia32_emulation=off on the
 * kernel's command line (Linux 6.7), and on arm64 a processor with AArch32.
 * Interpreters of binfmt_misc count.
 *
 * Return: false if the kernel refused such a program; true also if unknown.
 */
bool host_executes(const char *file, const struct smc_elf *elf);
