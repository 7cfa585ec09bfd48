/* SPDX-License-Identifier: MIT */
/* Contiguous memory: the kernel's free blocks, /proc/buddyinfo. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/**
 * buddy_blocks() - how many blocks of 2^order pages could be had without moving anything
 * @text: /proc/buddyinfo, counts of free blocks of order 0, 1, ... of each zone
 * @blocks: receives the number; a larger block counts as the smaller ones that it splits into
 *
 * Zone DMA, which ordinary memory comes from last, is left out if there is another one.
 *
 * Return: false if the text is not of this kind.
 */
bool buddy_blocks(uint64_t *blocks, const char *text, unsigned int order);

/** buddy_orders() - how many sizes of blocks there are, 11 for order 0 to 10; 0 if unknown */
unsigned int buddy_orders(const char *text);
