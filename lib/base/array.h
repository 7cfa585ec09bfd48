/* SPDX-License-Identifier: MIT */
/* Arrays: size, loops, and growing arrays. */
#pragma once

#include "base/libc.h"

/**
 * smc_array_add() - append an item; the memory doubles when the number of items is a power of two
 * @items: address of the pointer to the malloc()ed array, NULL at first
 * @count: address of the number of items
 *
 * Return: the item, zeroed.
 */
#define smc_array_add(items, count)                                                                \
	((__typeof__(*(items)))smc_array_grow((items), (count), sizeof(**(items))))

/** smc_array_grow() - like smc_array_add(), with the size of an item */
void *smc_array_grow(void *items, size_t *count, size_t item_size);

/** ARRAY_SIZE() - number of items, of an array only, not of a pointer */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/** for_each() - walk an array to read it: the new variable @item points to each of @count items */
#define for_each(item, items, count)                                                               \
	for (const __typeof__(*(items)) *item = (items); item && item < (items) + (count); item++)
