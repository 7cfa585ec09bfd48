/* SPDX-License-Identifier: MIT */
/* The picture of the devices that have one PNET ID. */
#pragma once

#include "base/array.h"
#include "net/pairing.h"
#include "out/text.h"

/**
 * struct card - one PNET ID, and the devices of the host
 * @pnetid: "" for the devices without a PNET ID
 * @groups: link groups; the picture marks those that it shows
 * @has_loopback: SMC-D within this host is possible, even if no list has its device
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
 * On the left are net devices; one that is based on another stands below it. On the right are the
 * RDMA and ISM devices, each with its link groups below. The picture of the devices without a PNET
 * ID also shows the devices that are not in @rows but have link groups.
 */
void html_card(struct out_text *page, const struct card *card);
