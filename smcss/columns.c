// SPDX-License-Identifier: MIT
/* The columns of smcss: text, JSON and -o all come from the one table at the end. */
#include "smcss.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "host/probe.h"
#include "smc/reason.h"

#define MODE_WIDTH (sizeof("TCP 0x05000000/0x03030000") - 1)
#define ADDR_WIDTH (sizeof("[2001:0db8:1111:2222:3333:4444:5555:6666]:65535") - 1)

static const struct smc_sock *sock_of(const void *object)
{
	return &((const struct smcss_row *)object)->sock;
}

/* ---- what every row has ---- */

static void text_state(struct out_text *text, const void *object)
{
	const char *name = smc_state_name(sock_of(object)->state);

	if (name) {
		out_str(text, name);
		return;
	}
	out_str(text, "0x");
	out_hex(text, sock_of(object)->state, 2);
	out_str(text, "?");
}

static json_t *json_state(const void *object)
{
	const char *name = smc_state_name(sock_of(object)->state);

	return name ? json_string(name) : json_integer(sock_of(object)->state);
}

static int probe_user(void *arg, char text[HOST_PROBE_SIZE])
{
	const struct passwd *user = getpwuid(*(const uint32_t *)arg);

	if (user)
		snprintf(text, HOST_PROBE_SIZE, "%s", user->pw_name);
	return user ? 0 : -ENOENT;
}

/* The same user owns most rows: one look-up for a run of them. */
static const char *user_name(uint32_t uid)
{
	static struct {
		bool is_set;
		uint32_t uid;
		char name[33];
	} last;

	if (!last.is_set || last.uid != uid) {
		char text[HOST_PROBE_SIZE];

		/* This machine's users are not those of a recorded one. */
		host_probe("user-%u", probe_user, &uid, text, uid);
		snprintf(last.name, sizeof(last.name), "%.*s", (int)sizeof(last.name) - 1, text);
		last.uid = uid;
		last.is_set = true;
	}
	return last.name[0] ? last.name : NULL;
}

static void text_user(struct out_text *text, const void *value)
{
	const uint32_t *uid = value;
	const char *name = user_name(*uid);

	if (name)
		out_escaped(text, name, strlen(name));
	else
		out_dec(text, *uid, 0);
}

static json_t *json_user(const void *uid)
{
	const char *name = user_name(*(const uint32_t *)uid);

	return name ? out_json_str(name) : NULL;
}

static char *put_octet(char *at, unsigned int octet)
{
	if (octet >= 100)
		*at++ = (char)('0' + octet / 100);
	if (octet >= 10)
		*at++ = (char)('0' + octet / 10 % 10);
	*at++ = (char)('0' + octet % 10);
	return at;
}

/* inet_ntop() is too slow for the one case that matters in a long table. */
static void append_ipv4(struct out_text *text, const uint8_t *ip)
{
	char *at = out_reserve(text, INET_ADDRSTRLEN);

	if (!at)
		return;
	for (int i = 0; i < 4; i++) {
		at = put_octet(at, ip[i]);
		*at++ = '.';
	}
	text->len = (size_t)(at - 1 - text->data);
}

static void append_ip(struct out_text *text, const struct smc_addr *addr)
{
	char buf[INET6_ADDRSTRLEN];

	if (addr->family == AF_INET)
		append_ipv4(text, addr->ip);
	else
		out_str(text, inet_ntop(AF_INET6, addr->ip, buf, sizeof(buf)));
}

void smcss_append_addr(struct out_text *text, const struct smc_addr *addr)
{
	if (addr->family == AF_UNSPEC) {
		out_str(text, "n/a");
		if (!addr->port)
			return;
	} else if (addr->family == AF_INET6) {
		out_char(text, '[');
		append_ip(text, addr);
		out_char(text, ']');
	} else {
		append_ip(text, addr);
	}
	out_char(text, ':');
	/* No port: the TCP socket inside was reset or killed (ss -K), SMC goes on without it. */
	if (addr->port)
		out_dec(text, addr->port, 0);
	else
		out_char(text, '-');
}

/* A socket that has neither a port nor an address yet has no local end to show. */
static const void *local_of(const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	return sock->local.port || sock->peer.port || smc_sock_connected(sock) ? object : NULL;
}

static const void *connected(const void *object)
{
	return smc_sock_connected(sock_of(object)) ? object : NULL;
}

static void text_addr(struct out_text *text, const void *addr)
{
	smcss_append_addr(text, addr);
}

json_t *smcss_json_addr(const struct smc_addr *addr)
{
	struct out_text text = { 0 };
	json_t *json = json_object();

	if (!json)
		return NULL;
	if (addr->family != AF_UNSPEC) {
		append_ip(&text, addr);
		json_object_set_new(json, "address", json_stringn(text.data, text.len));
		out_free(&text);
	}
	if (addr->port)
		json_object_set_new(json, "port", json_integer(addr->port));
	return json;
}

static json_t *json_addr(const void *value)
{
	return smcss_json_addr(value);
}

static void text_intf(struct out_text *text, const void *object)
{
	if (smc_sock_connected(sock_of(object)) || sock_of(object)->ifindex)
		out_hex(text, sock_of(object)->ifindex, 4);
}

static json_t *json_intf(const void *object)
{
	return sock_of(object)->ifindex ? json_integer(sock_of(object)->ifindex) : NULL;
}

/* Is the reason worth showing? Zero also stands in every socket that never fell back. */
static bool has_reason(const struct smc_sock *sock)
{
	return smc_sock_mode(sock) == SMC_MODE_TCP && sock->has & SMC_SOCK_HAS_FALLBACK;
}

static void text_mode(struct out_text *text, const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	if (smc_sock_mode(sock) != SMC_MODE_NONE)
		out_str(text, smc_mode_name(smc_sock_mode(sock)));
	if (!has_reason(sock))
		return;
	out_str(text, " 0x");
	out_hex(text, sock->fallback.reason, 8);
	if (!sock->fallback.peer_diagnosis)
		return;
	out_str(text, "/0x");
	out_hex(text, sock->fallback.peer_diagnosis, 8);
}

static json_t *json_mode(const void *object)
{
	enum smc_mode mode = smc_sock_mode(sock_of(object));

	return mode == SMC_MODE_NONE ? NULL : json_string(smc_mode_name(mode));
}

static void append_symbol(struct out_text *text, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	if (reason) {
		out_str(text, reason->symbol);
	} else {
		out_str(text, "0x");
		out_hex(text, code, 8);
	}
}

void smcss_append_reason(struct out_text *text, const struct smc_abi_fallback *fallback)
{
	append_symbol(text, fallback->reason);
	if (!fallback->peer_diagnosis)
		return;
	out_char(text, '/');
	append_symbol(text, fallback->peer_diagnosis);
}

static const void *fallback_of(const void *object)
{
	return has_reason(sock_of(object)) ? &sock_of(object)->fallback : NULL;
}

static void text_reason(struct out_text *text, const void *fallback)
{
	smcss_append_reason(text, fallback);
}

json_t *smcss_json_reason(uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	if (!reason)
		return json_pack("{s:I}", "code", (json_int_t)code);
	return json_pack("{s:I, s:s, s:s, s:s}", "code", (json_int_t)code, "symbol", reason->symbol,
			 "meaning", reason->meaning, "check", reason->check);
}

static json_t *json_reason(const void *code)
{
	return smcss_json_reason(*(const uint32_t *)code);
}

static json_t *json_peer_reason(const void *code)
{
	return *(const uint32_t *)code ? json_reason(code) : NULL;
}

static void explain_one(struct out_text *text, const char *side, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	out_printf(text, "    %s: ", side);
	append_symbol(text, code);
	if (reason)
		out_printf(text, ": %s\n        check: %s\n", reason->meaning, reason->check);
	else
		out_str(text, ": a reason that Linux does not use\n");
}

void smcss_explain(struct out_text *text, const struct smc_sock *sock)
{
	if (!has_reason(sock))
		return;
	explain_one(text, "local", sock->fallback.reason);
	if (sock->fallback.peer_diagnosis)
		explain_one(text, "peer", sock->fallback.peer_diagnosis);
}

/* ---- -d ---- */

static void text_shutd(struct out_text *text, const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	if (!smc_sock_connected(sock))
		return;
	out_str(text, sock->shutdown & 1 ? "R-" : "<-");
	out_str(text, sock->shutdown & 2 ? "W" : ">");
}

static json_t *json_shutd(const void *object)
{
	uint8_t shutdown = sock_of(object)->shutdown;

	return json_pack("{s:b, s:b}", "read", shutdown & 1, "write", shutdown & 2);
}

static void text_cursor(struct out_text *text, const void *value)
{
	const struct smc_abi_cursor *cursor = value;

	out_hex(text, cursor->wrap, 4);
	out_char(text, ':');
	out_hex(text, cursor->count, 8);
}

static json_t *json_cursor(const void *value)
{
	const struct smc_abi_cursor *cursor = value;

	return json_pack("{s:i, s:I}", "wrap", cursor->wrap, "count", (json_int_t)cursor->count);
}

/* A direction's two bytes of flags stand one behind the other. */
static void text_flags(struct out_text *text, const void *value)
{
	const uint8_t *flags = value;

	out_hex(text, flags[0], 2);
	out_char(text, ':');
	out_hex(text, flags[1], 2);
}

static json_t *json_flags(const void *value)
{
	const uint8_t *flags = value;

	return json_pack("{s:i, s:i}", "producer", flags[0], "state", flags[1]);
}

/* ---- the rest ---- */

/* Real ISM has 64-bit GIDs; zero is what the kernel then sends for the rest. */
static const void *gid_ext_of(const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	if (!(sock->has & SMC_SOCK_HAS_GID_EXT))
		return NULL;
	return sock->dmb.my_gid_ext || sock->dmb.peer_gid_ext ? object : NULL;
}

static const void *netns_of(const void *object)
{
	return ((const struct smcss_row *)object)->netns;
}

static const struct out_names roles =
	OUT_NAMES(NULL, NULL, { "CLNT", "client" }, { "SERV", "server" });
static const struct out_names families =
	OUT_NAMES(NULL, NULL, [AF_INET] = { "inet", NULL }, [AF_INET6] = { "inet6", NULL },
		  [AF_SMC] = { "smc", NULL });

static void text_process(struct out_text *text, const void *object)
{
	const struct smcss_row *row = object;

	for (size_t i = 0; i < row->n_holders; i++) {
		out_str(text, i ? ",(\"" : "users:((\"");
		out_escaped(text, row->holders[i].comm, sizeof(row->holders[i].comm));
		out_str(text, "\",pid=");
		out_dec(text, (uint64_t)row->holders[i].pid, 0);
		out_str(text, ",fd=");
		out_dec(text, (uint64_t)row->holders[i].fd, 0);
		out_str(text, i + 1 < row->n_holders ? ")" : "))");
	}
}

static json_t *json_processes(const void *object)
{
	const struct smcss_row *row = object;
	json_t *list;

	if (!row->n_holders)
		return NULL;
	list = json_array();
	for (size_t i = 0; list && i < row->n_holders; i++) {
		const struct proc_fd *holder = &row->holders[i];

		json_array_append_new(list,
				      json_pack("{s:i, s:o, s:i}", "pid", holder->pid, "command",
						out_json_string(holder->comm, sizeof(holder->comm)),
						"fd", holder->fd));
	}
	return list;
}

/* The first holder, as summaries name processes; JSON has all of them in "processes". */
static void text_holder(struct out_text *text, const void *object)
{
	const struct smcss_row *row = object;

	if (!row->n_holders)
		return;
	out_escaped(text, row->holders[0].comm, sizeof(row->holders[0].comm));
	out_char(text, '[');
	out_dec(text, (uint64_t)row->holders[0].pid, 0);
	out_char(text, ']');
}

/* ---- what takes two samples ---- */

void smcss_append_rate(struct out_text *text, uint64_t bytes, bool is_least)
{
	char buf[OUT_UNITS];

	if (is_least)
		out_char(text, '>');
	out_str(text, out_si(buf, bytes));
}

static void text_rate_in(struct out_text *text, const void *value)
{
	const struct smc_rate *rate = value;

	smcss_append_rate(text, rate->in, rate->in_is_least);
}

static void text_rate_out(struct out_text *text, const void *value)
{
	const struct smc_rate *rate = value;

	smcss_append_rate(text, rate->out, rate->out_is_least);
}

/* What it was at least is no rate: that has a key of its own. */
static json_t *json_rate_in(const void *value)
{
	const struct smc_rate *rate = value;

	return rate->in_is_least ? NULL : out_json_number(rate->in);
}

static json_t *json_rate_out(const void *value)
{
	const struct smc_rate *rate = value;

	return rate->out_is_least ? NULL : out_json_number(rate->out);
}

static json_t *json_least_in(const void *value)
{
	const struct smc_rate *rate = value;

	return rate->in_is_least ? out_json_number(rate->in) : NULL;
}

static json_t *json_least_out(const void *value)
{
	const struct smc_rate *rate = value;

	return rate->out_is_least ? out_json_number(rate->out) : NULL;
}

static unsigned int percent(uint32_t bytes, uint32_t size)
{
	return size ? (unsigned int)(((uint64_t)bytes * 100 + size / 2) / size) : 0;
}

static void text_fill(struct out_text *text, uint32_t bytes, uint32_t size)
{
	out_dec(text, percent(bytes, size), 0);
	out_str(text, " %");
}

static json_t *json_fill(uint32_t bytes, uint32_t size)
{
	return json_pack("{s:I, s:I, s:i}", "bytes", (json_int_t)bytes, "buffer", (json_int_t)size,
			 "percent", (int)percent(bytes, size));
}

static void text_unread(struct out_text *text, const void *value)
{
	const struct smc_rate *rate = value;

	text_fill(text, rate->unread, rate->rcvbuf);
}

static json_t *json_unread(const void *value)
{
	const struct smc_rate *rate = value;

	return json_fill(rate->unread, rate->rcvbuf);
}

static void text_unsent(struct out_text *text, const void *value)
{
	const struct smc_rate *rate = value;

	text_fill(text, rate->unsent, rate->sndbuf);
}

static json_t *json_unsent(const void *value)
{
	const struct smc_rate *rate = value;

	return json_fill(rate->unsent, rate->sndbuf);
}

static void text_brake(struct out_text *text, const void *value)
{
	const char *name = smc_brake_name(((const struct smc_rate *)value)->brake);

	out_str(text, name ? name : "");
}

static json_t *json_brake(const void *value)
{
	const char *name = smc_brake_name(((const struct smc_rate *)value)->brake);

	return name ? json_string(name) : NULL;
}

#define RATE OUT_ODD(smcss_row, rate), OUT_IF(smcss_row, rate.has, SMC_RATE_HAS_RATES)
#define FILL OUT_ODD(smcss_row, rate), OUT_IF(smcss_row, rate.has, SMC_RATE_HAS_FILL)
#define CONN OUT_IF(smcss_row, sock.has, SMC_SOCK_HAS_CONN)
#define SMCR OUT_IF(smcss_row, sock.has, SMC_SOCK_HAS_LGR), .group = "smcr"
#define SMCD OUT_IF(smcss_row, sock.has, SMC_SOCK_HAS_DMB), .group = "smcd"
#define CURSOR CONN, .text = text_cursor, .json = json_cursor
#define FLAGS CONN, .text = text_flags, .json = json_flags

const struct out_col smcss_columns[] = {
	{ "state", "State", "state", 14, .text = text_state, .json = json_state },
	{ "uid", "UID", "uid", 5, OUT_DEC(smcss_row, sock.uid, 5) },
	{ "user", "User", "user", 8, OUT_ODD(smcss_row, sock.uid), .text = text_user,
	  .json = json_user },
	{ "inode", "Inode", "inode", 7, OUT_DEC(smcss_row, sock.inode, 7) },
	{ "local", "Local Address", "local", 23, OUT_ODD(smcss_row, sock.local), .find = local_of,
	  .text = text_addr, .json = json_addr },
	{ "peer", "Peer Address", "peer", 23, OUT_ODD(smcss_row, sock.peer), .find = connected,
	  .text = text_addr, .json = json_addr },
	{ "intf", "Intf", "bound_ifindex", 4, .text = text_intf, .json = json_intf },
	{ "mode", "Mode", "mode", 4, .text = text_mode, .json = json_mode },
	{ "reason", "Reason", "reason", 18, OUT_ODD(smc_abi_fallback, reason), .find = fallback_of,
	  .text = text_reason, .json = json_reason },
	{ NULL, NULL, "peer_reason", 0, OUT_ODD(smc_abi_fallback, peer_diagnosis),
	  .find = fallback_of, .json = json_peer_reason },
	{ "shutd", "Shutd", "shutdown", 5, OUT_IF(smcss_row, sock.has, SMC_SOCK_HAS_SHUTDOWN),
	  .text = text_shutd, .json = json_shutd },
	{ "token", "Token", "token", 8, OUT_HEX(smcss_row, sock.conn.token, 8), CONN },
	{ "sndbuf", "Sndbuf", "sndbuf", 8, OUT_HEX(smcss_row, sock.conn.sndbuf_size, 8), CONN },
	{ "rcvbuf", "Rcvbuf", "rcvbuf", 8, OUT_HEX(smcss_row, sock.conn.rmbe_size, 8), CONN },
	{ "peerbuf", "Peerbuf", "peerbuf", 8, OUT_HEX(smcss_row, sock.conn.peer_rmbe_size, 8),
	  CONN },
	{ "rxprod", "rxprod-Cursor", "rx_prod", 13, OUT_ODD(smcss_row, sock.conn.rx_prod), CURSOR },
	{ "rxcons", "rxcons-Cursor", "rx_cons", 13, OUT_ODD(smcss_row, sock.conn.rx_cons), CURSOR },
	{ "rxflags", "rxFlags", "rx_flags", 7, OUT_ODD(smcss_row, sock.conn.rx_prod_flags), FLAGS },
	{ "txprod", "txprod-Cursor", "tx_prod", 13, OUT_ODD(smcss_row, sock.conn.tx_prod), CURSOR },
	{ "txcons", "txcons-Cursor", "tx_cons", 13, OUT_ODD(smcss_row, sock.conn.tx_cons), CURSOR },
	{ "txflags", "txFlags", "tx_flags", 7, OUT_ODD(smcss_row, sock.conn.tx_prod_flags), FLAGS },
	{ "txprep", "txprep-Cursor", "tx_prep", 13, OUT_ODD(smcss_row, sock.conn.tx_prep), CURSOR },
	{ "txsent", "txsent-Cursor", "tx_sent", 13, OUT_ODD(smcss_row, sock.conn.tx_sent), CURSOR },
	{ "txfin", "txfin-Cursor", "tx_fin", 13, OUT_ODD(smcss_row, sock.conn.tx_fin), CURSOR },
	{ "role", "Role", "role", 4, OUT_FLAG(smcss_row, sock.lgr.role, roles), SMCR },
	{ "ibdev", "IB-device", "ib_device", 15, OUT_STR(smcss_row, sock.lgr.ibname), SMCR },
	{ "ibport", "Port", "ib_port", 4, OUT_HEX(smcss_row, sock.lgr.ibport, 2), SMCR },
	{ "linkid", "Linkid", "link_id", 6, OUT_HEX(smcss_row, sock.lgr.link_id, 2), SMCR },
	{ "gid", "GID", "gid", 40, OUT_STR(smcss_row, sock.lgr.gid), SMCR },
	{ "peergid", "Peer-GID", "peer_gid", 39, OUT_STR(smcss_row, sock.lgr.peer_gid), SMCR },
	{ "dgid", "GID", "gid", 16, OUT_HEX_STR(smcss_row, sock.dmb.my_gid, 16), SMCD },
	{ "dtoken", "Token", "token", 16, OUT_HEX_STR(smcss_row, sock.dmb.token, 16), SMCD },
	{ "dpeergid", "Peer-GID", "peer_gid", 16, OUT_HEX_STR(smcss_row, sock.dmb.peer_gid, 16),
	  SMCD },
	{ "dpeertoken", "Peer-Token", "peer_token", 16,
	  OUT_HEX_STR(smcss_row, sock.dmb.peer_token, 16), SMCD },
	{ "dlinkid", "Linkid", "linkgroup", 8, OUT_HEX_STR(smcss_row, sock.dmb.linkid, 8), SMCD },
	{ NULL, NULL, "gid_ext", 0, OUT_HEX_STR(smcss_row, sock.dmb.my_gid_ext, 16), SMCD,
	  .find = gid_ext_of },
	{ NULL, NULL, "peer_gid_ext", 0, OUT_HEX_STR(smcss_row, sock.dmb.peer_gid_ext, 16), SMCD,
	  .find = gid_ext_of },
	{ "family", "Family", "family", 6, OUT_NAME(smcss_row, sock.family, families) },
	{ "cookie", "Cookie", "cookie", 8, OUT_HEX_STR(smcss_row, sock.cookie, 0) },
	{ "rate_in", "IN/s", "rate_in", 5, OUT_RIGHT, RATE, .text = text_rate_in,
	  .json = json_rate_in },
	{ NULL, NULL, "rate_in_least", 0, RATE, .json = json_least_in },
	{ "rate_out", "OUT/s", "rate_out", 5, OUT_RIGHT, RATE, .text = text_rate_out,
	  .json = json_rate_out },
	{ NULL, NULL, "rate_out_least", 0, RATE, .json = json_least_out },
	{ "unread", "UNREAD", "unread", 6, OUT_RIGHT, FILL, .text = text_unread,
	  .json = json_unread },
	{ "unsent", "UNSENT", "unsent", 6, OUT_RIGHT, FILL, .text = text_unsent,
	  .json = json_unsent },
	{ "brake", "BRAKE", "brake", 17, FILL, .text = text_brake, .json = json_brake },
	{ "netns", "Netns", "netns", 23, OUT_STR(netns, name), .find = netns_of },
	{ NULL, NULL, "netns_inode", 0, OUT_DEC(netns, inode, 0), .find = netns_of },
	{ "process", "Process", "processes", 7, .text = text_process, .json = json_processes },
	{ "holder", "Process", NULL, 7, .text = text_holder },
	{ 0 },
};

int smcss_view(struct out_view *view, const struct smcss_opts *opts, struct smc_err *err)
{
	const char *bad = NULL;

	*view = (struct out_view){ 0 };
	if (opts->columns) {
		bad = out_view_add(view, smcss_columns, opts->columns);
		if (bad || !view->count)
			return smc_err_say(err, EINVAL, "unknown column '%.*s'",
					   (int)strcspn(bad ? bad : "", ","), bad ? bad : "");
		return 0;
	}
	if (opts->is_top) {
		out_view_add(view, smcss_columns,
			     "local,peer,mode,rate_in,rate_out,unread,unsent,brake,holder");
		return 0;
	}
	out_view_add(view, smcss_columns, opts->has_names ? "state,user" : "state,uid");
	out_view_add(view, smcss_columns, "inode,local,peer,intf,mode");
	if (opts->is_debug)
		out_view_add(view, smcss_columns,
			     "shutd,token,sndbuf,rcvbuf,peerbuf,rxprod,rxcons,rxflags,"
			     "txprod,txcons,txflags,txprep,txsent,txfin");
	if (opts->only_smcr)
		out_view_add(view, smcss_columns, "role,ibdev,ibport,linkid,gid,peergid");
	if (opts->only_smcd)
		out_view_add(view, smcss_columns, "dgid,dtoken,dpeergid,dpeertoken,dlinkid");
	if (opts->is_all_netns)
		out_view_add(view, smcss_columns, "netns");
	if (opts->has_processes)
		out_view_add(view, smcss_columns, "process");
	if (opts->has_processes || opts->is_all_netns)
		out_view_widen(view, "mode", MODE_WIDTH);
	if (opts->is_wide) {
		out_view_widen(view, "local", ADDR_WIDTH);
		out_view_widen(view, "peer", ADDR_WIDTH);
	}
	return 0;
}
