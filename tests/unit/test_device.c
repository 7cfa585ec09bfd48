// SPDX-License-Identifier: MIT
/* Devices, capabilities, EIDs: attributes sent, missing, or malformed. */
#include "genl_message.h"

#include "smc/gen.h"
#include "smc/eid.h"

static void put_port(struct message *m, uint16_t type, uint8_t is_valid, const char *pnetid)
{
	size_t nest = genl_nest(m, type);

	genl_u8(m, 1, 1);
	genl_str(m, 2, pnetid);
	genl_u32(m, 3, 2);
	genl_u8(m, 5, is_valid);
	genl_u8(m, 4, 1);
	genl_u32(m, 6, 3);
	genl_end(m, nest);
}

static struct message m;

static struct smc_device device;

/* Soft-RoCE has no PCI function: nothing of the previous device may remain. */
TEST(rxe)
{
	size_t nest;

	memset(&device, 0xff, sizeof(device));
	nest = genl_begin(&m, 6);
	genl_u8(&m, 2, 1);
	genl_str(&m, 10, "rxe0");
	put_port(&m, 8, 1, "ABCDEFGHIJKLMNOP");
	genl_end(&m, nest);
	assert_int_equal(smc_device_decode(&device, &m.nlh), 0);
	assert_int_equal(device.has, SMC_DEVICE_HAS_CRIT | SMC_DEVICE_HAS_IB_NAME);
	assert_true(device.is_crit);
	assert_string_equal(device.ib_name, "rxe0");
	assert_string_equal(device.pci_id, "");
	assert_true(device.ports[0].is_there && !device.ports[1].is_there);
	assert_true(device.ports[0].is_user && device.ports[0].is_active);
	assert_string_equal(device.ports[0].pnetid, "ABCDEFGHIJKLMNOP");
	assert_int_equal(device.ports[0].ifindex, 2);
	assert_int_equal(device.ports[0].links, 3);
}

TEST(mlx5)
{
	size_t nest;

	nest = genl_begin(&m, 6);
	genl_u32(&m, 3, 0x8a);
	genl_u16(&m, 4, 0x170);
	genl_u16(&m, 5, 0x15b3);
	genl_u16(&m, 6, 0x1017);
	genl_str(&m, 7, "0000:03:00.0");
	put_port(&m, 8, 0, "A");
	put_port(&m, 9, 1, "B");
	genl_end(&m, nest);
	assert_int_equal(smc_device_decode(&device, &m.nlh), 0);
	assert_int_equal(device.fid, 0x8a);
	assert_int_equal(device.pchid, 0x170);
	assert_int_equal(device.vendor, 0x15b3);
	assert_int_equal(device.device, 0x1017);
	assert_string_equal(device.pci_id, "0000:03:00.0");
	assert_true(!device.ports[0].is_there && device.ports[1].is_there);
	assert_string_equal(device.ports[1].pnetid, "B");
}

TEST(device_noise)
{
	size_t nest;

	nest = genl_begin(&m, 5);
	genl_noise(&m);
	genl_end(&m, nest);
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
		size_t nest = genl_begin(&m, 6), inner = 0;

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

/* Everything that a port sends is decoded. */
TEST(port_has)
{
	size_t nest;

	nest = genl_begin(&m, 6);
	put_port(&m, 9, 1, "A");
	genl_end(&m, nest);
	assert_int_equal(smc_device_decode(&device, &m.nlh), 0);
	assert_int_equal(device.ports[1].has, (1 << 5) - 1);
}

TEST(sysinfo)
{
	struct smc_sysinfo info;
	size_t nest;

	nest = genl_begin(&m, 1);
	genl_u8(&m, 1, 2);
	genl_u8(&m, 2, 1);
	genl_u8(&m, 3, 1);
	genl_u8(&m, 6, 1);
	genl_str(&m, 4, "myhost                          ");
	genl_str(&m, 5, "");
	genl_u64(&m, 7, 1); /* larger than on any kernel: a write past an array */
	genl_u64(&m, 10, 1);
	genl_end(&m, nest);
	assert_int_equal(smc_sysinfo_decode(&m.nlh, &info), 0);
	assert_int_equal(info.has, (1 << 6) - 1);
	assert_int_equal(info.version, 2);
	assert_int_equal(info.release, 1);
	assert_true(info.is_ism_v2 && info.is_smcr_v2);
	assert_string_equal(info.host, "myhost");
	assert_string_equal(info.seid, "");
	nest = genl_begin(&m, 1);
	genl_noise(&m);
	genl_end(&m, nest);
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

	genl_start(&m, 9);
	genl_str(&m, 1, "MY-EID.1                        ");
	assert_int_equal(smc_ueid_decode(eid, &m.nlh), 0);
	assert_string_equal(eid, "MY-EID.1");
	genl_start(&m, 9);
	assert_int_equal(smc_ueid_decode(eid, &m.nlh), -EBADMSG);
	genl_start(&m, 9);
	message_attr(&m, 1, "", 0);
	assert_int_equal(smc_ueid_decode(eid, &m.nlh), -EBADMSG);
}

TEST(seid_and_hs)
{
	struct smc_seid seid;
	bool is_enabled = false;

	genl_start(&m, 13);
	genl_str(&m, 1, "IBM-SYSZ-ISMSEID000000002964    ");
	genl_u8(&m, 2, 1);
	assert_int_equal(smc_seid_decode(&m.nlh, &seid), 0);
	assert_true(seid.has_eid && seid.is_enabled);
	assert_string_equal(seid.eid, "IBM-SYSZ-ISMSEID000000002964");
	genl_start(&m, 13);
	genl_str(&m, 1, "");
	genl_u8(&m, 2, 0);
	assert_int_equal(smc_seid_decode(&m.nlh, &seid), 0);
	assert_true(!seid.has_eid && !seid.is_enabled);
	genl_start(&m, 13);
	assert_int_equal(smc_seid_decode(&m.nlh, &seid), 0);
	assert_false(seid.has_eid);
	message_start(&m, 0x1c);
	assert_int_equal(smc_seid_decode(&m.nlh, &seid), -EBADMSG);
	genl_start(&m, 16);
	genl_u8(&m, 1, 1);
	assert_int_equal(smc_hs_decode(&m.nlh, &is_enabled), 0);
	assert_true(is_enabled);
	genl_start(&m, 16);
	assert_int_equal(smc_hs_decode(&m.nlh, &is_enabled), -EBADMSG);
}
