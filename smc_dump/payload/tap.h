/* SPDX-License-Identifier: MIT */
/* What programs write to and read from SMC connections of this network namespace, by eBPF. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "bpf/smcdata.h"

struct tap;

/**
 * typedef tap_fn - takes one record
 * @at: of it, nanoseconds since 1970
 *
 * Return: 0, or a value that ends it all.
 */
typedef int tap_fn(void *arg, const struct smcdata_record *record, const uint8_t *data, int64_t at);

/**
 * tap_open() - from now on records are kept for tap_read()
 * @snaplen: bytes wanted of each piece
 *
 * Needs CAP_BPF and CAP_PERFMON; once it is open nothing more. Return: 0; -errno with a sentence.
 */
int tap_open(struct tap **tap, uint32_t snaplen, tap_fn *fn, void *arg, struct smc_err *err);

/** tap_state() - what the eBPF program counts, and where verdicts are noted */
struct smcdata_state *tap_state(const struct tap *tap);

/**
 * tap_read() - wait a moment for records, and hand over all that there are
 * @wait_ms: at most so long; a signal ends it
 *
 * Return: 0; what the function returned; -errno with a sentence.
 */
int tap_read(struct tap *tap, int wait_ms, struct smc_err *err);

/** tap_close() - NULL is allowed */
void tap_close(struct tap *tap);
