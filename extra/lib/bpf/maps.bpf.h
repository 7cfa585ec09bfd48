/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Map definitions of eBPF programs, in libbpf's format. */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/** MAP() - values of one type by a key; @flags: of BPF_MAP_CREATE */
#define MAP(name, kind, flags, entries, key_type, value_type)                                      \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_##kind);                                                 \
		__uint(map_flags, flags);                                                          \
		__uint(max_entries, entries);                                                      \
		__type(key, key_type);                                                             \
		__type(value, value_type);                                                         \
	} name SEC(".maps")

/** MAP_OF_ONE() - an array of one value; @find() returns its address */
#define MAP_OF_ONE(name, kind, flags, value_type, find)                                            \
	MAP(name, kind, flags, 1, __u32, value_type);                                              \
	static value_type *find(void)                                                              \
	{                                                                                          \
		__u32 first = 0;                                                                   \
                                                                                                   \
		return bpf_map_lookup_elem(&name, &first);                                         \
	}

/** MAP_BESIDE() - local storage of each task (TASK) or socket (SK), freed with it */
#define MAP_BESIDE(name, kind, value_type)                                                         \
	MAP(name, kind##_STORAGE, BPF_F_NO_PREALLOC, 0, int, value_type)

/** MAP_RING() - ring buffer of records for user space; @size in bytes */
#define MAP_RING(name, size)                                                                       \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_RINGBUF);                                                \
		__uint(max_entries, size);                                                         \
	} name SEC(".maps")
