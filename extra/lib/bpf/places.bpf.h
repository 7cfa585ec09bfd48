/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Per-socket values of an eBPF program, keyed by the address of the kernel's socket. A
 * direct-mapped array, at a fifth of the cost of a hash, comes first; sockets whose slot is taken
 * go into a hash. The includer defines the value type (KEPT) and the size of the hash (KEPT_MAX).
 */
#pragma once

#include "bpf/kernel.bpf.h"

enum {
	/* 2 to 3 MB of slots. */
	PLACES_BITS = 14,
	PLACES = 1 << PLACES_BITS,
	TAKEN = 1,
};

struct place_of_sk {
	__u64 sk;
	KEPT kept;
};

MAP(places, ARRAY, 0, PLACES, __u32, struct place_of_sk);

MAP(without_place, HASH, BPF_F_NO_PREALLOC, KEPT_MAX, __u64, KEPT);

static struct place_of_sk *place_of(__u64 sk)
{
	__u32 key;

	/* Make the verifier see half of the pointer as a scalar. */
	asm volatile("%0 = %1" : "=w"(key) : "w"((__u32)sk));
	/* Golden ratio hash: spreads nearby addresses. */
	key = (key >> 6) * 0x9e3779b1U >> (32 - PLACES_BITS);
	return bpf_map_lookup_elem(&places, &key);
}

static KEPT *find(const void *sk)
{
	__u64 key = (__u64)sk;
	struct place_of_sk *place = place_of(key);

	if (place && place->sk == key)
		return &place->kept;
	return bpf_map_lookup_elem(&without_place, &key);
}

/* Return: the stored value; NULL without room. */
static KEPT *note(const void *sk, const KEPT *kept)
{
	__u64 key = (__u64)sk;
	struct place_of_sk *place = place_of(key);

	/* A stale entry of a recycled address occupies the slot. */
	bpf_map_delete_elem(&without_place, &key);
	if (place && (place->sk == key || !__sync_val_compare_and_swap(&place->sk, 0, TAKEN))) {
		place->kept = *kept;
		/* Publish the key only after the value is complete. */
		__sync_lock_test_and_set(&place->sk, key);
		return &place->kept;
	}
	bpf_map_update_elem(&without_place, &key, kept, BPF_ANY);
	return bpf_map_lookup_elem(&without_place, &key);
}

static void forget(const void *sk)
{
	__u64 key = (__u64)sk;
	struct place_of_sk *place = place_of(key);

	if (place && place->sk == key)
		place->sk = 0;
	else
		bpf_map_delete_elem(&without_place, &key);
}
