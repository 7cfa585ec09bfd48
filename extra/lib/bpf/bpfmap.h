/* SPDX-License-Identifier: MIT */
/* eBPF maps, by bpf(2) without libbpf. */
#pragma once

#include "base/libc.h"

union bpf_attr;

/** bpf_call() - bpf(2). Return: -errno instead of -1 */
int bpf_call(int command, union bpf_attr *attr);

/**
 * bpfmap_open() - open a pinned map, read-only or for changes
 * @path: absolute; access follows the file's permissions, no capability is needed
 * @value_size: size of the caller's value buffers, in bytes; 0 if values are not read
 *
 * Return: descriptor; -ENOENT when nothing is pinned there; -EACCES; -ESTALE for a map with values
 * of another size (made by another version of the program); -errno of bpf(2).
 */
int bpfmap_open(const char *path, bool writable, size_t value_size);

/** bpfmap_pin() - pin a map in a BPF file system. Return: 0, -errno of bpf(2) */
int bpfmap_pin(int map, const char *path);

/** bpfmap_lookup() - copy a value out. Return: 0, -ENOENT without such an element, -errno */
int bpfmap_lookup(int map, const void *key, void *value);

/** bpfmap_update() - set or add an element. Return: 0, -E2BIG when the map is full, -errno */
int bpfmap_update(int map, const void *key, const void *value);

/** bpfmap_delete() - remove an element. Return: 0, -ENOENT if there is none, -errno */
int bpfmap_delete(int map, const void *key);

/**
 * bpfmap_next() - the key after @key, or the first for NULL
 *
 * Return: 0, -ENOENT at the end, -errno.
 */
int bpfmap_next(int map, const void *key, void *next);

/**
 * bpfmap_marked() - read the value of a thread in this PID namespace from a task storage map
 *
 * Needs Linux 6.9. Return: 0, -ENOENT without one, -ESRCH when the thread is gone, -errno.
 */
int bpfmap_marked(int map, pid_t tid, uint64_t *mark);
