/* SPDX-License-Identifier: MIT */
/* The kernel's type information, for the functions that it has. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Of the JIT compiler, which trampolines and callbacks (bpf_loop()) need. */
#define BTF_JIT "bpf_jit_charge_modmem"

/** btf_read() - all of it, to be freed; NULL where there is none. It is binary: @len bytes */
char *btf_read(size_t *len);

/** btf_has_name() - is there a function, or a type, of that name (62 characters at most)? */
bool btf_has_name(const char *btf, size_t len, const char *name);

/** btf_kernel_has() - the same of the kernel's, once. Return: 1, 0; -1 where there is none */
int btf_kernel_has(const char *name);
