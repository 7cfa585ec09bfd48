/* SPDX-License-Identifier: MIT */
/* A keyed hash of 64 bits, which nobody without the key can foresee: SipHash-2-4. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY 16

/** siphash() - of any bytes; the same on every machine */
uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len);
