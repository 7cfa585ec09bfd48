/* SPDX-License-Identifier: Dual MIT/GPL */
/*
 * What an eBPF program keeps of sockets, by the address of the kernel's: each at a place that
 * follows from it, where it is found at a fifth of the cost, and those whose place is taken in a
 * hash. Who includes this says of which type they are (KEPT), and how many go into the hash
 * (KEPT_MAX).
 */
#pragma once

#include "bpf/kernel.bpf.h"

enum {
	/* 2 to 3 MB of them; one that has no socket yet. */
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

	/* For the verifier, the copy of a pointer's half is a number. */
	asm volatile("%0 = %1" : "=w"(key) : "w"((__u32)sk));
	/* By the golden ratio, so that addresses that differ little are far from each other. */
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

/* Return: what is there now; NULL without room. */
static KEPT *note(const void *sk, const KEPT *kept)
{
	__u64 key = (__u64)sk;
	struct place_of_sk *place = place_of(key);

	/* What was not told of the one that had this address is in the way. */
	bpf_map_delete_elem(&without_place, &key);
	if (place && (place->sk == key || !__sync_val_compare_and_swap(&place->sk, 0, TAKEN))) {
		place->kept = *kept;
		/* Nobody finds it before it is all there. */
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
