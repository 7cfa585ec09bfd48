/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#pragma once

#include <stddef.h>

/**
 * smc_array_add() - one more item at the end; the room doubles whenever the array is full
 * @items: address of the pointer to the array, which is malloc()ed, NULL at the beginning
 * @count: items in it; @size: for how many there is room, 0 at the beginning
 *
 * Return: the item, of zeros.
 */
void *smc_array_add(void *items, size_t *count, size_t *size, size_t item_size);

/** smc_array_append() - the same with a copy of @item */
void smc_array_append(void *items, size_t *count, size_t *size, const void *item, size_t item_size);
