// SPDX-License-Identifier: MIT
/* lib/smc/sock: messages of sock_diag, captured and built, valid and malformed. */
#include "said.h"

#include "smc/attr.h"
#include "sockets/columns.h"

/* The captures are little-endian; on other machines the numbers differ. */
static bool is_little_endian(void)
{
	const uint16_t one = 1;
	uint8_t first;

	memcpy(&first, &one, 1);
	return first == 1;
}

static struct smc_abi_diag_msg base(uint8_t state, uint8_t mode)
{
	struct smc_abi_diag_msg msg = { .family = AF_SMC, .state = state, .mode = mode };

	msg.id.sport = htons(5001);
	msg.id.dport = htons(40000);
	set_words(msg.id.src, AF_INET, "10.8.0.1");
	set_words(msg.id.dst, AF_INET, "10.8.0.2");
	return msg;
}

static struct message m;

static void start(uint8_t mode)
{
	const struct smc_abi_diag_msg msg = base(SMC_ABI_ACTIVE, mode);

	message_sock(&m, &msg);
}

static struct smc_sock decoded(void)
{
	struct smc_sock sock = { 0 };

	assert_int_equal(smc_sock_decode(&sock, &m.nlh), 0);
	return sock;
}

static struct smc_sock decode(const struct smc_abi_diag_msg *msg)
{
	message_sock(&m, msg);
	return decoded();
}

TEST(fallback_capture)
{
	struct smc_sock sock;

	if (!is_little_endian())
		skip();
	message_capture(&m, CAPTURE_FALLBACK);
	message_attr(&m, SMC_DIAG_SHUTDOWN, "\3", 1);
	message_attr_hex(&m, SMC_DIAG_FALLBACK, CAPTURE_FALLBACK_REASON);
	sock = decoded();
	assert_int_equal(sock.has, SMC_SOCK_HAS_SHUTDOWN | SMC_SOCK_HAS_FALLBACK);
	assert_int_equal(sock.state, SMC_ABI_ACTIVE);
	assert_int_equal(sock.shutdown, 3);
	assert_int_equal(sock.local.port, 45598);
	assert_int_equal(sock.peer.port, 16700);
	assert_int_equal(sock.cookie, 2);
	assert_int_equal(sock.inode, 192);
	assert_int_equal(sock.fallback.reason, 0x05000000);
	assert_int_equal(sock.fallback.peer_diagnosis, 0x03030008);
	assert_int_equal(smc_sock_mode(&sock), SMC_MODE_TCP);
}

TEST(captures)
{
	static const struct {
		uint8_t mode;
		struct {
			uint16_t type;
			const char *hex;
		} attrs[2];
		const char *json;
	} rows[] = {
		{ SMC_DIAG_MODE_SMCR,
		  { { SMC_DIAG_CONNINFO, CAPTURE_SMCR_CONNINFO },
		    { SMC_DIAG_LGRINFO, CAPTURE_SMCR_LGRINFO } },
		  "{'state':'ACTIVE','uid':0,'inode':0,'local':{'address':'10.8.0.1',"
		  "'port':5001},'peer':{'address':'10.8.0.2','port':40000},'mode':'SMCR',"
		  "'token':1,'sndbuf':65536,'rcvbuf':65536,'peerbuf':65536,'rx_prod':{'wrap':0,"
		  "'count':100},'rx_cons':{'wrap':0,'count':0},'rx_flags':{'producer':0,"
		  "'state':0},'tx_prod':{'wrap':0,'count':100},'tx_cons':{'wrap':0,"
		  "'count':100},'tx_flags':{'producer':0,'state':0},'tx_prep':{'wrap':0,"
		  "'count':100},'tx_sent':{'wrap':0,'count':100},'tx_fin':{'wrap':0,"
		  "'count':100},'smcr':{'role':'server','ib_device':'rx1','ib_port':1,"
		  "'link_id':1,'gid':'0000:0000:0000:0000:0000:ffff:0a08:0001',"
		  "'peer_gid':'0000:0000:0000:0000:0000:ffff:0a08:0002'},'family':43,"
		  "'cookie':'0'}" },
		{ SMC_DIAG_MODE_SMCD,
		  { { SMC_DIAG_CONNINFO, CAPTURE_SMCD_CONNINFO },
		    { SMC_DIAG_DMBINFO, CAPTURE_SMCD_DMBINFO } },
		  "{'state':'ACTIVE','uid':0,'inode':0,'local':{'address':'10.8.0.1',"
		  "'port':5001},'peer':{'address':'10.8.0.2','port':40000},'mode':'SMCD',"
		  "'token':1,'sndbuf':65504,'rcvbuf':65504,'peerbuf':65504,'rx_prod':{'wrap':0,"
		  "'count':100},'rx_cons':{'wrap':0,'count':0},'rx_flags':{'producer':0,"
		  "'state':0},'tx_prod':{'wrap':0,'count':100},'tx_cons':{'wrap':0,"
		  "'count':100},'tx_flags':{'producer':0,'state':0},'tx_prep':{'wrap':0,"
		  "'count':100},'tx_sent':{'wrap':0,'count':100},'tx_fin':{'wrap':0,'count':0},"
		  "'smcd':{'gid':'77e1f15f6e524647','token':'82ab9dbe4e9e0563',"
		  "'peer_gid':'77e1f15f6e524647','peer_token':'6b81fdfe445583d4',"
		  "'linkgroup':'00000100','gid_ext':'afeeb2631779230c',"
		  "'peer_gid_ext':'afeeb2631779230c'},'family':43,'cookie':'0'}" },
	};

	if (!is_little_endian())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sockets_row row = { 0 };

		start(rows[i].mode);
		for (int j = 0; j < 2; j++)
			message_attr_hex(&m, rows[i].attrs[j].type, rows[i].attrs[j].hex);
		row.sock = decoded();
		assert_false(smc_sock_needs_lookup(&row.sock));
		assert_string_equal(json_said(out_json(sockets_columns, NULL, &row)), rows[i].json);
	}
}

/* Kernels up to 6.7 send 40 bytes; other lengths, which none sends, are read like that. */
TEST(dmbinfo_lengths)
{
	static const struct {
		size_t len;
		uint32_t has;
	} rows[] = {
		{ 0, 0 },
		{ 39, 0 },
		{ 40, SMC_SOCK_HAS_DMB },
		{ 48, SMC_SOCK_HAS_DMB },
		{ 55, SMC_SOCK_HAS_DMB },
		{ 56, SMC_SOCK_HAS_DMB | SMC_SOCK_HAS_GID_EXT },
		{ 80, SMC_SOCK_HAS_DMB | SMC_SOCK_HAS_GID_EXT },
	};
	struct smc_abi_dmbinfo dmb[2] = { { .linkid = 7, .peer_token = ~0ULL, .my_gid_ext = 9 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smc_sock sock = { .dmb.peer_token = 1 };

		start(SMC_DIAG_MODE_SMCD);
		message_attr(&m, SMC_DIAG_DMBINFO, dmb, rows[i].len);
		assert_int_equal(smc_sock_decode(&sock, &m.nlh), 0);
		assert_int_equal(sock.has, rows[i].has);
		assert_true(sock.dmb.peer_token == (rows[i].has ? ~0ULL : 1));
	}
}

/* Every attribute at its exact size, a byte less, and longer. */
TEST(attribute_lengths)
{
	static const struct {
		uint16_t type;
		size_t len;
		uint32_t has;
	} rows[] = {
		{ SMC_DIAG_CONNINFO, sizeof(struct smc_diag_conninfo), SMC_SOCK_HAS_CONN },
		{ SMC_DIAG_LGRINFO, sizeof(struct smc_abi_lgrinfo), SMC_SOCK_HAS_LGR },
		{ SMC_DIAG_SHUTDOWN, 1, SMC_SOCK_HAS_SHUTDOWN },
		{ SMC_DIAG_FALLBACK, sizeof(struct smc_diag_fallback), SMC_SOCK_HAS_FALLBACK },
	};
	uint8_t payload[300];

	memset(payload, 'x', sizeof(payload));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const size_t lens[] = { 0, rows[i].len - 1, rows[i].len, rows[i].len + 9 };

		for (size_t j = 0; j < ARRAY_SIZE(lens); j++) {
			start(SMC_DIAG_MODE_SMCR);
			message_attr(&m, rows[i].type, payload, lens[j]);
			assert_int_equal(decoded().has, lens[j] < rows[i].len ? 0 : rows[i].has);
		}
	}
}

/* An unterminated name must not run into the next attribute. */
TEST(unterminated_strings)
{
	struct smc_abi_lgrinfo lgr;
	struct smc_sock sock;

	memset(&lgr, 'A', sizeof(lgr));
	start(SMC_DIAG_MODE_SMCR);
	message_attr(&m, SMC_DIAG_LGRINFO, &lgr, sizeof(lgr));
	sock = decoded();
	assert_int_equal(strlen(sock.lgr.ibname), sizeof(sock.lgr.ibname) - 1);
	assert_int_equal(strlen(sock.lgr.gid), sizeof(sock.lgr.gid) - 1);
	assert_int_equal(strlen(sock.lgr.peer_gid), sizeof(sock.lgr.peer_gid) - 1);
}

TEST(unknown_attributes)
{
	static const uint16_t types[] = { 0, 6, 7, 200, 0x3fff };
	struct smc_sock sock;

	start(SMC_DIAG_MODE_FALLBACK_TCP);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		message_attr(&m, types[i], "unknown", 7);
	message_attr(&m, SMC_DIAG_SHUTDOWN, "\2", 1);
	sock = decoded();
	assert_int_equal(sock.has, SMC_SOCK_HAS_SHUTDOWN);
	assert_int_equal(sock.shutdown, 2);
}

/* The two high bits of a type are flags, not part of the number. */
TEST(type_flags)
{
	const struct smc_diag_fallback fallback = { .reason = 0x03010000 };
	struct smc_sock sock;

	start(SMC_DIAG_MODE_FALLBACK_TCP);
	message_attr(&m, NLA_F_NESTED | SMC_DIAG_SHUTDOWN, "\1", 1);
	message_attr(&m, SMC_ORDER_ATTR | SMC_DIAG_FALLBACK, &fallback, sizeof(fallback));
	sock = decoded();
	assert_int_equal(sock.has, SMC_SOCK_HAS_SHUTDOWN | SMC_SOCK_HAS_FALLBACK);
	assert_int_equal(sock.fallback.reason, 0x00000103); /* byte order of smc/attr.h */
}

/* An attribute with a wrong length ends the decoding, earlier ones stay. */
TEST(lying_attributes)
{
	static const uint16_t lens[] = { 0, 1, 3, 13, 60000, 0xffff };

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		const struct smc_diag_fallback fallback = { .reason = 1 };
		size_t at;

		start(SMC_DIAG_MODE_FALLBACK_TCP);
		message_attr(&m, SMC_DIAG_SHUTDOWN, "\1", 1);
		at = NLMSG_ALIGN(m.nlh.nlmsg_len);
		message_attr(&m, SMC_DIAG_FALLBACK, &fallback, sizeof(fallback));
		memcpy(m.bytes + at, &lens[i], sizeof(lens[i]));
		assert_int_equal(decoded().has, SMC_SOCK_HAS_SHUTDOWN);
	}
}

TEST(truncated_base)
{
	struct smc_abi_diag_msg msg = base(SMC_ABI_ACTIVE, SMC_DIAG_MODE_FALLBACK_TCP);
	struct smc_sock sock;

	for (size_t len = 0; len < sizeof(msg); len++) {
		message_start(&m, SOCK_DIAG_BY_FAMILY);
		message_put(&m, &msg, len);
		assert_int_equal(smc_sock_decode(&sock, &m.nlh), -EBADMSG);
	}
}

/* Nothing of the previous socket remains when one struct is reused. */
TEST(reuse)
{
	struct smc_sock sock;

	memset(&sock, 0xff, sizeof(sock));
	start(SMC_DIAG_MODE_SMCR);
	assert_int_equal(smc_sock_decode(&sock, &m.nlh), 0);
	assert_int_equal(sock.has, 0);
	assert_int_equal(sock.shutdown, 0);
	assert_int_equal(sock.local.family, AF_INET);
	assert_int_equal(sock.local.ip[4] | sock.local.ip[15] | sock.peer.ip[15], 0);
}

TEST(big_numbers)
{
	const uint64_t inode = 0x123456789abcdefULL;
	struct smc_abi_diag_msg msg = base(SMC_ABI_ACTIVE, SMC_DIAG_MODE_SMCR);
	struct smc_sock sock;

	msg.uid = 4294967294;
	memcpy(msg.inode, &inode, sizeof(inode));
	msg.id.cookie[0] = 0xfffffffe;
	msg.id.cookie[1] = 0x80000001;
	msg.id.ifindex = 0xffffffff;
	msg.id.sport = msg.id.dport = 0xffff;
	sock = decode(&msg);
	assert_true(sock.uid == 4294967294);
	assert_true(sock.inode == inode);
	assert_true(sock.cookie == 0x80000001fffffffeULL);
	assert_true(sock.ifindex == 0xffffffff);
	assert_int_equal(sock.local.port, 65535);
	assert_int_equal(sock.peer.port, 65535);
}

TEST(modes)
{
	static const struct {
		uint8_t state, mode;
		uint16_t dport;
		enum smc_mode want;
		bool is_connected;
	} rows[] = {
		/* Mode 0 is SMC-R, but also the value of unconnected sockets. */
		{ SMC_ABI_INIT, 0, 0, SMC_MODE_NONE, false },
		{ SMC_ABI_INIT, 0, 80, SMC_MODE_NONE, false },
		{ SMC_ABI_LISTEN, 0, 0, SMC_MODE_NONE, false },
		{ SMC_ABI_CLOSED, 0, 80, SMC_MODE_NONE, true },
		{ SMC_ABI_CLOSED, 1, 80, SMC_MODE_NONE, true },
		{ SMC_ABI_CLOSED, 2, 80, SMC_MODE_NONE, true },
		/* Fallback before connect(): stays INIT, connected once there is a peer. */
		{ SMC_ABI_INIT, 1, 80, SMC_MODE_TCP, true },
		{ SMC_ABI_INIT, 1, 0, SMC_MODE_TCP, false },
		{ SMC_ABI_INIT, 2, 80, SMC_MODE_NONE, false },
		{ SMC_ABI_LISTEN, 2, 0, SMC_MODE_NONE, false },
		{ SMC_ABI_ACTIVE, 0, 80, SMC_MODE_SMCR, true },
		{ SMC_ABI_ACTIVE, 1, 80, SMC_MODE_TCP, true },
		{ SMC_ABI_ACTIVE, 2, 80, SMC_MODE_SMCD, true },
		{ SMC_ABI_PEERCLOSEWAIT1, 0, 80, SMC_MODE_SMCR, true },
		{ SMC_ABI_APPFINCLOSEWAIT, 2, 80, SMC_MODE_SMCD, true },
		{ SMC_ABI_PROCESSABORT, 1, 0, SMC_MODE_TCP, true },
		/* A mode or a state of a later kernel. */
		{ SMC_ABI_ACTIVE, 3, 80, SMC_MODE_NONE, true },
		{ SMC_ABI_ACTIVE, 255, 80, SMC_MODE_NONE, true },
		{ 99, 2, 80, SMC_MODE_SMCD, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smc_abi_diag_msg msg = base(rows[i].state, rows[i].mode);
		struct smc_sock sock;

		msg.id.dport = htons(rows[i].dport);
		sock = decode(&msg);
		if (smc_sock_mode(&sock) != rows[i].want ||
		    smc_sock_connected(&sock) != rows[i].is_connected)
			fail_msg("row %zu: state %u, mode %u", i, rows[i].state, rows[i].mode);
	}
	assert_string_equal(smc_mode_name(SMC_MODE_NONE), "-");
	assert_string_equal(smc_mode_name(SMC_MODE_SMCR), "SMCR");
	assert_string_equal(smc_mode_name(SMC_MODE_SMCD), "SMCD");
	assert_string_equal(smc_mode_name(SMC_MODE_TCP), "TCP");
}

/* Addresses that the message determines, and ambiguous ones. */
static const struct {
	uint8_t family;
	uint16_t sport, dport;
	int ip_family;
	const char *src, *dst;
	int want;
	bool needs_lookup;
} addresses[] = {
	{ 43, 80, 9, AF_INET, "10.0.0.1", "10.0.0.2", AF_INET, false },
	{ 43, 80, 0, AF_INET, "127.0.0.1", "0.0.0.0", AF_INET, false },
	{ 43, 80, 9, AF_INET6, "::1", "::1", AF_INET6, false },
	{ 43, 80, 9, AF_INET6, "fe80::1", "fe80::2", AF_INET6, false },
	{ 43, 80, 9, AF_INET6, "2001:db8::1", "2001:db8::", AF_INET6, false },
	{ 43, 80, 9, AF_INET6, "::ffff:10.0.0.1", "::ffff:10.0.0.2", AF_INET6, false },
	/* Words 1 to 3 zero: 32.1.13.184, or 2001:db8::? */
	{ 43, 80, 9, AF_INET6, "2001:db8::", "2001:db9::", AF_UNSPEC, true },
	{ 43, 80, 0, AF_INET6, "2001:db8::", "::", AF_UNSPEC, true },
	{ 43, 80, 9, AF_INET6, "fd00:1234::", "fd00:1235::", AF_UNSPEC, true },
	{ 43, 80, 9, AF_INET, "10.0.0.1", "32.1.13.184", AF_UNSPEC, true },
	/* Word 1 alone makes it IPv6; only these first bytes could begin both kinds. */
	{ 43, 80, 9, AF_INET6, "2001:db8:0:1::", "2001:db9::", AF_INET6, false },
	{ 43, 80, 9, AF_INET6, "2001:db8::", "2001:db9:0:1::", AF_INET6, false },
	{ 43, 80, 9, AF_INET6, "2001:db8::1:0:0", "2001:db9::", AF_INET6, false },
	{ 43, 80, 9, AF_INET6, "2001:db8::", "2001:db9::1", AF_INET6, false },
	{ 43, 80, 9, AF_INET, "31.255.255.255", "10.0.0.2", AF_INET, false },
	{ 43, 80, 9, AF_INET, "32.0.0.0", "10.0.0.2", AF_UNSPEC, true },
	{ 43, 80, 9, AF_INET, "63.255.255.255", "10.0.0.2", AF_UNSPEC, true },
	{ 43, 80, 9, AF_INET, "64.0.0.0", "10.0.0.2", AF_INET, false },
	{ 43, 80, 9, AF_INET, "239.255.255.255", "10.0.0.2", AF_INET, false },
	{ 43, 80, 9, AF_INET, "240.0.0.0", "10.0.0.2", AF_UNSPEC, true },
	{ 43, 80, 9, AF_INET, "10.0.0.1", "255.255.255.255", AF_UNSPEC, true },
	/* IPPROTO_SMC: ports and no addresses, under each of the three families. */
	{ 2, 80, 9, AF_INET, "0.0.0.0", "0.0.0.0", AF_UNSPEC, true },
	{ 10, 80, 9, AF_INET6, "::", "::", AF_UNSPEC, true },
	{ 43, 80, 9, AF_INET6, "::", "::", AF_UNSPEC, true },
	{ 43, 80, 0, AF_INET6, "::", "::", AF_UNSPEC, true },
	/* The TCP socket was reset: port 0, addresses stay. */
	{ 43, 0, 9, AF_INET, "10.0.0.1", "10.0.0.2", AF_INET, false },
	{ 43, 0, 9, AF_INET, "0.0.0.0", "0.0.0.0", AF_UNSPEC, true },
	/* The TCP socket is gone, or never existed: no look-up. */
	{ 43, 0, 0, AF_INET, "0.0.0.0", "0.0.0.0", AF_UNSPEC, false },
	{ 2, 0, 0, AF_INET, "0.0.0.0", "0.0.0.0", AF_UNSPEC, false },
};

TEST(address)
{
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct smc_abi_diag_msg msg = base(SMC_ABI_ACTIVE, SMC_DIAG_MODE_FALLBACK_TCP);
		struct smc_sock sock;

		msg.family = addresses[i].family;
		msg.id.sport = htons(addresses[i].sport);
		msg.id.dport = htons(addresses[i].dport);
		set_words(msg.id.src, addresses[i].ip_family, addresses[i].src);
		set_words(msg.id.dst, addresses[i].ip_family, addresses[i].dst);
		sock = decode(&msg);
		if (sock.local.family != addresses[i].want ||
		    sock.peer.family != addresses[i].want ||
		    smc_sock_needs_lookup(&sock) != addresses[i].needs_lookup)
			fail_msg("row %zu: %s, %s", i, addresses[i].src, addresses[i].dst);
		assert_memory_equal(sock.local.ip, msg.id.src, 16);
		assert_memory_equal(sock.peer.ip, msg.id.dst, 16);
		assert_int_equal(sock.local.port, addresses[i].sport);
		assert_int_equal(sock.peer.port, addresses[i].dport);
		assert_int_equal(sock.family, addresses[i].family);
	}
}

TEST(state_names)
{
	static const struct {
		int value;
		const char *name;
	} names[] = {
		{ 1, "ACTIVE" },
		{ 2, "INIT" },
		{ 7, "CLOSED" },
		{ 10, "LISTEN" },
		{ 20, "PEERCLOSEWAIT1" },
		{ 21, "PEERCLOSEWAIT2" },
		{ 22, "APPCLOSEWAIT1" },
		{ 23, "APPCLOSEWAIT2" },
		{ 24, "APPFINCLOSEWAIT1" },
		{ 25, "PEERFINCLOSEWAIT" },
		{ 26, "PEERABORTWAIT" },
		{ 27, "PROCESSABORT" },
	};
	size_t n_known = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_non_null(smc_state_name((uint8_t)names[i].value));
		assert_string_equal(smc_state_name((uint8_t)names[i].value), names[i].name);
		assert_int_equal(smc_state_parse(names[i].name), names[i].value);
	}
	for (int value = 0; value < 256; value++)
		n_known += smc_state_name((uint8_t)value) != NULL;
	assert_int_equal(n_known, ARRAY_SIZE(names));
}

TEST(state_words)
{
	static const struct {
		const char *word;
		int want;
	} rows[] = {
		{ "active", 1 },	   { "LISTENING", 10 },
		{ "Listen", 10 },	   { "peerclw1", 20 },
		{ "PEERCLW2", 21 },	   { "APPLCLW1", 22 },
		{ "APPLCLW2", 23 },	   { "APPLFINCLW", 24 },
		{ "APPFINCLOSEWAIT", 24 }, { "appfinclosewait1", 24 },
		{ "PEERFINCLW", 25 },	   { "PEERABORTW", 26 },
		{ "processabort", 27 },	   { "", -EINVAL },
		{ "ACTIV", -EINVAL },	   { "ACTIVE ", -EINVAL },
		{ "1", -EINVAL },	   { "ESTAB", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (smc_state_parse(rows[i].word) != rows[i].want)
			fail_msg("'%s'", rows[i].word);
}

TEST(request)
{
	struct smc_abi_diag_req req =
		smc_sock_request(SMC_DIAG_EXT(SMC_DIAG_DMBINFO) | SMC_DIAG_EXT(SMC_DIAG_CONNINFO));
	uint8_t want[52] = { 43, 0, 0, 0x09 };

	assert_int_equal(sizeof(req), sizeof(want));
	assert_memory_equal(&req, want, sizeof(want));
}
