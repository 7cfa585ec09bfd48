/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef SMC_ARRAY_H
#define SMC_ARRAY_H

#include <stddef.h>

/**
 * smc_array_grow() - room for one more item: twice as much whenever the array is full
 * @items: malloc()ed, NULL at the beginning
 * @count: items in it; @size: for how many there is room, 0 at the beginning
 *
 * Return: the array in its place; NULL without memory: @items and @size are what they were.
 */
void *smc_array_grow(void *items, size_t count, size_t *size, size_t item_size);

#endif
