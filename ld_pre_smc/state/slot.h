/* SPDX-License-Identifier: MIT */
/* Words that any thread writes, without a lock: a reader gets all of one writer, or nothing. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The first word is odd while somebody writes, and another one each time; 0: nobody ever wrote. */
#define SHIM_SLOT(words) (1 + (words))

/** shim_slot_write() - @n words; not where somebody else writes. Return: whether it did */
static inline bool shim_slot_write(atomic_uint *slot, const unsigned int *words, size_t n)
{
	unsigned int turn = atomic_load_explicit(&slot[0], memory_order_relaxed) & ~1U;

	if (!atomic_compare_exchange_strong(&slot[0], &turn, turn + 1))
		return false;
	atomic_thread_fence(memory_order_release);
	for (size_t i = 0; i < n; i++)
		atomic_store_explicit(&slot[1 + i], words[i], memory_order_relaxed);
	atomic_store_explicit(&slot[0], turn + 2, memory_order_release);
	return true;
}

/** shim_slot_read() - Return: false if nobody wrote, or somebody writes */
static inline bool shim_slot_read(atomic_uint *slot, unsigned int *words, size_t n)
{
	unsigned int turn = atomic_load_explicit(&slot[0], memory_order_acquire);

	if (!turn || turn & 1)
		return false;
	for (size_t i = 0; i < n; i++)
		words[i] = atomic_load_explicit(&slot[1 + i], memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&slot[0], memory_order_relaxed) == turn;
}
