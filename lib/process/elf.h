/* SPDX-License-Identifier: MIT */
/* Facts in an ELF file that decide whether a preload library reaches the program. */
#pragma once

#include "base/libc.h"

#define SMC_ELF_INTERP_MAX 128

/**
 * struct smc_elf - one program or library
 * @bits: 32 or 64 (EI_CLASS); @big_endian: byte order (EI_DATA)
 * @type: ET_EXEC, ET_DYN, ...; @machine: EM_X86_64, EM_S390, ...: <elf.h>
 * @interp: path of the dynamic loader (PT_INTERP), "" if there is none; truncated if longer
 * @is_static: a program started without a dynamic loader: static or static-pie. The loader itself,
 *	which can be started like a program and loads another, is not static.
 * @is_go: linked by Go, whose network code makes its own system calls even in dynamic programs
 * @go_minor: 24 for Go 1.24.x; 0 if that is not known
 */
struct smc_elf {
	int bits;
	bool big_endian, is_static, is_go;
	int go_minor;
	uint16_t type, machine;
	char interp[SMC_ELF_INTERP_MAX];
};

/**
 * smc_elf_parse() - parse an ELF file in memory, from an untrusted source
 * @out: filled in on success
 *
 * Handles both classes and both byte orders on any host. Sources: elf(5), the gABI; Go's note and
 * build info as written by cmd/link. Return: 0; -ENOEXEC for other or damaged files.
 */
int smc_elf_parse(const void *buf, size_t len, struct smc_elf *out);

/** smc_elf_inspect() - parse a regular file. Return: like smc_elf_parse(); -errno of its opening */
int smc_elf_inspect(const char *path, struct smc_elf *out);

/** smc_elf_machine_name() - "x86-64", "s390x", ...; NULL for an unknown one */
const char *smc_elf_machine_name(const struct smc_elf *elf);

#define SMC_ELF_MACHINE_SIZE 32

/** smc_elf_machine_text() - the name, or "machine 32767, 64 bits" in @text. Return: the text */
const char *smc_elf_machine_text(const struct smc_elf *elf, char text[SMC_ELF_MACHINE_SIZE]);
