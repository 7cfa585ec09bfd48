// SPDX-License-Identifier: MIT
/* Pause frames: decoding. */
#include "smc_chk/doctor/pause.h"

#include <errno.h>
#include <libmnl/libmnl.h>

#include "smc/attr.h"

/* ETHTOOL_A_PAUSE_* and ETHTOOL_A_HEADER_DEV_NAME of <linux/ethtool_netlink.h>. */
enum { PAUSE_HEADER = 1, PAUSE_AUTONEG, PAUSE_RX, PAUSE_TX };
enum { HEADER_DEV_NAME = 2 };

static bool get_switch(const struct nlmsghdr *nlh, uint16_t type, bool *value)
{
	const struct nlattr *attr = smc_attr_nest(nlh, type);

	return attr && smc_attr_bool(attr, value);
}

int smc_pause_decode(struct smc_pause *pause, const struct nlmsghdr *nlh)
{
	const struct nlattr *header = smc_attr_nest(nlh, PAUSE_HEADER), *attr;
	bool has_name = false;

	*pause = (struct smc_pause){ 0 };
	if (!header)
		return -EBADMSG;
	mnl_attr_for_each_nested(attr, header)
		if (mnl_attr_get_type(attr) == HEADER_DEV_NAME)
			has_name = smc_attr_str(attr, pause->netdev, sizeof(pause->netdev));
	if (!has_name || !get_switch(nlh, PAUSE_RX, &pause->is_rx) ||
	    !get_switch(nlh, PAUSE_TX, &pause->is_tx))
		return -EBADMSG;
	get_switch(nlh, PAUSE_AUTONEG, &pause->is_autoneg);
	return 0;
}
