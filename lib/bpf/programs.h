/* SPDX-License-Identifier: MIT */
/*
 * Loads eBPF programs, attaches them for as long as this process lives, and reads what they tell.
 * libbpf is loaded when that is done, not linked: without it the tools do without eBPF.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct bpf_programs;

/** typedef bpf_ring_fn - takes one record of a ring. Return: 0 to go on, -errno to end */
typedef int (*bpf_ring_fn)(void *arg, void *record, size_t len);

/**
 * bpf_programs_load() - load the programs and maps of an object
 * @elf: the object file's bytes, as clang and bpftool made them; they need not stay
 *
 * The kernel needs type information (BTF). Nothing runs yet.
 *
 * Return: 0, -ENOSYS without libbpf, -errno with a sentence.
 */
int bpf_programs_load(struct bpf_programs **programs, const void *elf, size_t len,
		      struct smc_err *err);

/** bpf_programs_map() - descriptor of a map by name, for lib/sys/bpfmap; -ENOENT */
int bpf_programs_map(const struct bpf_programs *programs, const char *name);

/** bpf_programs_attach() - attach all where their sections say. Return: 0, -errno, a sentence */
int bpf_programs_attach(struct bpf_programs *programs, struct smc_err *err);

/** bpf_programs_ring() - say what reads a ring; once. Return: 0, -errno with a sentence */
int bpf_programs_ring(struct bpf_programs *programs, const char *map, bpf_ring_fn fn, void *arg,
		      struct smc_err *err);

/**
 * bpf_programs_watch() - attach all, and have them watch this network namespace
 * @state: array map whose only element begins with the inode of the namespace, a __u32
 * @value: that element, all zero so far
 * @ring: for @fn and @arg, see bpf_programs_ring()
 *
 * Return: descriptor of @state, -errno with a sentence.
 */
int bpf_programs_watch(struct bpf_programs *programs, const char *state, void *value,
		       const char *ring, bpf_ring_fn fn, void *arg, struct smc_err *err);

/**
 * bpf_programs_read() - hand over all that the ring has, without waiting
 *
 * Return: 0; -errno with a sentence: that of the function that takes it, if it left one in @err.
 */
int bpf_programs_read(struct bpf_programs *programs, struct smc_err *err);

/** bpf_programs_close() - detach and unload all; NULL is allowed */
void bpf_programs_close(struct bpf_programs *programs);
