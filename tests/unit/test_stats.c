// SPDX-License-Identifier: MIT
/* Statistics: decoding, differences, baselines, numbers for humans. */
#include "genl_message.h"

#include "smcdr/cmd.h"
#include "smc/stats.h"

static struct message m;

static void put_u64(uint16_t type, uint64_t value)
{
	message_attr(&m, type, &value, sizeof(value));
}

static void put_tech(uint16_t type)
{
	size_t tech = genl_nest(&m, type), nest;

	for (uint16_t which = 1; which <= 6; which++) {
		nest = genl_nest(&m, which);
		message_attr(&m, 0, "", 0); /* padding of these nests has type 0 */
		for (uint16_t i = 1; i <= (which <= 4 ? 9 : 7); i++)
			put_u64(i, 100U * which + i);
		put_u64(30, 1);
		genl_end(&m, nest);
	}
	for (uint16_t i = 7; i <= 19; i++)
		put_u64(i, 1000U + i);
	genl_put(&m, "20:4=65536 21:8=0x100000000 22:8=1");
	genl_end(&m, tech);
}

#define at(name) (int)tech->value[SMC_STAT_##name]

TEST(decode)
{
	static struct smc_stats stats;
	const struct smc_tech_stats *tech = &stats.tech[SMC_TECH_R];
	size_t nest;

	genl_start(&m, 7);
	nest = genl_nest(&m, 7);
	put_tech(2);
	genl_put(&m, "3:8=5 4:8=6");
	genl_end(&m, nest);
	assert_int_equal(smc_stats_decode(&m.nlh, &stats), 0);
	for (int i = 0; i < SMC_STAT_COUNT; i++)
		assert_true(tech->has[i]);
	assert_printed("101 209 304 401 507 605 1007 1011 1012 1015 1019 65536 4294967296",
		       "%d %d %d %d %d %d %d %d %d %d %d %d %llu", at(TX_BUF), at(RX_BUF + 8),
		       at(TX_REQ + 3), at(RX_REQ), at(TX_EVENT + SMC_EVENT_DOWNGRADE),
		       at(RX_EVENT + SMC_EVENT_REUSE), at(CLNT_V1), at(SENDPAGE), at(SPLICE),
		       at(URG_DATA), at(TX_CNT), at(RX_USAGE),
		       (unsigned long long)tech->value[SMC_STAT_TX_USAGE]);
	assert_false(stats.tech[SMC_TECH_D].has[0]);
	assert_int_equal(stats.side[SMC_SIDE_CLIENT].handshake_errors, 5);
	assert_int_equal(stats.side[SMC_SIDE_SERVER].handshake_errors, 6);
	genl_start(&m, 7);
	assert_int_equal(smc_stats_decode(&m.nlh, &stats), -EBADMSG);
}

/* In another order than the kernel's: attributes must not mix. */
TEST(decode_order)
{
	static struct smc_stats stats;

	genl_make(&m, 7, "7{4:8=6 3:8=5 2{16:8=7} 1{16:8=8}}");
	assert_int_equal(smc_stats_decode(&m.nlh, &stats), 0);
	assert_int_equal(stats.side[SMC_SIDE_CLIENT].handshake_errors, 5);
	assert_int_equal(stats.side[SMC_SIDE_SERVER].handshake_errors, 6);
	assert_int_equal(stats.tech[SMC_TECH_R].value[SMC_STAT_RX_BYTES], 7);
	assert_int_equal(stats.tech[SMC_TECH_D].value[SMC_STAT_RX_BYTES], 8);
}

static struct smc_stats fallbacks;

static void put_fback(const char *attributes)
{
	genl_make(&m, 8, attributes);
	assert_int_equal(smc_fback_decode(&m.nlh, &fallbacks), 0);
}

TEST(fallback_reasons)
{
	const struct smc_side_stats *client = &fallbacks.side[SMC_SIDE_CLIENT];
	const struct smc_side_stats *server = &fallbacks.side[SMC_SIDE_SERVER];

	/* Only the client's total: the server's is not needed. */
	put_fback("8{1:1=0 3:8=70000 4:4=0x05000000 5:2=2}");
	put_fback("8{1:1=1 4:4=0x03010000 5:2=65535}");
	put_fback("8{1:1=0 4:4=0x12345678 5:2=1}");
	assert_printed("2 reasons 12345678, 1 reasons 65535", "%zu reasons %x, %zu reasons %u",
		       client->n_reasons, client->reasons[1].code, server->n_reasons,
		       server->reasons[0].count);
	assert_int_equal(client->fallbacks, 70000);
	for (int i = 0; i < 100; i++)
		put_fback("8{1:1=0 4:4=7 5:2=1}");
	assert_int_equal(client->n_reasons, SMC_STAT_REASONS);
	put_fback("8{1:1=1 4:4=1}");
	put_fback("8{1:1=1 5:2=1}");
	assert_int_equal(server->n_reasons, 1);
	genl_start(&m, 8);
	assert_int_equal(smc_fback_decode(&m.nlh, &fallbacks), -EBADMSG);
}

/* Totals of both sides, and a type that is longer than necessary. */
TEST(fallback_totals)
{
	static struct smc_stats stats;

	genl_make(&m, 8, "8{2:8=80000 3:8=70000 1:8=0x0100000000000001 4:4=0x03010000 5:2=2}");
	assert_int_equal(smc_fback_decode(&m.nlh, &stats), 0);
	assert_int_equal(stats.side[SMC_SIDE_SERVER].fallbacks, 80000);
	assert_int_equal(stats.side[SMC_SIDE_CLIENT].fallbacks, 70000);
	assert_int_equal(stats.side[SMC_SIDE_SERVER].n_reasons, 1);
	assert_int_equal(stats.side[SMC_SIDE_CLIENT].n_reasons, 0);
}

TEST(since)
{
	static struct smc_stats base, stats;

	base.tech[0].value[SMC_STAT_RX_BYTES] = 100;
	base.tech[0].value[SMC_STAT_RX_USAGE] = 5000;
	base.side[0].fallbacks = 65540;
	base.side[0].n_reasons = 2;
	base.side[0].reasons[0] = (struct smc_reason_count){ 7, 65530 };
	base.side[0].reasons[1] = (struct smc_reason_count){ 8, 10 };
	stats = base;
	stats.tech[0].value[SMC_STAT_RX_BYTES] = 150;
	stats.tech[0].value[SMC_STAT_RX_USAGE] = 10; /* a gauge may fall */
	stats.side[0].fallbacks = 65550;
	stats.side[0].reasons[0].count = 4; /* wrapped */
	assert_int_equal(smc_stats_since(&stats, &base), 0);
	assert_int_equal(stats.tech[0].value[SMC_STAT_RX_BYTES], 50);
	assert_int_equal(stats.tech[0].value[SMC_STAT_RX_USAGE], 10);
	assert_int_equal(stats.side[0].fallbacks, 10);
	assert_int_equal(stats.side[0].n_reasons, 1);
	assert_int_equal(stats.side[0].reasons[0].count, 10);
	assert_int_equal(smc_stats_since(&stats, &base), -ERANGE);
	assert_int_equal(stats.tech[0].value[SMC_STAT_RX_BYTES], 50);
}

/* Each counter alone shows that the counters restarted. */
TEST(since_below)
{
	static struct smc_stats base, stats;
	uint64_t *const numbers[] = {
		&base.tech[SMC_TECH_D].value[0],
		&base.tech[SMC_TECH_D].value[SMC_STAT_TX_CNT],
		&base.tech[SMC_TECH_R].value[0],
		&base.tech[SMC_TECH_R].value[SMC_STAT_TX_CNT],
		&base.side[SMC_SIDE_CLIENT].handshake_errors,
		&base.side[SMC_SIDE_CLIENT].fallbacks,
		&base.side[SMC_SIDE_SERVER].handshake_errors,
		&base.side[SMC_SIDE_SERVER].fallbacks,
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		*numbers[i] = 1;
		assert_int_equal(smc_stats_since(&stats, &base), -ERANGE);
		*numbers[i] = 0;
	}
	base.tech[SMC_TECH_R].value[SMC_STAT_TX_USAGE] = 1;
	assert_int_equal(smc_stats_since(&stats, &base), 0);
}

/* Both technologies and both sides, and nothing after them in memory. */
TEST(since_all)
{
	static struct smc_stats base, stats;

	for (int t = 0; t < SMC_TECHS; t++)
		for (int i = 0; i < SMC_STAT_COUNT; i++) {
			base.tech[t].value[i] = 100;
			base.tech[t].has[i] = true;
		}
	for (int s = 0; s < SMC_SIDES; s++) {
		base.side[s].handshake_errors = 3;
		base.side[s].fallbacks = 4;
		base.side[s].n_reasons = 1;
		base.side[s].reasons[0] = (struct smc_reason_count){ 7, 2 };
		base.side[s].reasons[1] = (struct smc_reason_count){ 8, 1 }; /* not counted */
	}
	stats = base;
	for (int s = 0; s < SMC_SIDES; s++) {
		stats.side[s].handshake_errors = 5;
		stats.side[s].n_reasons = 2;
		stats.side[s].reasons[1].count = 9;
	}
	assert_int_equal(smc_stats_since(&stats, &base), 0);
	for (size_t t = 0; t < SMC_TECHS; t++)
		for (size_t i = 0; i < SMC_STAT_COUNT; i++) {
			assert_int_equal(stats.tech[t].value[i], smc_stat_is_gauge(i) ? 100 : 0);
			assert_true(stats.tech[t].has[i]);
		}
	for (int s = 0; s < SMC_SIDES; s++) {
		assert_int_equal(stats.side[s].handshake_errors, 2);
		assert_int_equal(stats.side[s].fallbacks, 0);
		assert_int_equal(stats.side[s].n_reasons, 1);
		assert_int_equal(stats.side[s].reasons[0].code, 8);
		assert_int_equal(stats.side[s].reasons[0].count, 9);
	}
}

TEST(baseline_file)
{
	static struct smc_stats stats, back;
	static struct baseline file, wrong;

	stats.tech[1].value[SMC_STAT_TX_USAGE] = UINT64_MAX;
	stats.tech[0].value[0] = 1;
	stats.side[1].handshake_errors = 3;
	stats.side[1].n_reasons = 1;
	stats.side[1].reasons[0] = (struct smc_reason_count){ 0xffffffff, 65535 };
	baseline_fill(&file, &stats, "boot-1");
	assert_int_equal(baseline_read(&back, &file, sizeof(file), "boot-1"), 0);
	assert_memory_equal(&back, &stats, sizeof(back));
	assert_int_equal(baseline_read(&back, &file, sizeof(file), "boot-2"), -ENOENT);
	assert_int_equal(baseline_read(&back, &file, sizeof(file), "boot-"), -ENOENT);
	/* Refused with anything cut off or added. */
	for (size_t len = 0; len < sizeof(file); len++)
		assert_int_equal(baseline_read(&back, &file, len, "boot-1"), -EBADMSG);
	assert_int_equal(baseline_read(&back, &file, sizeof(file) + 1, "boot-1"), -EBADMSG);
	for (size_t i = 0; i < sizeof(file.head); i++) {
		wrong = file;
		wrong.head[i]++;
		assert_int_equal(baseline_read(&back, &wrong, sizeof(wrong), "boot-1"), -EBADMSG);
	}
	wrong = file;
	wrong.stats.side[0].n_reasons = SMC_STAT_REASONS + 1;
	assert_int_equal(baseline_read(&back, &wrong, sizeof(wrong), "boot-1"), -EBADMSG);
}

TEST(si)
{
	static const struct {
		uint64_t value;
		const char *want;
	} rows[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1.000K" },
		{ 1234, "1.234K" },
		{ 9999, "9.999K" },
		{ 65540, "65.54K" },
		{ 100000, "100.0K" },
		{ 123456789, "123.5M" },
		{ 999949, "999.9K" },
		{ 999950, "1.000M" },
		{ 999999, "1.000M" },
		{ 1700000, "1.700M" },
		{ 123456789012345, "123.5T" },
		{ 1000000000000000000, "1.000E" },
		{ UINT64_MAX, "18.45E" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char buf[16];

		assert_string_equal(stats_si(rows[i].value, buf), rows[i].want);
	}
}

TEST(unknown_reasons)
{
	char buf[16];

	assert_string_equal(stats_reason_name(0x03010000, buf), "PEER_NO_SMC");
	assert_string_equal(stats_reason_name(0x00001234, buf), "0x00001234");
}

TEST(compat_keys)
{
	assert_string_equal(smc_stat_key(0), "SMC_INT_TX_BUF_8K");
	assert_string_equal(smc_stat_key(8), "SMC_INT_TX_BUF_G_1024K");
	assert_string_equal(smc_stat_key(18), "SMC_USR_TX_BUF_8K");
	assert_string_equal(smc_stat_key(36), "SMC_INT_TX_BUF_SIZE_SM_PEER_CNT");
	assert_string_equal(smc_stat_key(50), "SMC_CLNT_V1_SUCC_CNT");
	assert_string_equal(smc_stat_key(55), "SMC_URG_DATA_CNT");
	assert_string_equal(smc_stat_key(64), "SMC_TX_RMB_USAGE");
	assert_string_equal(smc_stat_key(44), "SMC_INT_RX_BUF_SIZE_SM_CNT");
	assert_string_equal(smc_stat_key(59), "SMC_RX_BYTES");
	assert_int_equal(SMC_STAT_COUNT, 65);
	for (size_t i = 0; i < SMC_STAT_COUNT; i++) {
		assert_int_equal(strncmp(smc_stat_key(i), "SMC_", 4), 0);
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(smc_stat_key(i), smc_stat_key(other));
	}
}

/* TX and RX, client and server: positions and names of counters agree. */
TEST(keys_and_places)
{
	static const struct {
		int at;
		const char *part;
	} rows[] = {
		{ SMC_STAT_TX_BUF, "INT_TX_BUF_" },
		{ SMC_STAT_RX_BUF, "INT_RX_BUF_" },
		{ SMC_STAT_TX_REQ, "USR_TX_BUF_" },
		{ SMC_STAT_RX_REQ, "USR_RX_BUF_" },
		{ SMC_STAT_TX_EVENT, "INT_TX_BUF_" },
		{ SMC_STAT_RX_EVENT, "INT_RX_BUF_" },
		{ SMC_STAT_CLNT_V1, "CLNT_V1_SUCC_CNT" },
		{ SMC_STAT_CLNT_V2, "CLNT_V2_SUCC_CNT" },
		{ SMC_STAT_SRV_V1, "SRV_V1_SUCC_CNT" },
		{ SMC_STAT_SRV_V2, "SRV_V2_SUCC_CNT" },
		{ SMC_STAT_SENDPAGE, "SENDPAGE_CNT" },
		{ SMC_STAT_URG_DATA, "URG_DATA_CNT" },
		{ SMC_STAT_SPLICE, "SPLICE_CNT" },
		{ SMC_STAT_CORK, "CORK_CNT" },
		{ SMC_STAT_NDLY, "NDLY_CNT" },
		{ SMC_STAT_RX_BYTES, "RX_BYTES" },
		{ SMC_STAT_TX_BYTES, "TX_BYTES" },
		{ SMC_STAT_RX_CNT, "RX_CNT" },
		{ SMC_STAT_TX_CNT, "TX_CNT" },
		{ SMC_STAT_RX_USAGE, "RX_RMB_USAGE" },
		{ SMC_STAT_TX_USAGE, "TX_RMB_USAGE" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int end = i + 1 < ARRAY_SIZE(rows) ? rows[i + 1].at : SMC_STAT_COUNT;

		for (int at = rows[i].at; at < end; at++)
			assert_int_equal(strncmp(smc_stat_key((size_t)at) + 4, rows[i].part,
						 strlen(rows[i].part)),
					 0);
	}
}
