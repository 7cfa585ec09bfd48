/* SPDX-License-Identifier: MIT */
/* The picture of the devices that have one PNET ID. */
#pragma once

#include "net/linkgroup.h"
#include "out/text.h"

/**
 * struct card - @pnetid: "" for those that have none; @groups: learns which it shows
 * @has_loopback: SMC-D within this host, which may be in no list
 */
struct card {
	const struct pnet_rows *rows;
	struct pnet_groups *groups;
	const char *pnetid;
	bool has_loopback;
};

/**
 * html_card() - append the picture
 *
 * On the left net devices, those that use another one as their base below it; on the right what
 * serves them, and below that its link groups. Without a PNET ID also what has no device in @rows.
 */
void html_card(struct out_text *page, const struct card *card);
