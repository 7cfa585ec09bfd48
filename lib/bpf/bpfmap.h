/* SPDX-License-Identifier: MIT */
/* Pinned eBPF maps by bpf(2) alone: all that smc_run needs to have itself marked. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * bpfmap_open() - open a pinned map, to change elements or to read only
 * @path: absolute; its permissions decide, capabilities are not needed
 * @value_size: what the caller's buffers hold, in bytes; 0 if values are not read
 *
 * Return: descriptor; -ENOENT when nothing is pinned there; -EACCES; -ESTALE for a map with values
 * of another size, made by another version of the program; -errno of bpf(2).
 */
int bpfmap_open(const char *path, bool writable, size_t value_size);

/** bpfmap_pin() - give a map a name in a BPF file system. Return: 0, -errno of bpf(2) */
int bpfmap_pin(int map, const char *path);

/** bpfmap_lookup() - copy a value out. Return: 0, -ENOENT without such an element, -errno */
int bpfmap_lookup(int map, const void *key, void *value);

/** bpfmap_update() - set or add an element. Return: 0, -E2BIG when the map is full, -errno */
int bpfmap_update(int map, const void *key, const void *value);

/** bpfmap_delete() - remove an element. Return: 0, -ENOENT without it, -errno */
int bpfmap_delete(int map, const void *key);

/** bpfmap_next() - the key after @key, the first for NULL. Return: 0, -ENOENT at the end, -errno */
int bpfmap_next(int map, const void *key, void *next);

/**
 * bpfmap_mark() - set the value of a thread of this PID namespace in a map of task storage
 *
 * Needs Linux 6.9, as bpfmap_marked(). Return: 0, -ESRCH when it is gone, -errno.
 */
int bpfmap_mark(int map, pid_t tid, uint64_t mark);

/** bpfmap_marked() - the value of a task. Return: 0, -ENOENT without one, -ESRCH, -errno */
int bpfmap_marked(int map, pid_t tid, uint64_t *mark);
