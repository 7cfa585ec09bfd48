/* SPDX-License-Identifier: MIT */
/* Lock-free slots of words: a reader gets all words of one write, or nothing. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The first word is odd during a write, and changes with each; 0: never written. */
#define SHIM_SLOT(words) (1 + (words))

/** shim_slot_write() - write @n words; not during another write. Return: true if it was written */
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

/** shim_slot_read() - Return: false if never written, or during a write */
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
