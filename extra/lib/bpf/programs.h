/* SPDX-License-Identifier: MIT */
/*
 * Load eBPF programs, attach them for the life of this process, and read their records. libbpf is
 * loaded on demand, not linked: without it the tools work without eBPF.
 */
#pragma once

#include "base/err.h"
#include "bpf/libbpf_load.h"

struct bpf_programs;

/* Returned by @fn after a record: leave the others for the next call. */
#define BPF_ENOUGH (-ECANCELED)

/**
 * struct bpf_watch - programs that watch this network namespace
 * @elf, @len: the object file, as made by clang and bpftool; can be freed after the start. A length
 *	of one byte stands for an object that could not be built.
 * @state: array map of one element, which begins with the inode of the namespace, a __u32
 * @value: initial value of that element, with zero in place of the inode
 * @module: kernel module whose functions are traced: if it has types (BTF), programs named
 *	"typed_..." are used instead of "plain_...", as they cost less
 * @ring: ring buffer map; @fn is called with @arg for each record
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
 * The ELF section names give the attach points; a program in "syscall" is run once, before the
 * others are attached. The kernel needs type information (BTF).
 * Return: descriptor of the state map, for bpf/bpfmap.h; -EPERM without the capabilities, -ENOSYS
 * without libbpf, -ENOTSUP when the object could not be built, -errno; each with @err.
 */
int bpf_programs_start(struct bpf_programs **programs, const struct bpf_watch *watch,
		       struct smc_err *err);

/**
 * bpf_programs_fd() - poll for input
 *
 * Wakes only when a program requests it, not for every record.
 */
int bpf_programs_fd(const struct bpf_programs *programs);

/**
 * bpf_programs_read() - pass all pending records to @fn, without waiting
 *
 * Return: 0; 1 if @fn returned BPF_ENOUGH; -errno with @err, which keeps the sentence of @fn if it
 * set one.
 */
int bpf_programs_read(struct bpf_programs *programs, struct smc_err *err);

/** bpf_programs_close() - detach and unload all; NULL is allowed */
void bpf_programs_close(struct bpf_programs *programs);
