/* SPDX-License-Identifier: MIT */
/* What an ELF file says about itself, as far as it decides whether a preload library reaches it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMC_ELF_INTERP_MAX 128

/**
 * struct smc_elf - one program or library
 * @bits: 32 or 64 (EI_CLASS); @big_endian: byte order (EI_DATA)
 * @type: ET_EXEC, ET_DYN, ...; @machine: EM_X86_64, EM_S390, ...: <elf.h>
 * @interp: path of the dynamic loader (PT_INTERP), "" if the file names none; cut if longer
 * @is_static: a program that no dynamic loader touches: static or static-pie. The loader itself,
 *	which can be started like a program and then loads one, is not.
 * @is_go: made by the Go linker, whose network code makes system calls of its own even where the
 *	program is dynamic
 */
struct smc_elf {
	int bits;
	bool big_endian, is_static, is_go;
	uint16_t type, machine;
	char interp[SMC_ELF_INTERP_MAX];
};

/**
 * smc_elf_parse() - read an ELF file in memory, of any origin: nothing in it is trusted
 * @out: filled in on success
 *
 * Both classes and both byte orders on any host. Facts: elf(5), the gABI; Go's note and build info
 * as cmd/link writes them. Return: 0; -ENOEXEC if it is not an ELF file, or a damaged one.
 */
int smc_elf_parse(const void *buf, size_t len, struct smc_elf *out);

/** smc_elf_inspect() - the same of a regular file. Return: also -errno of open(2) or mmap(2) */
int smc_elf_inspect(const char *path, struct smc_elf *out);

/** smc_elf_machine_name() - "x86-64", "s390x", ...; NULL for one that has no name here */
const char *smc_elf_machine_name(const struct smc_elf *elf);

#define SMC_ELF_MACHINE_SIZE 32

/** smc_elf_machine_text() - its name, or "machine 32767, 64 bits" in @text. Return: the words */
const char *smc_elf_machine_text(const struct smc_elf *elf, char text[SMC_ELF_MACHINE_SIZE]);
