/* SPDX-License-Identifier: MIT */
/* What --summary and --metrics of smcss count. */
#pragma once

#include "base/index.h"
#include "smcss.h"

/* Two more groups are counted where all network namespaces are shown. */
enum { BY_PROCESS, BY_PEER, BY_REASON, N_GROUPS, BY_NETNS = N_GROUPS, BY_NETNS_REASON, N_COUNTED };

/**
 * struct summary_item - a group's member, such as one process, and its sockets by enum smc_mode
 * @total: its connections
 * @listening: of BY_NETNS
 * @code, @len: of BY_NETNS_REASON: the reason, and how long the namespace's name before it is
 */
struct summary_item {
	char *name;
	size_t counts[4], total, listening, len;
	uint32_t code;
};

/** struct summary_group - items, found by name until they are sorted */
struct summary_group {
	struct summary_item *items;
	size_t count, size;
	struct smc_index index;
};

/** struct summary - @has_listening: sockets that listen were asked for, so that none is a number */
struct summary {
	bool has_listening;
	size_t counts[4];
	size_t listening;
	struct summary_group groups[N_COUNTED];
	struct out_text scratch;
};

/** summary_sort() - largest first. Nothing may be counted any more: the index is wrong */
void summary_sort(struct summary *summary);
