// SPDX-License-Identifier: MIT
/* smc_chk/doctor/facts: ethtool's answer about pause frames. */
#include "genl_message.h"

#include <linux/ethtool_netlink.h>

#include "smc_chk/doctor/facts.h"

/* The reply with these attributes decodes to this: autonegotiation, receive and transmit. */
static void check(const char *attributes, const char *want)
{
	struct smc_pause pause;
	struct message m;
	int ret;

	genl_make(&m, ETHTOOL_MSG_PAUSE_GET_REPLY, attributes);
	ret = smc_pause_decode(&pause, &m.nlh);
	assert_int_equal(ret, want ? 0 : -EBADMSG);
	if (want)
		assert_printed(want, "%s %d %d %d", pause.netdev, pause.is_autoneg, pause.is_rx,
			       pause.is_tx);
}

/* 1: the header with the index and the name; 2, 3 and 4: autonegotiation, receive, transmit. */
TEST(test_parts)
{
	check("1{1:4=3 2'eth0'} 2:1=1 3:1=1 4:1=0", "eth0 1 1 0");
	check("1{1:4=3 2'eth0'} 3:1=0 4:1=1", "eth0 0 0 1");
	check("1{1:4=3 2'eth0'} 3:1=0", NULL);
	check("1{1:4=3} 3:1=0 4:1=1", NULL);
	check("", NULL);
}

TEST(test_number)
{
	assert_int_equal(SMC_ETHTOOL_PAUSE_GET, ETHTOOL_MSG_PAUSE_GET);
	assert_string_equal(SMC_ETHTOOL_FAMILY, ETHTOOL_GENL_NAME);
}
