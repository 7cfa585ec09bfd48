/* SPDX-License-Identifier: MIT */
/* Look up names in the kernel's type information (BTF). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Function of the JIT compiler; trampolines and callbacks (bpf_loop()) need the JIT. */
#define BTF_JIT "bpf_jit_charge_modmem"

/**
 * btf_read() - the whole BTF of the kernel, @len bytes of binary data
 *
 * Return: memory to be freed, or NULL if there is none.
 */
char *btf_read(size_t *len);

/** btf_has_name() - is there a function or a type of that name (at most 62 characters)? */
bool btf_has_name(const char *btf, size_t len, const char *name);

/**
 * btf_kernel_has() - btf_has_name() of the running kernel, read once
 *
 * Return: 1, 0; -1 without BTF.
 */
int btf_kernel_has(const char *name);
