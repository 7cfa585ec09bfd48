/* SPDX-License-Identifier: MIT */
/*
 * Loads eBPF programs, attaches them for as long as this process lives, and reads what they tell.
 * libbpf is loaded when that is done, not linked: without it the tools do without eBPF.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "bpf/library.h"

struct bpf_programs;

/**
 * struct bpf_watch - programs that watch this network namespace
 * @elf, @len: the object file's bytes, as clang and bpftool made them; they need not stay. One byte
 * alone stands for an object that could not be built.
 * @state: array map whose only element begins with the inode of the namespace, a __u32
 * @value: that element, with zero there
 * @module: of these functions: where the kernel has its types, programs whose names begin with
 * "typed_" are taken instead of those of "plain_", as they cost less
 * @ring: map whose records @fn takes, called with @arg
 */
struct bpf_watch {
	const void *elf;
	size_t len;
	const char *state;
	void *value;
	const char *module;
	const char *ring;
	bpf_ring_fn fn;
	void *arg;
};

/**
 * bpf_programs_start() - load an object's programs and maps, and attach the programs
 *
 * Where they are attached say their sections; one of "syscall" is run once, before that. The kernel
 * needs type information (BTF).
 *
 * Return: descriptor of the state, for lib/bpf/bpfmap; -EPERM without the right to, -ENOSYS without
 * libbpf, -ENOTSUP when the object could not be built, -errno; all with a sentence.
 */
int bpf_programs_start(struct bpf_programs **programs, const struct bpf_watch *watch,
		       struct smc_err *err);

/** bpf_programs_fd() - can be read when a program has woken the reader; not every record does */
int bpf_programs_fd(const struct bpf_programs *programs);

/**
 * bpf_programs_read() - hand over all that the ring has, without waiting
 *
 * Return: 0; -errno with a sentence: that of the function that takes it, if it left one in @err.
 */
int bpf_programs_read(struct bpf_programs *programs, struct smc_err *err);

/** bpf_programs_close() - detach and unload all; NULL is allowed */
void bpf_programs_close(struct bpf_programs *programs);
