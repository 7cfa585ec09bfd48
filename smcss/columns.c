// SPDX-License-Identifier: MIT
/* The columns of smcss: text, JSON and -o all come from the one table at the end. */
#include "smcss.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "host/probe.h"
#include "smc/reason.h"

#define MODE_WIDTH (sizeof("TCP 0x05000000/0x03030000") - 1)
#define ADDR_WIDTH (sizeof("[2001:0db8:1111:2222:3333:4444:5555:6666]:65535") - 1)

static const struct smc_sock *sock_of(const void *object)
{
	return ((const struct smcss_row *)object)->sock;
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

static void text_uid(struct out_text *text, const void *object)
{
	out_dec(text, sock_of(object)->uid, 5);
}

static json_t *json_uid(const void *object)
{
	return json_integer(sock_of(object)->uid);
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
		char probe[32], text[HOST_PROBE_SIZE];

		/* This machine's users are not those of a recorded one. */
		snprintf(probe, sizeof(probe), "user-%u", uid);
		host_probe(probe, probe_user, &uid, text);
		snprintf(last.name, sizeof(last.name), "%.*s", (int)sizeof(last.name) - 1, text);
		last.uid = uid;
		last.is_set = true;
	}
	return last.name[0] ? last.name : NULL;
}

static void text_user(struct out_text *text, const void *object)
{
	const char *name = user_name(sock_of(object)->uid);

	if (name)
		out_escaped(text, name, strlen(name));
	else
		out_dec(text, sock_of(object)->uid, 0);
}

static json_t *json_user(const void *object)
{
	const char *name = user_name(sock_of(object)->uid);

	return name ? out_json_string(name, strlen(name)) : NULL;
}

static void text_inode(struct out_text *text, const void *object)
{
	out_dec(text, sock_of(object)->inode, 7);
}

static json_t *json_inode(const void *object)
{
	return json_integer((json_int_t)sock_of(object)->inode);
}

/* inet_ntop() is too slow for the one case that matters in a long table. */
static void append_ipv4(struct out_text *text, const uint8_t *ip)
{
	for (int i = 0; i < 4; i++) {
		if (i)
			out_char(text, '.');
		out_dec(text, ip[i], 0);
	}
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
static bool has_local(const struct smc_sock *sock)
{
	return sock->local.port || sock->peer.port || smc_sock_connected(sock);
}

static void text_local(struct out_text *text, const void *object)
{
	if (has_local(sock_of(object)))
		smcss_append_addr(text, &sock_of(object)->local);
}

static void text_peer(struct out_text *text, const void *object)
{
	if (smc_sock_connected(sock_of(object)))
		smcss_append_addr(text, &sock_of(object)->peer);
}

static json_t *json_addr(const struct smc_addr *addr)
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

static json_t *json_local(const void *object)
{
	return has_local(sock_of(object)) ? json_addr(&sock_of(object)->local) : NULL;
}

static json_t *json_peer(const void *object)
{
	return smc_sock_connected(sock_of(object)) ? json_addr(&sock_of(object)->peer) : NULL;
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

static void text_reason(struct out_text *text, const void *object)
{
	if (has_reason(sock_of(object)))
		smcss_append_reason(text, &sock_of(object)->fallback);
}

static json_t *json_reason_code(uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	if (!reason)
		return json_pack("{s:I}", "code", (json_int_t)code);
	return json_pack("{s:I, s:s, s:s, s:s}", "code", (json_int_t)code, "symbol", reason->symbol,
			 "meaning", reason->meaning, "check", reason->check);
}

static json_t *json_reason(const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	return has_reason(sock) ? json_reason_code(sock->fallback.reason) : NULL;
}

static json_t *json_peer_reason(const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	return has_reason(sock) && sock->fallback.peer_diagnosis ?
		       json_reason_code(sock->fallback.peer_diagnosis) : NULL;
}

static void explain_one(struct out_text *text, const char *side, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	out_str(text, "    ");
	out_str(text, side);
	out_str(text, ": ");
	append_symbol(text, code);
	if (!reason) {
		out_str(text, ": a reason that Linux does not use\n");
		return;
	}
	out_str(text, ": ");
	out_str(text, reason->meaning);
	out_str(text, "\n        check: ");
	out_str(text, reason->check);
	out_str(text, "\n");
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

	if (!smc_sock_connected(sock) || !(sock->has & SMC_SOCK_HAS_SHUTDOWN))
		return;
	out_str(text, sock->shutdown & 1 ? "R-" : "<-");
	out_str(text, sock->shutdown & 2 ? "W" : ">");
}

static json_t *json_shutd(const void *object)
{
	const struct smc_sock *sock = sock_of(object);

	if (!(sock->has & SMC_SOCK_HAS_SHUTDOWN))
		return NULL;
	return json_pack("{s:b, s:b}", "read", sock->shutdown & 1, "write", sock->shutdown & 2);
}

/* A function per member: the compiler writes them, the table names them. */
#define CONN_HEX(name, member)                                                         \
	static void text_##name(struct out_text *text, const void *object)             \
	{                                                                              \
		if (sock_of(object)->has & SMC_SOCK_HAS_CONN)                          \
			out_hex(text, sock_of(object)->conn.member, 8);                \
	}                                                                              \
	static json_t *json_##name(const void *object)                                 \
	{                                                                              \
		if (!(sock_of(object)->has & SMC_SOCK_HAS_CONN))                       \
			return NULL;                                                   \
		return json_integer(sock_of(object)->conn.member);                     \
	}
#define CONN_CURSOR(name)                                                              \
	static void text_##name(struct out_text *text, const void *object)             \
	{                                                                              \
		if (sock_of(object)->has & SMC_SOCK_HAS_CONN)                          \
			append_cursor(text, &sock_of(object)->conn.name);              \
	}                                                                              \
	static json_t *json_##name(const void *object)                                 \
	{                                                                              \
		if (!(sock_of(object)->has & SMC_SOCK_HAS_CONN))                       \
			return NULL;                                                   \
		return json_cursor(&sock_of(object)->conn.name);                       \
	}
#define CONN_FLAGS(name, prod, state)                                                  \
	static void text_##name(struct out_text *text, const void *object)             \
	{                                                                              \
		if (!(sock_of(object)->has & SMC_SOCK_HAS_CONN))                       \
			return;                                                        \
		out_hex(text, sock_of(object)->conn.prod, 2);                          \
		out_char(text, ':');                                                 \
		out_hex(text, sock_of(object)->conn.state, 2);                         \
	}                                                                              \
	static json_t *json_##name(const void *object)                                 \
	{                                                                              \
		if (!(sock_of(object)->has & SMC_SOCK_HAS_CONN))                       \
			return NULL;                                                   \
		return json_pack("{s:i, s:i}", "producer", sock_of(object)->conn.prod, \
				 "state", sock_of(object)->conn.state);                \
	}

static void append_cursor(struct out_text *text, const struct smc_abi_cursor *cursor)
{
	out_hex(text, cursor->wrap, 4);
	out_char(text, ':');
	out_hex(text, cursor->count, 8);
}

static json_t *json_cursor(const struct smc_abi_cursor *cursor)
{
	return json_pack("{s:i, s:I}", "wrap", cursor->wrap, "count", (json_int_t)cursor->count);
}

CONN_HEX(token, token)
CONN_HEX(sndbuf, sndbuf_size)
CONN_HEX(rcvbuf, rmbe_size)
CONN_HEX(peerbuf, peer_rmbe_size)
CONN_CURSOR(rx_prod)
CONN_CURSOR(rx_cons)
CONN_CURSOR(tx_prod)
CONN_CURSOR(tx_cons)
CONN_CURSOR(tx_prep)
CONN_CURSOR(tx_sent)
CONN_CURSOR(tx_fin)
CONN_FLAGS(rxflags, rx_prod_flags, rx_conn_state_flags)
CONN_FLAGS(txflags, tx_prod_flags, tx_conn_state_flags)

/* ---- -R ---- */

static bool has_lgr(const void *object)
{
	return sock_of(object)->has & SMC_SOCK_HAS_LGR;
}

static void text_role(struct out_text *text, const void *object)
{
	if (has_lgr(object))
		out_str(text, sock_of(object)->lgr.role ? "SERV" : "CLNT");
}

static void text_ibdev(struct out_text *text, const void *object)
{
	if (has_lgr(object))
		out_escaped(text, sock_of(object)->lgr.ibname, SMC_IB_NAME_LEN);
}

static void text_ibport(struct out_text *text, const void *object)
{
	if (has_lgr(object))
		out_hex(text, sock_of(object)->lgr.ibport, 2);
}

static void text_linkid(struct out_text *text, const void *object)
{
	if (has_lgr(object))
		out_hex(text, sock_of(object)->lgr.link_id, 2);
}

static void text_gid(struct out_text *text, const void *object)
{
	if (has_lgr(object))
		out_escaped(text, sock_of(object)->lgr.gid, SMC_GID_TEXT_LEN);
}

static void text_peergid(struct out_text *text, const void *object)
{
	if (has_lgr(object))
		out_escaped(text, sock_of(object)->lgr.peer_gid, SMC_GID_TEXT_LEN);
}

static json_t *json_smcr(const void *object)
{
	const struct smc_abi_lgrinfo *lgr = &sock_of(object)->lgr;

	if (!has_lgr(object))
		return NULL;
	return json_pack("{s:s, s:o, s:i, s:i, s:o, s:o}", "role", lgr->role ? "server" : "client",
			 "ib_device", out_json_string(lgr->ibname, SMC_IB_NAME_LEN), "ib_port",
			 lgr->ibport, "link_id", lgr->link_id, "gid",
			 out_json_string(lgr->gid, SMC_GID_TEXT_LEN), "peer_gid",
			 out_json_string(lgr->peer_gid, SMC_GID_TEXT_LEN));
}

/* ---- -D ---- */

static void append_hex64(struct out_text *text, const void *object, uint64_t value)
{
	if (sock_of(object)->has & SMC_SOCK_HAS_DMB)
		out_hex(text, value, 16);
}

static void text_dgid(struct out_text *text, const void *object)
{
	append_hex64(text, object, sock_of(object)->dmb.my_gid);
}

static void text_dtoken(struct out_text *text, const void *object)
{
	append_hex64(text, object, sock_of(object)->dmb.token);
}

static void text_dpeergid(struct out_text *text, const void *object)
{
	append_hex64(text, object, sock_of(object)->dmb.peer_gid);
}

static void text_dpeertoken(struct out_text *text, const void *object)
{
	append_hex64(text, object, sock_of(object)->dmb.peer_token);
}

static void text_dlinkid(struct out_text *text, const void *object)
{
	if (sock_of(object)->has & SMC_SOCK_HAS_DMB)
		out_hex(text, sock_of(object)->dmb.linkid, 8);
}

static json_t *json_hex(uint64_t value, int digits)
{
	struct out_text text = { 0 };
	json_t *json;

	out_hex(&text, value, digits);
	json = text.is_failed ? NULL : json_stringn(text.data, text.len);
	out_free(&text);
	return json;
}

static json_t *json_smcd(const void *object)
{
	const struct smc_sock *sock = sock_of(object);
	const struct smc_abi_dmbinfo *dmb = &sock->dmb;
	json_t *json;

	if (!(sock->has & SMC_SOCK_HAS_DMB))
		return NULL;
	json = json_pack("{s:o, s:o, s:o, s:o, s:o}", "gid", json_hex(dmb->my_gid, 16), "token",
			 json_hex(dmb->token, 16), "peer_gid", json_hex(dmb->peer_gid, 16),
			 "peer_token", json_hex(dmb->peer_token, 16), "linkgroup",
			 json_hex(dmb->linkid, 8));
	/* Real ISM has 64-bit GIDs; zero is what the kernel then sends for the rest. */
	if (json && sock->has & SMC_SOCK_HAS_GID_EXT && (dmb->my_gid_ext || dmb->peer_gid_ext)) {
		json_object_set_new(json, "gid_ext", json_hex(dmb->my_gid_ext, 16));
		json_object_set_new(json, "peer_gid_ext", json_hex(dmb->peer_gid_ext, 16));
	}
	return json;
}

/* ---- the rest ---- */

static void text_family(struct out_text *text, const void *object)
{
	switch (sock_of(object)->family) {
	case AF_SMC: out_str(text, "smc"); break;
	case AF_INET: out_str(text, "inet"); break;
	case AF_INET6: out_str(text, "inet6"); break;
	default: out_dec(text, sock_of(object)->family, 0);
	}
}

static json_t *json_family(const void *object)
{
	return json_integer(sock_of(object)->family);
}

static void text_cookie(struct out_text *text, const void *object)
{
	out_hex(text, sock_of(object)->cookie, 0);
}

static json_t *json_cookie(const void *object)
{
	return json_hex(sock_of(object)->cookie, 0);
}

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

		json_array_append_new(list, json_pack("{s:i, s:o, s:i}", "pid", holder->pid,
						      "command",
						      out_json_string(holder->comm,
								      sizeof(holder->comm)),
						      "fd", holder->fd));
	}
	return list;
}

const struct out_col smcss_columns[] = {
	{ "state", "State", "state", 16, .text = text_state, .json = json_state },
	{ "uid", "UID", "uid", 5, .text = text_uid, .json = json_uid },
	{ "user", "User", "user", 8, .text = text_user, .json = json_user },
	{ "inode", "Inode", "inode", 7, .text = text_inode, .json = json_inode },
	{ "local", "Local Address", "local", 23, .text = text_local, .json = json_local },
	{ "peer", "Peer Address", "peer", 23, .text = text_peer, .json = json_peer },
	{ "intf", "Intf", "bound_ifindex", 4, .text = text_intf, .json = json_intf },
	{ "mode", "Mode", "mode", 4, .text = text_mode, .json = json_mode },
	{ "reason", "Reason", "reason", 18, .text = text_reason, .json = json_reason },
	{ NULL, NULL, "peer_reason", 0, .json = json_peer_reason },
	{ "shutd", "Shutd", "shutdown", 5, .text = text_shutd, .json = json_shutd },
	{ "token", "Token", "token", 8, .text = text_token, .json = json_token },
	{ "sndbuf", "Sndbuf", "sndbuf", 8, .text = text_sndbuf, .json = json_sndbuf },
	{ "rcvbuf", "Rcvbuf", "rcvbuf", 8, .text = text_rcvbuf, .json = json_rcvbuf },
	{ "peerbuf", "Peerbuf", "peerbuf", 8, .text = text_peerbuf, .json = json_peerbuf },
	{ "rxprod", "rxprod-Cursor", "rx_prod", 13, .text = text_rx_prod, .json = json_rx_prod },
	{ "rxcons", "rxcons-Cursor", "rx_cons", 13, .text = text_rx_cons, .json = json_rx_cons },
	{ "rxflags", "rxFlags", "rx_flags", 7, .text = text_rxflags, .json = json_rxflags },
	{ "txprod", "txprod-Cursor", "tx_prod", 13, .text = text_tx_prod, .json = json_tx_prod },
	{ "txcons", "txcons-Cursor", "tx_cons", 13, .text = text_tx_cons, .json = json_tx_cons },
	{ "txflags", "txFlags", "tx_flags", 7, .text = text_txflags, .json = json_txflags },
	{ "txprep", "txprep-Cursor", "tx_prep", 13, .text = text_tx_prep, .json = json_tx_prep },
	{ "txsent", "txsent-Cursor", "tx_sent", 13, .text = text_tx_sent, .json = json_tx_sent },
	{ "txfin", "txfin-Cursor", "tx_fin", 13, .text = text_tx_fin, .json = json_tx_fin },
	{ "role", "Role", "smcr", 4, .text = text_role, .json = json_smcr },
	{ "ibdev", "IB-device", NULL, 15, .text = text_ibdev },
	{ "ibport", "Port", NULL, 4, .text = text_ibport },
	{ "linkid", "Linkid", NULL, 6, .text = text_linkid },
	{ "gid", "GID", NULL, 40, .text = text_gid },
	{ "peergid", "Peer-GID", NULL, 39, .text = text_peergid },
	{ "dgid", "GID", "smcd", 16, .text = text_dgid, .json = json_smcd },
	{ "dtoken", "Token", NULL, 16, .text = text_dtoken },
	{ "dpeergid", "Peer-GID", NULL, 16, .text = text_dpeergid },
	{ "dpeertoken", "Peer-Token", NULL, 16, .text = text_dpeertoken },
	{ "dlinkid", "Linkid", NULL, 8, .text = text_dlinkid },
	{ "family", "Family", "family", 6, .text = text_family, .json = json_family },
	{ "cookie", "Cookie", "cookie", 8, .text = text_cookie, .json = json_cookie },
	{ "process", "Process", "processes", 7, .text = text_process, .json = json_processes },
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
	if (opts->has_processes)
		out_view_add(view, smcss_columns, "process");
	if (opts->has_processes)
		out_view_widen(view, "mode", MODE_WIDTH);
	if (opts->is_wide) {
		out_view_widen(view, "local", ADDR_WIDTH);
		out_view_widen(view, "peer", ADDR_WIDTH);
	}
	return 0;
}
