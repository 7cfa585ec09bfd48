/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#pragma once

#include <stddef.h>

/**
 * smc_array_add() - add an item at the end; the capacity doubles when the array is full
 * @items: address of the pointer to the malloc()ed array, NULL at first
 * @count: number of items; @size: capacity in items, 0 at first
 *
 * Return: the item, zeroed.
 */
void *smc_array_add(void *items, size_t *count, size_t *size, size_t item_size);

/** smc_array_append() - add a copy of @item at the end */
void smc_array_append(void *items, size_t *count, size_t *size, const void *item, size_t item_size);
