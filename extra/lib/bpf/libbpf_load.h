/* SPDX-License-Identifier: MIT */
/*
 * libbpf, loaded on demand, not linked: with libelf it is 1 MB that few commands need, and many
 * hosts have it. Version 1 of libbpf keeps these functions stable, so its headers are not needed.
 */
#pragma once

#include <stdarg.h>

#include "base/err.h"

struct bpf_object;
struct bpf_program;
struct bpf_link;
struct ring_buffer;

/** typedef bpf_ring_fn - takes one record of a ring. Return: 0 to go on, -errno to stop */
typedef int (*bpf_ring_fn)(void *arg, void *record, size_t len);

/* Each row: return type, name, arguments. */
#define LIBBPF_FUNCTIONS(X)                                                                        \
	X(void *, libbpf_set_print, (int (*)(int, const char *, va_list)))                         \
	X(struct bpf_object *, bpf_object__open_mem, (const void *, size_t, const void *))         \
	X(int, bpf_object__load, (struct bpf_object *))                                            \
	X(void, bpf_object__close, (struct bpf_object *))                                          \
	X(struct bpf_program *, bpf_object__find_program_by_name,                                  \
	  (const struct bpf_object *, const char *))                                               \
	X(struct bpf_program *, bpf_object__next_program,                                          \
	  (const struct bpf_object *, struct bpf_program *))                                       \
	X(const char *, bpf_program__section_name, (const struct bpf_program *))                   \
	X(const char *, bpf_program__name, (const struct bpf_program *))                           \
	X(int, bpf_program__fd, (const struct bpf_program *))                                      \
	X(int, bpf_prog_test_run_opts, (int, void *))                                              \
	X(int, bpf_program__set_autoload, (struct bpf_program *, bool))                            \
	X(int, bpf_object__find_map_fd_by_name, (const struct bpf_object *, const char *))         \
	X(struct bpf_link *, bpf_program__attach, (const struct bpf_program *))                    \
	X(int, bpf_link__pin, (struct bpf_link *, const char *))                                   \
	X(int, bpf_link__destroy, (struct bpf_link *))                                             \
	X(struct ring_buffer *, ring_buffer__new, (int, bpf_ring_fn, void *, const void *))        \
	X(int, ring_buffer__consume, (struct ring_buffer *))                                       \
	X(int, ring_buffer__epoll_fd, (const struct ring_buffer *))                                \
	X(void, ring_buffer__free, (struct ring_buffer *))

/** struct libbpf - functions of libbpf that the tools use */
struct libbpf {
#define LIBBPF_DECLARE(type, name, arguments) type(*name) arguments;
	LIBBPF_FUNCTIONS(LIBBPF_DECLARE)
#undef LIBBPF_DECLARE
};

/**
 * libbpf_find() - load libbpf, and silence its messages
 *
 * Return: 0, -ENOSYS naming the missing package.
 */
int libbpf_find(struct libbpf *lib, struct smc_err *err);

/** libbpf_load_error() - explain why the kernel refused to load an object. Return: @ret */
int libbpf_load_error(int ret, struct smc_err *err);
