/* SPDX-License-Identifier: MIT */
/* Sizes of buffers and of the blocks that they are made of. */
#ifndef SMC_CHK_SIZE_H
#define SMC_CHK_SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* A line for each zone of each NUMA node. */
#define SIZE_BUDDY_TEXT 16384

/** size_text() - "64 KiB", "4 MiB"; what is no multiple in bytes */
void size_text(char *text, size_t size, unsigned long long bytes);

/** size_of_page() - bytes, of the host that is looked at */
unsigned long long size_of_page(void);

/** size_buddies() - the text of /proc/buddyinfo. Return: false if it cannot be read */
bool size_buddies(char text[SIZE_BUDDY_TEXT]);

/** size_largest_block() - contiguous memory that the kernel hands out at once; 0 if unknown */
unsigned long long size_largest_block(void);

#endif
