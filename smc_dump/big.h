/* SPDX-License-Identifier: MIT */
/* Numbers as networks have them: big-endian, at any address. */
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

static inline void big_put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void big_put32(uint8_t *at, uint32_t value)
{
	big_put16(at, (uint16_t)(value >> 16));
	big_put16(at + 2, (uint16_t)value);
}
