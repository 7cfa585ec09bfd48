// SPDX-License-Identifier: MIT
/* Sockets, attributes and columns chosen by the options, and the columns of smcss alone. */
#include "smcss/smcss.h"

#include <pwd.h>

#include "host/probe.h"
#include "sockets/fetch.h"

#define MODE_WIDTH (sizeof("TCP 0x05000000/0x03030000") - 1)
#define ADDR_WIDTH (sizeof("[2001:0db8:1111:2222:3333:4444:5555:6666]:65535") - 1)

static int probe_user(void *arg, char text[HOST_PROBE_SIZE])
{
	const struct passwd *user = getpwuid(*(const uint32_t *)arg);

	if (user)
		snprintf(text, HOST_PROBE_SIZE, "%s", user->pw_name);
	return user ? 0 : -ENOENT;
}

/* Consecutive rows often have the same user: cache the last look-up. */
static const char *user_name(uint32_t uid)
{
	static char name[HOST_PROBE_SIZE];
	static uint32_t last;
	static bool is_set;

	if (!is_set || last != uid) {
		/* A recorded host has other users than this machine. */
		host_probe("user-%u", probe_user, &uid, name, uid);
		name[32] = '\0';
		last = uid;
		is_set = true;
	}
	return name[0] ? name : NULL;
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

static const void *netns_of(const void *object)
{
	return ((const struct sockets_row *)object)->netns;
}

const struct out_col smcss_columns[] = {
	{ "user", "User", "user", 8, OUT_ODD(sockets_row, sock.uid), .text = text_user,
	  .json = json_user },
	{ "netns", "Netns", "netns", 23, OUT_STR(netns, name), .find = netns_of },
	{ NULL, NULL, "netns_inode", 0, OUT_DEC(netns, inode, 0), .find = netns_of },
	{ .more = sockets_columns },
};

int smcss_view(struct out_view *view, const struct smcss_opts *opts, struct smc_err *err)
{
	*view = (struct out_view){ 0 };
	if (opts->columns) {
		view->is_chosen = true;
		return sockets_choose(view, smcss_columns, opts->columns, err);
	}
	out_view_add(view, smcss_columns, opts->width ? "mode,state,local,peer" : "state");
	if (opts->has_names || !opts->width)
		out_view_add(view, smcss_columns, opts->has_names ? "user" : "uid");
	if (!opts->width)
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

uint8_t smcss_ext(const struct smcss_opts *opts)
{
	uint8_t ext = 0;

	if (opts->is_json || opts->columns)
		return SOCKETS_EXT_ALL;
	if (opts->is_debug)
		ext |= SMC_DIAG_EXT(SMC_DIAG_CONNINFO);
	if (opts->only_smcr)
		ext |= SMC_DIAG_EXT(SMC_DIAG_LGRINFO);
	if (opts->only_smcd)
		ext |= SMC_DIAG_EXT(SMC_DIAG_DMBINFO);
	return ext;
}

bool smcss_selects(const struct smcss_opts *opts, const struct smc_sock *sock)
{
	enum smc_mode mode = smc_sock_mode(sock);

	/* As in smc-tools 1.8.5, --all adds sockets that are neither listening nor connected. */
	if (mode != SMC_MODE_NONE || !opts->is_all) {
		if (opts->only_smcd && mode != SMC_MODE_SMCD)
			return false;
		if (opts->only_smcr && mode != SMC_MODE_SMCR)
			return false;
	}
	/* The kernel itself ends sockets that no program holds. */
	if (opts->is_kill)
		return sock->inode && smc_sock_connected(sock);
	if (opts->is_listening)
		return sock->state == SMC_ABI_LISTEN;
	return opts->is_all || opts->filter.has_state || smc_sock_connected(sock);
}

bool smcss_has_listening(const struct smcss_opts *opts)
{
	return (opts->is_all || opts->is_listening || opts->filter.has_state) &&
	       filter_can_match(&opts->filter, SMC_ABI_LISTEN);
}
