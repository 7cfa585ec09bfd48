// SPDX-License-Identifier: MIT
/* lib/smc/pause: ethtool's answer about pause frames. */
#include "genl_message.h"

#include <linux/ethtool_netlink.h>

#include "smc_chk/doctor/facts.h"

static void put_header(struct message *m, const char *name)
{
	size_t at;

	genl_start(m, ETHTOOL_MSG_PAUSE_GET_REPLY);
	at = genl_nest(m, ETHTOOL_A_PAUSE_HEADER);
	genl_u32(m, ETHTOOL_A_HEADER_DEV_INDEX, 3);
	if (name)
		genl_str(m, ETHTOOL_A_HEADER_DEV_NAME, name);
	genl_end(m, at);
}

TEST(test_whole)
{
	struct smc_pause pause;
	struct message m;

	put_header(&m, "eth0");
	genl_u8(&m, ETHTOOL_A_PAUSE_AUTONEG, 1);
	genl_u8(&m, ETHTOOL_A_PAUSE_RX, 1);
	genl_u8(&m, ETHTOOL_A_PAUSE_TX, 0);
	assert_int_equal(smc_pause_decode(&pause, &m.nlh), 0);
	assert_string_equal(pause.netdev, "eth0");
	assert_true(pause.is_autoneg && pause.is_rx && !pause.is_tx);
}

TEST(test_parts)
{
	struct smc_pause pause;
	struct message m;

	put_header(&m, "eth0");
	genl_u8(&m, ETHTOOL_A_PAUSE_RX, 0);
	assert_int_equal(smc_pause_decode(&pause, &m.nlh), -EBADMSG);
	genl_u8(&m, ETHTOOL_A_PAUSE_TX, 1);
	assert_int_equal(smc_pause_decode(&pause, &m.nlh), 0);
	assert_true(!pause.is_autoneg && !pause.is_rx && pause.is_tx);
	put_header(&m, NULL);
	genl_u8(&m, ETHTOOL_A_PAUSE_RX, 0);
	genl_u8(&m, ETHTOOL_A_PAUSE_TX, 1);
	assert_int_equal(smc_pause_decode(&pause, &m.nlh), -EBADMSG);
	genl_start(&m, ETHTOOL_MSG_PAUSE_GET_REPLY);
	assert_int_equal(smc_pause_decode(&pause, &m.nlh), -EBADMSG);
}

TEST(test_number)
{
	assert_int_equal(SMC_ETHTOOL_PAUSE_GET, ETHTOOL_MSG_PAUSE_GET);
	assert_string_equal(SMC_ETHTOOL_FAMILY, ETHTOOL_GENL_NAME);
}
