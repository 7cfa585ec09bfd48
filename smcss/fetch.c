// SPDX-License-Identifier: MIT
/*
 * All SMC sockets from the kernel, which of them are wanted, and what completes them: TCP sockets
 * inside, and processes.
 */
#include "smcss.h"

#include <errno.h>
#include <string.h>

#include "host/smc.h"
#include "netlink/diag.h"

#define TRIES 3

uint8_t smcss_ext(const struct smcss_opts *opts)
{
	uint8_t ext = 0;

	if (opts->is_json || opts->columns || opts->is_top)
		return SMC_DIAG_EXT(SMC_ABI_DIAG_CONNINFO) | SMC_DIAG_EXT(SMC_ABI_DIAG_LGRINFO) |
		       SMC_DIAG_EXT(SMC_ABI_DIAG_DMBINFO);
	if (opts->is_debug)
		ext |= SMC_DIAG_EXT(SMC_ABI_DIAG_CONNINFO);
	if (opts->only_smcr)
		ext |= SMC_DIAG_EXT(SMC_ABI_DIAG_LGRINFO);
	if (opts->only_smcd)
		ext |= SMC_DIAG_EXT(SMC_ABI_DIAG_DMBINFO);
	return ext;
}

bool smcss_selects(const struct smcss_opts *opts, const struct smc_sock *sock)
{
	enum smc_mode mode = smc_sock_mode(sock);

	/* As ever, --all adds those that are neither yet. */
	if (mode != SMC_MODE_NONE || !opts->is_all) {
		if (opts->only_smcd && mode != SMC_MODE_SMCD)
			return false;
		if (opts->only_smcr && mode != SMC_MODE_SMCR)
			return false;
	}
	if (opts->is_listening)
		return sock->state == SMC_ABI_LISTEN;
	return opts->is_all || opts->filter.has_state || smc_sock_connected(sock);
}

bool smcss_has_listening(const struct smcss_opts *opts)
{
	return (opts->is_all || opts->is_listening || opts->filter.has_state) &&
	       filter_can_match(&opts->filter, SMC_ABI_LISTEN);
}

static int try_once(const struct smcss_source *source, struct smc_err *err)
{
	const struct smc_abi_diag_req req = smc_sock_request(source->ext);
	int ret = source->begin(source->arg);

	if (!ret)
		ret = smc_diag_dump(&req, sizeof(req), sizeof(struct smc_abi_diag_msg),
				    source->on_message, source->arg, err);
	return !ret && source->end ? source->end(source->arg) : ret;
}

int smcss_fetch(const struct smcss_source *source, struct smc_err *err)
{
	bool is_loaded = false;
	int tries = 0, ret;

	for (;;) {
		ret = try_once(source, err);
		if (ret == -EINTR && !(source->is_final && *source->is_final) && ++tries < TRIES)
			continue;
		if (ret != -ENOENT || is_loaded)
			return ret;
		/* The request loads smc_diag, but only a socket loads smc itself. */
		if (host_af_smc() == -EAFNOSUPPORT)
			return smc_err_say(err, ENOENT, SMC_MISSING);
		is_loaded = true;
	}
}

int smcss_load_processes(struct smcss_lookup *lookup, struct smc_err *err)
{
	int ret = lookup->has_procs ? 0 : proc_table_load(&lookup->procs);

	lookup->has_procs = true;
	return ret ? smc_err_set(err, -ret, "cannot read which processes hold sockets") : 0;
}

int smcss_tcp_dump(uint8_t family, smcss_tcp_request_fn request, smc_diag_fn fn, void *arg,
		   struct smc_err *err)
{
	const struct inet_diag_req_v2 req = request(family);
	int ret = smc_diag_dump(&req, sizeof(req), sizeof(struct inet_diag_msg), fn, arg, err);

	/* No IPv6, no tcp_diag, not recorded: what they would tell then stays unknown. */
	return ret == -ENOENT || ret == -ENODATA ? 0 : ret;
}

static int load_inet(struct smcss_lookup *lookup, uint8_t family, struct smc_err *err)
{
	bool *has = &lookup->has_inet[family == AF_INET6];
	int ret = *has ? 0 :
			 smcss_tcp_dump(family, smc_inet_request, smc_inet_add, &lookup->inet, err);

	*has = true;
	if (ret)
		smcss_forget_inet(lookup);
	return ret;
}

int smcss_complete(struct smcss_lookup *lookup, struct smc_sock *sock, struct smc_err *err)
{
	const struct proc_fd *holder;
	size_t count;
	int ret = 0;

	/* An AF_SMC socket's TCP socket is of either. */
	if (sock->family != AF_INET6)
		ret = load_inet(lookup, AF_INET, err);
	if (!ret && sock->family != AF_INET)
		ret = load_inet(lookup, AF_INET6, err);
	if (ret)
		return ret;
	if (smc_inet_resolve(&lookup->inet, sock))
		return 0;
	ret = smcss_load_processes(lookup, err);
	if (ret)
		return ret;
	holder = proc_table_find(&lookup->procs, sock->inode, &count);
	if (holder)
		proc_socket_names(holder, &sock->local, &sock->peer);
	return 0;
}

void smcss_forget_inet(struct smcss_lookup *lookup)
{
	smc_inet_free(&lookup->inet);
	memset(lookup->has_inet, 0, sizeof(lookup->has_inet));
}

void smcss_lookup_free(struct smcss_lookup *lookup)
{
	smcss_forget_inet(lookup);
	proc_table_free(&lookup->procs);
	*lookup = (struct smcss_lookup){ .has_procs = false };
}
