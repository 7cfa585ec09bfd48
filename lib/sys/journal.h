/* SPDX-License-Identifier: MIT */
/* Entries for systemd's journal, in its own protocol: fields with names, without a library. */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "out/text.h"

/** journal_open() - connect to the journal of this host. Return: descriptor, -errno with @err */
int journal_open(struct smc_err *err);

/**
 * journal_field() - append a field to an entry
 * @name: capitals, digits and underscores, at most 64, no underscore or digit first
 * @value: @len bytes of any kind
 */
void journal_field(struct out_text *entry, const char *name, const void *value, size_t len);

/** journal_send() - write an entry, and make it empty. Return: 0, -errno with @err */
int journal_send(int journal, struct out_text *entry, struct smc_err *err);
