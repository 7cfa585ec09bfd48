// SPDX-License-Identifier: MIT
/* Devices, capabilities, EIDs: attributes sent, missing, or malformed. */
#include "genl_message.h"

#include "smc/gen.h"
#include "smc/eid.h"

static struct message m;

static struct smc_device device;

static void decode(const char *attributes)
{
	genl_make(&m, 6, attributes);
	assert_int_equal(smc_device_decode(&device, &m.nlh), 0);
}

/* Soft-RoCE has no PCI function: nothing of the previous device may remain. */
TEST(rxe)
{
	const struct smc_port *port = device.ports;

	memset(&device, 0xff, sizeof(device));
	decode("6{2:1=1 10'rxe0' 8{1:1=1 2'ABCDEFGHIJKLMNOP' 3:4=2 5:1=1 4:1=1 6:4=3}}");
	assert_int_equal(device.has, SMC_DEVICE_HAS_CRIT | SMC_DEVICE_HAS_IB_NAME);
	assert_printed("rxe0 '' critical 1", "%s '%s' critical %d", device.ib_name, device.pci_id,
		       device.is_crit);
	assert_printed("there 1 0 user 1 active 1 ABCDEFGHIJKLMNOP ifindex 2 links 3 has 1f",
		       "there %d %d user %d active %d %s ifindex %u links %u has %x",
		       port->is_there, port[1].is_there, port->is_user, port->is_active,
		       port->pnetid, port->ifindex, port->links, port->has);
}

TEST(mlx5)
{
	decode("6{3:4=0x8a 4:2=0x170 5:2=0x15b3 6:2=0x1017 7'0000:03:00.0'"
	       " 8{1:1=1 2'A' 3:4=2 5:1=0 4:1=1 6:4=3} 9{1:1=1 2'B' 3:4=2 5:1=1 4:1=1 6:4=3}}");
	assert_printed("8a 170 15b3 1017 0000:03:00.0 there 0 1 B", "%x %x %x %x %s there %d %d %s",
		       device.fid, device.pchid, device.vendor, device.device, device.pci_id,
		       device.ports[0].is_there, device.ports[1].is_there, device.ports[1].pnetid);
}

TEST(device_noise)
{
	genl_make(&m, 5, "5{~}");
	assert_int_equal(smc_device_decode(&device, &m.nlh), 0);
	assert_int_equal(device.has, 0);
	assert_int_equal(device.ports[0].has, 0);
	genl_start(&m, 5);
	assert_int_equal(smc_device_decode(&device, &m.nlh), -EBADMSG);
}

/* Each attribute sets only its own bit; without payload it counts as missing. */
TEST(single_attributes)
{
	static const struct {
		uint16_t port, type;
		uint32_t has;
	} rows[] = {
		{ 0, 1, SMC_DEVICE_HAS_USE_COUNT },
		{ 0, 2, SMC_DEVICE_HAS_CRIT },
		{ 0, 3, SMC_DEVICE_HAS_FID },
		{ 0, 4, SMC_DEVICE_HAS_PCHID },
		{ 0, 5, SMC_DEVICE_HAS_VENDOR },
		{ 0, 6, SMC_DEVICE_HAS_DEVICE },
		{ 0, 7, SMC_DEVICE_HAS_PCI_ID },
		{ 0, 10, SMC_DEVICE_HAS_IB_NAME },
		{ 1, 1, SMC_PORT_HAS_USER },
		{ 1, 2, SMC_PORT_HAS_PNETID },
		{ 1, 3, SMC_PORT_HAS_IFINDEX },
		{ 1, 4, SMC_PORT_HAS_STATE },
		{ 1, 5, 0 },
		{ 1, 6, SMC_PORT_HAS_LINKS },
		{ 1, 7, 0 },
		{ 2, 1, SMC_PORT_HAS_USER },
		{ 2, 6, SMC_PORT_HAS_LINKS },
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		uint16_t port = rows[i / 2].port, type = rows[i / 2].type;
		uint32_t has = i % 2 ? rows[i / 2].has : 0;
		size_t nest, inner = 0;

		genl_start(&m, 6);
		nest = genl_nest(&m, 6);
		if (port)
			inner = genl_nest(&m, port + 7);
		message_attr(&m, type, "\1\0\0\0\0\0\0", i % 2 ? 8 : 0);
		if (port)
			genl_end(&m, inner);
		genl_end(&m, nest);
		assert_int_equal(smc_device_decode(&device, &m.nlh), 0);
		assert_int_equal(device.has, port ? 0 : has);
		assert_int_equal(device.ports[0].has, port == 1 ? has : 0);
		assert_int_equal(device.ports[1].has, port == 2 ? has : 0);
	}
}

TEST(sysinfo)
{
	struct smc_sysinfo info;

	/* 7 is larger than on any kernel: a write past an array. */
	genl_make(&m, 1,
		  "1{1:1=2 2:1=1 3:1=1 6:1=1 4'myhost                          ' 5''"
		  " 7:8=1 10:8=1}");
	assert_int_equal(smc_sysinfo_decode(&m.nlh, &info), 0);
	assert_printed("f 2.1 ism 1 smcr 1 myhost ''", "%x %d.%d ism %d smcr %d %s '%s'", info.has,
		       info.version, info.release, info.is_ism_v2, info.is_smcr_v2, info.host,
		       info.seid);
	genl_make(&m, 1, "1{~}");
	assert_int_equal(smc_sysinfo_decode(&m.nlh, &info), 0);
	assert_int_equal(info.has, 0);
	assert_int_equal(info.version, 0);
	genl_start(&m, 1);
	assert_int_equal(smc_sysinfo_decode(&m.nlh, &info), -EBADMSG);
}

TEST(eids)
{
	static const struct {
		const char *eid, *reason;
	} rows[] = {
		{ "A", NULL },
		{ "0", NULL },
		{ "MY-EID.1", NULL },
		{ "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345", NULL },
		{ "", "cannot be empty" },
		{ "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456", "longer than 32" },
		{ "my-eid", "try MY-EID" },
		{ "A B", "only the characters" },
		{ "A_B", "only the characters" },
		{ "\303\204", "only the characters" },
		{ ".A", "must begin with" },
		{ "-A", "must begin with" },
		{ "A..B", "two dots" },
	};
	char padded[SMC_EID_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smc_err err = { 0 };
		int ret = smc_eid_check(rows[i].eid, &err);

		assert_int_equal(ret, rows[i].reason ? -EINVAL : 0);
		if (rows[i].reason)
			assert_non_null(strstr(err.text, rows[i].reason));
	}
	smc_eid_pad(padded, "AB");
	assert_memory_equal(padded, "AB                              ", 33);
	smc_eid_pad(padded, "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345");
	assert_memory_equal(padded, "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345", 33);
}

TEST(ueid)
{
	char eid[SMC_EID_SIZE];

	genl_make(&m, 9, "1'MY-EID.1                        '");
	assert_int_equal(smc_ueid_decode(eid, &m.nlh), 0);
	assert_string_equal(eid, "MY-EID.1");
	genl_start(&m, 9);
	assert_int_equal(smc_ueid_decode(eid, &m.nlh), -EBADMSG);
	message_attr(&m, 1, "", 0);
	assert_int_equal(smc_ueid_decode(eid, &m.nlh), -EBADMSG);
}

TEST(seid_and_hs)
{
	struct smc_seid seid;
	bool is_enabled = false;

	genl_make(&m, 13, "1'IBM-SYSZ-ISMSEID000000002964    ' 2:1=1");
	assert_int_equal(smc_seid_decode(&m.nlh, &seid), 0);
	assert_true(seid.has_eid && seid.is_enabled);
	assert_string_equal(seid.eid, "IBM-SYSZ-ISMSEID000000002964");
	genl_make(&m, 13, "1'' 2:1=0");
	assert_int_equal(smc_seid_decode(&m.nlh, &seid), 0);
	assert_true(!seid.has_eid && !seid.is_enabled);
	genl_start(&m, 13);
	assert_int_equal(smc_seid_decode(&m.nlh, &seid), 0);
	assert_false(seid.has_eid);
	message_start(&m, 0x1c);
	assert_int_equal(smc_seid_decode(&m.nlh, &seid), -EBADMSG);
	genl_make(&m, 16, "1:1=1");
	assert_int_equal(smc_hs_decode(&m.nlh, &is_enabled), 0);
	assert_true(is_enabled);
	genl_start(&m, 16);
	assert_int_equal(smc_hs_decode(&m.nlh, &is_enabled), -EBADMSG);
}
