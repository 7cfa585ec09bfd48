/* SPDX-License-Identifier: MIT */
/* Big-endian numbers in network data, at any alignment. */
#pragma once

#include <stdint.h>

static inline uint16_t big16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t big24(const uint8_t *at)
{
	return (uint32_t)at[0] << 16 | big16(at + 1);
}

static inline uint32_t big32(const uint8_t *at)
{
	return (uint32_t)big16(at) << 16 | big16(at + 2);
}
