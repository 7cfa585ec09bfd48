// SPDX-License-Identifier: MIT
/* Columns of SMC sockets: one table near the end serves text, JSON and -o. */
#include "sockets/columns.h"

#include "smc/filter.h"
#include "sockets/show.h"

static const struct smc_sock *sock_of(const void *object)
{
	return &((const struct sockets_row *)object)->sock;
}

/* ---- columns of every row ---- */

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

/* A socket without port and address has no local end to show. */
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
	sockets_append_addr(text, addr);
}

static json_t *json_addr(const void *value)
{
	return sockets_json_addr(value);
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

static void text_mode(struct out_text *text, const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	if (smc_sock_mode(sock) != SMC_MODE_NONE)
		out_str(text, smc_mode_name(smc_sock_mode(sock)));
	if (!sockets_has_reason(sock))
		return;
	out_str(text, " 0x");
	out_hex(text, sock->fallback.reason, 8);
	if (!sock->fallback.peer_diagnosis)
		return;
	out_str(text, "/0x");
	out_hex(text, sock->fallback.peer_diagnosis, 8);
}

/* Text on a terminal: the mode with the reason in words; for a socket without mode, the state. */
static void read_mode(struct out_text *text, const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	if (smc_sock_mode(sock) == SMC_MODE_NONE)
		text_state(text, object);
	else
		out_str(text, smc_mode_name(smc_sock_mode(sock)));
	if (!sockets_has_reason(sock))
		return;
	out_str(text, " (");
	sockets_append_reason(text, &sock->fallback);
	out_char(text, ')');
}

static enum out_style style_mode(const void *object)
{
	switch (smc_sock_mode(sock_of(object))) {
	case SMC_MODE_SMCR:
	case SMC_MODE_SMCD: return OUT_GOOD;
	case SMC_MODE_TCP: return OUT_WARNING;
	default: return OUT_PLAIN;
	}
}

static json_t *json_mode(const void *object)
{
	enum smc_mode mode = smc_sock_mode(sock_of(object));

	return mode == SMC_MODE_NONE ? NULL : json_string(smc_mode_name(mode));
}

static const void *fallback_of(const void *object)
{
	return sockets_has_reason(sock_of(object)) ? &sock_of(object)->fallback : NULL;
}

static void text_reason(struct out_text *text, const void *fallback)
{
	sockets_append_reason(text, fallback);
}

static json_t *json_reason(const void *code)
{
	return sockets_json_reason(*(const uint32_t *)code);
}

static json_t *json_peer_reason(const void *code)
{
	return *(const uint32_t *)code ? json_reason(code) : NULL;
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
	const struct smc_diag_cursor *cursor = value;

	out_hex(text, cursor->wrap, 4);
	out_char(text, ':');
	out_hex(text, cursor->count, 8);
}

static json_t *json_cursor(const void *value)
{
	const struct smc_diag_cursor *cursor = value;

	return json_pack("{s:i, s:I}", "wrap", cursor->wrap, "count", (json_int_t)cursor->count);
}

/* The two flag bytes of a direction are adjacent. */
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

/* Real ISM has 64-bit GIDs: the kernel then sends zero for the upper half. */
static const void *gid_ext_of(const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	if (!(sock->has & SMC_SOCK_HAS_GID_EXT))
		return NULL;
	return sock->dmb.my_gid_ext || sock->dmb.peer_gid_ext ? object : NULL;
}

static const struct out_names roles =
	OUT_NAMES(NULL, NULL, { "CLNT", "client" }, { "SERV", "server" });
static const struct out_names families =
	OUT_NAMES(NULL, NULL, [AF_INET] = { "inet", NULL }, [AF_INET6] = { "inet6", NULL },
		  [AF_SMC] = { "smc", NULL });

static void text_process(struct out_text *text, const void *object)
{
	const struct sockets_row *row = object;

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
	const struct sockets_row *row = object;
	json_t *list;

	if (!row->n_holders)
		return NULL;
	list = json_array();
	for (size_t i = 0; i < row->n_holders; i++) {
		const struct proc_fd *holder = &row->holders[i];

		json_array_append_new(list,
				      json_pack("{s:i, s:o, s:i}", "pid", holder->pid, "command",
						out_json_string(holder->comm, sizeof(holder->comm)),
						"fd", holder->fd));
	}
	return list;
}

static void append_holder(struct out_text *text, const struct proc_fd *holder)
{
	out_escaped(text, holder->comm, sizeof(holder->comm));
	out_char(text, '[');
	out_dec(text, (uint64_t)holder->pid, 0);
	out_char(text, ']');
}

/* On a terminal. */
static void read_process(struct out_text *text, const void *object)
{
	const struct sockets_row *row = object;
	const struct proc_fd *holder = NULL;

	while ((holder = proc_next_holder(row->holders, row->n_holders, holder))) {
		if (holder != row->holders)
			out_str(text, ", ");
		append_holder(text, holder);
	}
}

/* The first holder, as in summaries; JSON has all of them in "processes". */
static void text_holder(struct out_text *text, const void *object)
{
	const struct sockets_row *row = object;

	if (row->n_holders)
		append_holder(text, &row->holders[0]);
}

#define CONN OUT_IF(sockets_row, sock.has, SMC_SOCK_HAS_CONN)
#define SMCR OUT_IF(sockets_row, sock.has, SMC_SOCK_HAS_LGR), .group = "smcr"
#define SMCD OUT_IF(sockets_row, sock.has, SMC_SOCK_HAS_DMB), .group = "smcd"
/* clang-format off */
#define CURSOR(name, key)                                                                          \
	{ #name, #name "-Cursor", #key, 13, OUT_ODD(sockets_row, sock.conn.key), CONN,             \
	  .text = text_cursor, .json = json_cursor }
#define FLAGS(direction)                                                                           \
	{ #direction "flags", #direction "Flags", #direction "_flags", 7,                          \
	  OUT_ODD(sockets_row, sock.conn.direction##_prod_flags), CONN,                            \
	  .text = text_flags, .json = json_flags }
/* clang-format on */

const struct out_col sockets_columns[] = {
	{ "state", "State", "state", 14, .text = text_state, .json = json_state, OUT_RANK(1) },
	{ "uid", "UID", "uid", 5, OUT_DEC(sockets_row, sock.uid, 5), OUT_RANK(2) },
	{ "inode", "Inode", "inode", 7, OUT_DEC(sockets_row, sock.inode, 7) },
	{ "local", "Local Address", "local", 23, OUT_ODD(sockets_row, sock.local), .find = local_of,
	  .text = text_addr, .json = json_addr },
	{ "peer", "Peer Address", "peer", 23, OUT_ODD(sockets_row, sock.peer), .find = connected,
	  .text = text_addr, .json = json_addr },
	{ "intf", "Intf", "bound_ifindex", 4, .text = text_intf, .json = json_intf },
	{ "mode", "Mode", "mode", 4, .text = text_mode, .json = json_mode, .read = read_mode,
	  .style = style_mode },
	{ "reason", "Reason", "reason", 18, OUT_ODD(smc_diag_fallback, reason), .find = fallback_of,
	  .text = text_reason, .json = json_reason },
	{ NULL, NULL, "peer_reason", 0, OUT_ODD(smc_diag_fallback, peer_diagnosis),
	  .find = fallback_of, .json = json_peer_reason },
	{ "shutd", "Shutd", "shutdown", 5, OUT_IF(sockets_row, sock.has, SMC_SOCK_HAS_SHUTDOWN),
	  .text = text_shutd, .json = json_shutd },
	{ "token", "Token", "token", 8, OUT_HEX(sockets_row, sock.conn.token, 8), CONN },
	{ "sndbuf", "Sndbuf", "sndbuf", 8, OUT_HEX(sockets_row, sock.conn.sndbuf_size, 8), CONN },
	{ "rcvbuf", "Rcvbuf", "rcvbuf", 8, OUT_HEX(sockets_row, sock.conn.rmbe_size, 8), CONN },
	{ "peerbuf", "Peerbuf", "peerbuf", 8, OUT_HEX(sockets_row, sock.conn.peer_rmbe_size, 8),
	  CONN },
	CURSOR(rxprod, rx_prod),
	CURSOR(rxcons, rx_cons),
	FLAGS(rx),
	CURSOR(txprod, tx_prod),
	CURSOR(txcons, tx_cons),
	FLAGS(tx),
	CURSOR(txprep, tx_prep),
	CURSOR(txsent, tx_sent),
	CURSOR(txfin, tx_fin),
	{ "role", "Role", "role", 4, OUT_FLAG(sockets_row, sock.lgr.role, roles), SMCR },
	{ "ibdev", "IB-device", "ib_device", 15, OUT_STR(sockets_row, sock.lgr.ibname), SMCR },
	{ "ibport", "Port", "ib_port", 4, OUT_HEX(sockets_row, sock.lgr.ibport, 2), SMCR },
	{ "linkid", "Linkid", "link_id", 6, OUT_HEX(sockets_row, sock.lgr.link_id, 2), SMCR },
	{ "gid", "GID", "gid", 40, OUT_STR(sockets_row, sock.lgr.gid), SMCR },
	{ "peergid", "Peer-GID", "peer_gid", 39, OUT_STR(sockets_row, sock.lgr.peer_gid), SMCR },
	{ "dgid", "GID", "gid", 16, OUT_HEX_STR(sockets_row, sock.dmb.my_gid, 16), SMCD },
	{ "dtoken", "Token", "token", 16, OUT_HEX_STR(sockets_row, sock.dmb.token, 16), SMCD },
	{ "dpeergid", "Peer-GID", "peer_gid", 16, OUT_HEX_STR(sockets_row, sock.dmb.peer_gid, 16),
	  SMCD },
	{ "dpeertoken", "Peer-Token", "peer_token", 16,
	  OUT_HEX_STR(sockets_row, sock.dmb.peer_token, 16), SMCD },
	{ "dlinkid", "Linkid", "linkgroup", 8, OUT_HEX_STR(sockets_row, sock.dmb.linkid, 8), SMCD },
	{ NULL, NULL, "gid_ext", 0, OUT_HEX_STR(sockets_row, sock.dmb.my_gid_ext, 16), SMCD,
	  .find = gid_ext_of },
	{ NULL, NULL, "peer_gid_ext", 0, OUT_HEX_STR(sockets_row, sock.dmb.peer_gid_ext, 16), SMCD,
	  .find = gid_ext_of },
	{ "family", "Family", "family", 6, OUT_NAME(sockets_row, sock.family, families) },
	{ "cookie", "Cookie", "cookie", 8, OUT_HEX_STR(sockets_row, sock.cookie, 0) },
	{ "process", "Process", "processes", 7, .text = text_process, .json = json_processes,
	  .read = read_process },
	{ "holder", "Process", NULL, 7, .text = text_holder },
	{ 0 },
};

int sockets_choose(struct out_view *view, const struct out_col *table, const char *names,
		   struct smc_err *err)
{
	const char *bad = out_view_add(view, table, names);

	if (!bad && view->count)
		return 0;
	bad = bad ? bad : "";
	return smc_err_say(err, EINVAL, "unknown column '%.*s'", (int)strcspn(bad, ","), bad);
}

bool sockets_need_processes(const char *names)
{
	return strstr(names, "process") || strstr(names, "holder");
}

int sockets_help(const struct cli_tool *tool, const struct out_col *table)
{
	struct cli_tool whole = *tool;
	struct out_text text AUTO(out_free) = { 0 };

	out_str(&text, FILTER_HELP FILTER_HELP_STATE FILTER_HELP_TESTS "Columns for --output:\n");
	out_col_names(&text, table);
	out_char(&text, '\0');
	whole.more = text.data;
	return cli_help(&whole);
}

int sockets_separate(bool is_json, bool is_first, struct smc_err *err)
{
	struct out_text text = { 0 };

	out_str(&text, is_json ? "" : cli_separator(is_first));
	return out_finish(&text, err);
}
