// SPDX-License-Identifier: MIT
/*
 * The columns of smcss and smc_top: one set of sockets as text and as JSON. The output is parsed
 * and compared with the structs by value.
 */
#include "said.h"

#include <jansson.h>
#include <pwd.h>

#include "smc/reason.h"
#include "smc_top/top.h"
#include "smcss/smcss.h"
#include "sockets/show.h"

/* Independent of the users of this machine. */
struct passwd *getpwuid(uid_t uid)
{
	static char name[] = "red\x1b[31m";
	static struct passwd user = { .pw_name = name };

	return uid == 1000 ? &user : NULL;
}

static const struct proc_fd holders[] = {
	{ .inode = 77, .pid = 100, .fd = 5, .comm = "redis-server" },
	{ .inode = 77, .pid = 101, .fd = 3, .comm = "x\x1b]0;evil\a\"" },
	{ .inode = 77, .pid = 102, .fd = 4, .comm = "m\xc3\xbc\xff" },
};

static const struct sockets_row smcr = {
	.sock = {
		.has = SMC_SOCK_HAS_CONN | SMC_SOCK_HAS_LGR | SMC_SOCK_HAS_SHUTDOWN |
		       SMC_SOCK_HAS_FALLBACK,
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_SMCR,
		.shutdown = 2,
		.local = { .family = AF_INET, .ip = { 10, 8, 0, 1 }, .port = 6379 },
		.peer = { .family = AF_INET, .ip = { 255, 255, 255, 254 }, .port = 65535 },
		.ifindex = 11,
		.uid = 1000,
		.inode = 77,
		.cookie = 0xfedcba9876543210,
		.conn = {
			.token = 0xdeadbeef,
			.sndbuf_size = 65536,
			.rmbe_size = 0xffffffff,
			.peer_rmbe_size = 65504,
			.rx_prod = { .wrap = 1, .count = 100 },
			.rx_cons = { .wrap = 65535, .count = 4294967295 },
			.tx_prod = { .wrap = 3, .count = 300 },
			.tx_cons = { .wrap = 4, .count = 400 },
			.rx_prod_flags = 0x80,
			.rx_conn_state_flags = 0x40,
			.tx_prod_flags = 0x20,
			.tx_conn_state_flags = 0x10,
			.tx_prep = { .wrap = 5, .count = 500 },
			.tx_sent = { .wrap = 6, .count = 600 },
			.tx_fin = { .wrap = 7, .count = 700 },
		},
		.lgr = {
			.link_id = 0xfe,
			.ibname = "mlx5_\x1b[2J",
			.ibport = 2,
			.gid = "fe80:0000:0000:0000:0000:0000:0000:0001",
			.peer_gid = "fe80:0000:0000:0000:0000:0000:0000:0002",
			.role = 1,
		},
	},
	.holders = holders,
	.n_holders = 3,
};

static const struct sockets_row smcd = {
	.sock = {
		.has = SMC_SOCK_HAS_DMB | SMC_SOCK_HAS_GID_EXT | SMC_SOCK_HAS_SHUTDOWN,
		.family = AF_INET6,
		.state = SMC_ABI_PEERCLOSEWAIT1,
		.mode = SMC_DIAG_MODE_SMCD,
		.shutdown = 1,
		.local = { .family = AF_INET6, .ip = { 0x20, 1, 0xd, 0xb8, [15] = 1 }, .port = 80 },
		.peer = { .family = AF_INET6, .ip = { [10] = 0xff, 0xff, 10, 0, 0, 9 }, .port = 9 },
		.uid = 4294967294,
		.inode = 0x123456789a,
		.dmb = {
			.linkid = 0x100,
			.peer_gid = 0x77e1f15f6e524647,
			.my_gid = 1,
			.token = 0xffffffffffffffff,
			.peer_token = 0x8000000000000000,
			.peer_gid_ext = 0xafeeb2631779230c,
		},
	},
};

/* Without the GID extension, as in kernels up to 6.7. */
static const struct sockets_row old_smcd = {
	.sock = {
		.has = SMC_SOCK_HAS_DMB,
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_SMCD,
		.dmb = { .my_gid = 5, .peer_gid_ext = 99 /* stale, must not be shown */ },
	},
};

static const struct sockets_row fallback = {
	.sock = {
		.has = SMC_SOCK_HAS_FALLBACK,
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_FALLBACK_TCP,
		.local = { .family = AF_INET, .ip = { 127, 0, 0, 1 }, .port = 1 },
		.peer = { .family = AF_INET, .ip = { 127, 0, 0, 1 }, .port = 2 },
		.fallback = { .reason = 0x05000000, .peer_diagnosis = 0x03030008 },
	},
};

/* Codes and a state that Linux does not have, unknown addresses. */
static const struct sockets_row strange = {
	.sock = {
		.has = SMC_SOCK_HAS_FALLBACK,
		.family = AF_INET,
		.state = 99,
		.mode = SMC_DIAG_MODE_FALLBACK_TCP,
		.local = { .port = 443 },
		.fallback = { .reason = 0xfffffff1, .peer_diagnosis = 0x12345678 },
	},
};

static const struct sockets_row listener = {
	.sock = {
		.has = SMC_SOCK_HAS_FALLBACK | SMC_SOCK_HAS_SHUTDOWN,
		.family = AF_SMC,
		.state = SMC_ABI_LISTEN,
		.local = { .family = AF_INET6, .port = 80 },
	},
};

static const struct sockets_row fresh = {
	.sock = { .family = 7, .state = SMC_ABI_INIT },
};

static void check_json(const struct sockets_row *row, const char *want)
{
	assert_like(json_said(out_json(smcss_columns, NULL, row)), want);
}

/* Attributes that the kernel did not send have no key. */
TEST(json)
{
	check_json(
		&smcr,
		"{'user':'red\\u001B[31m','state':'ACTIVE','uid':1000,'inode':77,"
		"'local':{'address':'10.8.0.1','port':6379},"
		"'peer':{'address':'255.255.255.254','port':65535},'bound_ifindex':11,"
		"'mode':'SMCR','shutdown':{'read':false,'write':true},"
		"'token':3735928559,'sndbuf':65536,'rcvbuf':4294967295,'peerbuf':65504,"
		"'rx_prod':{'wrap':1,'count':100},'rx_cons':{'wrap':65535,'count':4294967295},"
		"'rx_flags':{'producer':128,'state':64},"
		"'tx_prod':{'wrap':3,'count':300},'tx_cons':{'wrap':4,'count':400},"
		"'tx_flags':{'producer':32,'state':16},'tx_prep':{'wrap':5,'count':500},"
		"'tx_sent':{'wrap':6,'count':600},'tx_fin':{'wrap':7,'count':700},"
		"'smcr':{'role':'server','ib_device':'mlx5_\\u001B[2J','ib_port':2,'link_id':254,"
		"'gid':'fe80:0000:0000:0000:0000:0000:0000:0001',"
		"'peer_gid':'fe80:0000:0000:0000:0000:0000:0000:0002'},"
		"'family':43,'cookie':'fedcba9876543210','processes':["
		"{'pid':100,'command':'redis-server','fd':5},"
		"{'pid':101,'command':'x\\u001B]0;evil\\u0007\\'','fd':3},"
		"{'pid':102,'command':'m\\\\xc3\\\\xbc\\\\xff','fd':4}]}");
	check_json(&smcd, "{'state':'PEERCLOSEWAIT1','uid':4294967294,'inode':78187493530,"
			  "'local':{'address':'2001:db8::1','port':80},"
			  "'peer':{'address':'::ffff:10.0.0.9','port':9},"
			  "'mode':'SMCD','shutdown':{'read':true,'write':false},"
			  "'smcd':{'gid':'0000000000000001','token':'ffffffffffffffff',"
			  "'peer_gid':'77e1f15f6e524647','peer_token':'8000000000000000',"
			  "'linkgroup':'00000100','gid_ext':'0000000000000000',"
			  "'peer_gid_ext':'afeeb2631779230c'},'family':10,'cookie':'0'}");
	check_json(&old_smcd,
		   "{'state':'ACTIVE','uid':0,'inode':0,'local':{},'peer':{},'mode':'SMCD',"
		   "'smcd':{'gid':'0000000000000005','token':'0000000000000000',"
		   "'peer_gid':'0000000000000000','peer_token':'0000000000000000',"
		   "'linkgroup':'00000000'},'family':43,'cookie':'0'}");
	check_json(&fallback,
		   "{'state':'ACTIVE','uid':0,'inode':0,'local':{'address':'127.0.0.1','port':1},"
		   "'peer':{'address':'127.0.0.1','port':2},'mode':'TCP','reason':"
		   "{'code':83886080,'symbol':'PEERDECL','meaning':'*declined*','check':'*peer*'},"
		   "'peer_reason':{'code':50528264,'symbol':'NOUEID','meaning':'*no EID*',"
		   "'check':'*EID*'},'family':43,'cookie':'0'}");
	check_json(&strange, "{'state':99,'uid':0,'inode':0,'local':{'port':443},'peer':{},"
			     "'mode':'TCP','reason':{'code':4294967281},"
			     "'peer_reason':{'code':305419896},'family':2,'cookie':'0'}");
	check_json(&listener,
		   "{'state':'LISTEN','uid':0,'inode':0,'local':{'address':'::','port':80},"
		   "'shutdown':{'read':false,'write':false},'family':43,'cookie':'0'}");
	check_json(&fresh, "{'state':'INIT','uid':0,'inode':0,'family':7,'cookie':'0'}");
}

static struct out_view view;

/* One cell, as printed by -o. */
static char *cell(const struct sockets_row *sample, const char *column)
{
	static char copy[1024];
	const struct smcss_opts opts = { .columns = column };
	struct out_text text = { 0 };

	assert_int_equal(smcss_view(&view, &opts, NULL), 0);
	out_row(&text, &view, sample);
	assert_true(text.len && text.len < sizeof(copy));
	assert_int_equal(text.data[text.len - 1], '\n');
	memcpy(copy, text.data, text.len - 1);
	copy[text.len - 1] = '\0';
	out_free(&text);
	return copy;
}

/* Columns, and as many cells. */
static void check_cells(const struct sockets_row *sample, const char *columns, const char *want)
{
	char names[256], cells[512], *name_at, *cell_at = cells, *name, *expected;

	snprintf(names, sizeof(names), "%s", columns);
	snprintf(cells, sizeof(cells), "%s", want);
	for (name = strtok_r(names, " ", &name_at); name; name = strtok_r(NULL, " ", &name_at)) {
		expected = strsep(&cell_at, "|");
		if (strcmp(cell(sample, name), expected))
			fail_msg("%s: '%s', not '%s'", name, cell(sample, name), expected);
	}
	assert_null(cell_at);
}

TEST(cells)
{
	check_cells(
		&smcr,
		"state uid user inode local peer intf mode reason shutd family cookie process",
		"ACTIVE|01000|red\\x1b[31m|0000077|10.8.0.1:6379|255.255.255.254:65535|000b|SMCR"
		"||<-W|smc|fedcba9876543210|users:((\"redis-server\",pid=100,fd=5),"
		"(\"x\\x1b]0;evil\\x07\"\",pid=101,fd=3),(\"m\\xc3\\xbc\\xff\",pid=102,fd=4))");
	check_cells(&smcr,
		    "token sndbuf rcvbuf peerbuf rxprod rxcons rxflags txprod txcons txflags "
		    "txprep txsent txfin",
		    "deadbeef|00010000|ffffffff|0000ffe0|0001:00000064|ffff:ffffffff|80:40|"
		    "0003:0000012c|0004:00000190|20:10|0005:000001f4|0006:00000258|0007:000002bc");
	check_cells(&smcr, "role ibdev ibport linkid gid peergid dgid",
		    "SERV|mlx5_\\x1b[2J|02|fe|fe80:0000:0000:0000:0000:0000:0000:0001|"
		    "fe80:0000:0000:0000:0000:0000:0000:0002|");
	check_cells(&smcd, "uid user inode local peer intf mode shutd family process token role",
		    "4294967294|4294967294|78187493530|[2001:db8::1]:80|[::ffff:10.0.0.9]:9|0000|"
		    "SMCD|R->|inet6|||");
	check_cells(&smcd, "dgid dtoken dpeergid dpeertoken dlinkid",
		    "0000000000000001|ffffffffffffffff|77e1f15f6e524647|8000000000000000|00000100");
	check_cells(&strange, "state local peer mode reason family",
		    "0x63?|n/a:443|n/a|TCP 0xfffffff1/0x12345678|0xfffffff1/0x12345678|inet");
	check_cells(&fallback, "mode reason shutd", "TCP 0x05000000/0x03030008|PEERDECL/NOUEID|");
	check_cells(&listener, "local peer intf mode shutd peer,state",
		    "[::]:80|||||-                       LISTEN");
	check_cells(&fresh, "local family", "|7");
}

TEST(headers)
{
	static const struct {
		struct smcss_opts opts;
		const char *want;
	} cases[] = {
		{ { 0 }, "State UID Inode Local Address Peer Address Intf Mode" },
		{ { .has_names = true }, "State User Inode Local Address Peer Address Intf Mode" },
		{ { .is_debug = true },
		  "State UID Inode Local Address Peer Address Intf Mode Shutd Token Sndbuf Rcvbuf "
		  "Peerbuf rxprod-Cursor rxcons-Cursor rxFlags txprod-Cursor txcons-Cursor txFlags "
		  "txprep-Cursor txsent-Cursor txfin-Cursor" },
		{ { .only_smcr = true },
		  "State UID Inode Local Address Peer Address Intf Mode Role IB-device Port Linkid "
		  "GID Peer-GID" },
		{ { .only_smcd = true },
		  "State UID Inode Local Address Peer Address Intf Mode GID Token Peer-GID "
		  "Peer-Token Linkid" },
		{ { .has_processes = true },
		  "State UID Inode Local Address Peer Address Intf Mode Process" },
		{ { .columns = "mode,process" }, "Mode Process" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out_text text = { 0 };
		char got[512];
		size_t len = 0;

		assert_int_equal(smcss_view(&view, &cases[i].opts, NULL), 0);
		out_header(&text, &view);
		for (size_t j = 0; j < text.len; j++)
			if (text.data[j] != '\n' && (text.data[j] != ' ' || got[len - 1] != ' '))
				got[len++] = text.data[j];
		got[len] = '\0';
		assert_string_equal(got, cases[i].want);
		out_free(&text);
	}
}

static void check_rate(uint64_t bytes, bool is_least, const char *want)
{
	const struct top_row row = { .rate = { SMC_RATE_HAS_RATES, .in = { bytes, is_least } } };
	struct out_text text = { 0 };

	out_cell(&text, &top_columns[0], &row);
	assert_int_equal(text.len, strlen(want));
	assert_memory_equal(text.data, want, text.len);
	out_free(&text);
}

TEST(rates)
{
	check_rate(0, false, "0");
	check_rate(999, false, "999");
	check_rate(1000, false, "1.0k");
	check_rate(1049, false, "1.0k");
	check_rate(1050, false, "1.1k");
	check_rate(9949, false, "9.9k");
	check_rate(9950, false, "10k");
	check_rate(999499, false, "999k");
	check_rate(999500, false, "1.0M");
	check_rate(812345678, true, ">812M");
	check_rate(1100000000, false, "1.1G");
	check_rate(999500000000, false, "1.0T");
	check_rate(UINT64_MAX, true, ">18E");
}

TEST(measured)
{
	static const char columns[] = "rate_in,rate_out,unread,unsent,bottleneck,holder";
	static const struct top_opts opts = { .columns = columns };
	struct top_row row = { .base = smcr };
	struct out_text text = { 0 };

	assert_int_equal(top_view(&view, &opts, NULL), 0);
	row.base.holders = holders + 1;
	row.base.n_holders = 1;
	row.rate = (struct smc_rate){
		.has = SMC_RATE_HAS_RATES | SMC_RATE_HAS_FILL,
		.in = { 1200, false },
		.out = { 5, true },
		.unread = { 65000, 65536 },
		.unsent = { 1, 131072 },
		.bottleneck = SMC_BOTTLENECK_PEER_READER,
	};
	out_row(&text, &view, &row);
	out_char(&text, '\0');
	assert_string_equal(text.data, " 1.2k    >5   99 %    0 % the peer's reader"
				       " x\\x1b]0;evil\\x07\"[101]\n");
	assert_like(json_said(out_json(top_columns, &view, &row)),
		    "{'rate_in':1200,'rate_out_least':5,'unread':{*},'unsent':{*},'bottleneck':*}");
	out_reset(&text);
	for (row.rate.bottleneck = 0; row.rate.bottleneck <= SMC_BOTTLENECK_PEER_WRITER;
	     row.rate.bottleneck++) {
		out_cell(&text, view.cols[4], &row);
		out_char(&text, ',');
		out_read(&text, view.cols[4], &row);
		out_char(&text, ';');
	}
	out_char(&text, '\0');
	assert_string_equal(text.data, ",;this reader,we read;the peer's reader,peer reads;"
				       "the link,link;this writer,we write;"
				       "the peer's writer,peer writes;");
	/* Without a second sample the cell is empty. */
	out_reset(&text);
	row.rate.has = 0;
	row.base.n_holders = 0;
	out_row(&text, &view, &row);
	assert_int_equal(text.len, 1);
	assert_string_equal(json_said(out_json(top_columns, &view, &row)), "{}");
	out_free(&text);
}

static void check_table(const struct out_col *table)
{
	const struct out_col *cols[64];
	size_t count = 0;

	for (const struct out_col *col = table; col; col = col->more)
		for (; col->name || col->key; col++)
			cols[count++] = col;
	assert_true(count > 40);
	for (size_t i = 0; i < count; i++) {
		const struct out_col *col = cols[i];

		/* In JSON it is part of the previous value. */
		assert_true(col->key || (col->text && i && col - 1 == cols[i - 1]));
		assert_true(!col->key || col->json || col->kind != OUT_KIND_ODD);
		assert_true(!col->name || col->text || col->kind != OUT_KIND_ODD);
		for (size_t j = 0; j < i; j++) {
			const struct out_col *other = cols[j];

			if (col->name && other->name)
				assert_string_not_equal(col->name, other->name);
			if (col->key && other->key && !col->group == !other->group &&
			    (!col->group || !strcmp(col->group, other->group)))
				assert_string_not_equal(col->key, other->key);
		}
	}
}

/* Every column by name, and every JSON key once. */
TEST(tables)
{
	check_table(smcss_columns);
	check_table(top_columns);
}

static void explained(const struct sockets_row *sample, const char *want)
{
	struct out_text text = { 0 };

	sockets_explain(&text, &sample->sock);
	assert_like(said(&text), want);
}

TEST(explanations)
{
	explained(&fallback, "    local: PEERDECL: *declined*\n"
			     "        check: *peer's own reason*\n"
			     "    peer: NOUEID: *no EID\n"
			     "        check: *EID on both *(smcd ueid add)\n");
	explained(&strange, "    local: 0xfffffff1: *Linux does not *\n"
			    "    peer: 0x12345678: *Linux does not *\n");
	explained(&smcr, "");
	explained(&listener, "");
}

/* -W: full-length IPv6 addresses do not move the columns. */
TEST(wide)
{
	const struct smcss_opts opts = { .is_wide = true };
	struct sockets_row sample = smcd;
	struct out_text text = { 0 };
	const char *mode;
	size_t header;

	memset(sample.sock.local.ip, 0xfd, 16);
	memset(sample.sock.peer.ip, 0xfd, 16);
	sample.sock.local.port = sample.sock.peer.port = 65535;
	sample.sock.inode = 1;
	sample.sock.uid = 1;
	assert_int_equal(smcss_view(&view, &opts, NULL), 0);
	out_header(&text, &view);
	header = text.len;
	out_row(&text, &view, &sample);
	out_mem(&text, "", 1);
	mode = strstr(text.data, "Mode");
	assert_non_null(mode);
	assert_int_equal(strncmp(text.data + header + (mode - text.data), "SMCD", 4), 0);
	out_free(&text);
}
