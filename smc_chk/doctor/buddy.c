// SPDX-License-Identifier: MIT
/* Contiguous memory: the kernel's free blocks. */
#include "smc_chk/doctor/buddy.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ORDER 32

/* "Node 0, zone   Normal    12  3 ...": the numbers behind the name. Return: how many there are. */
static unsigned int count_zone(uint64_t *blocks, const char *numbers, unsigned int order)
{
	unsigned long long count;
	unsigned int i;
	char *end;

	for (i = 0; i < MAX_ORDER; i++) {
		numbers += strspn(numbers, " ");
		count = strtoull(numbers, &end, 10);
		if (end == numbers)
			break;
		if (i >= order)
			*blocks += count << (i - order);
		numbers = end;
	}
	return i;
}

bool buddy_blocks(uint64_t *blocks, const char *text, unsigned int order)
{
	uint64_t dma = 0, other = 0;
	bool has_dma = false, has_other = false;

	for (const char *line = text; (line = strstr(line, ", zone "));) {
		size_t len;

		line += strlen(", zone ");
		line += strspn(line, " ");
		len = strcspn(line, " \n");
		if (len == 3 && !strncmp(line, "DMA", 3))
			has_dma |= count_zone(&dma, line + len, order) > 0;
		else
			has_other |= count_zone(&other, line + len, order) > 0;
	}
	*blocks = has_other ? other : dma;
	return has_dma || has_other;
}

unsigned int buddy_orders(const char *text)
{
	const char *line = strstr(text, ", zone ");
	uint64_t ignored = 0;

	if (!line)
		return 0;
	line += strlen(", zone ");
	line += strspn(line, " ");
	return count_zone(&ignored, line + strcspn(line, " \n"), MAX_ORDER);
}
