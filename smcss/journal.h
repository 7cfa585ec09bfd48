/* SPDX-License-Identifier: MIT */
/* --events --journal: an event as an entry of systemd's journal. Pure. */
#pragma once

#include "event.h"

/**
 * journal_entry() - append the fields of an event
 *
 * MESSAGE is the text without its time, and each key of the JSON is a field: SMC_MODE,
 * SMC_LOCAL_PORT, SMC_REASON_SYMBOL. Arrays are left out.
 *
 * Return: 0, -ENOMEM.
 */
int journal_entry(struct out_text *entry, const struct event *event);
