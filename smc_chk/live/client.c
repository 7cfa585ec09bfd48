// SPDX-License-Identifier: MIT
/* One connection, tested: reached how, over what, and does every byte arrive? */
#include "smc_chk/live/client.h"

#include <string.h>
#include <unistd.h>

#include "netlink/genl.h"
#include "smc/link.h"
#include "smc_chk/live/dial.h"
#include "smc_chk/live/exchange.h"
#include "smc_chk/live/measure.h"

/* The greeting comes with the first round trip; a busy server may need longer. */
#define GREETING_MS 1000
#define GREETING_HANDSHAKES 4

/* Several times the default buffers of SMC; and a limit for systems that have huge ones. */
#define LARGE 300001
#define LARGEST (4 << 20)

/* ---- data ---- */

/* Longer than the buffers of both sides: so no side can finish without the other. */
static size_t large_size(const struct client_result *result)
{
	size_t size = LARGE, twice;

	if (result->has_sock && result->sock.has & SMC_SOCK_HAS_CONN) {
		twice = (size_t)result->sock.conn.sndbuf_size + result->sock.conn.rmbe_size +
			result->sock.conn.peer_rmbe_size;
		size = twice > LARGE ? twice + 1 : LARGE;
	}
	return size < LARGEST ? size : LARGEST;
}

static int check_data(struct client_result *result, int fd, int timeout_ms)
{
	const size_t sizes[] = { 1, 1000, 65537, large_size(result) };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (exchange_data(result, fd, PROTO_ECHO, sizes[i], timeout_ms))
			return -1;
		result->bytes += sizes[i];
	}
	return exchange_round_trips(result, fd, timeout_ms, &result->rtt_min_ns,
				  &result->rtt_median_ns);
}

/* ---- what it runs over ---- */

struct group_search {
	const struct client_result *result;
	struct smc_lgr current, found;
	int n_found;
};

static bool is_our_group(const struct smc_sock *sock, const struct smc_lgr *lgr)
{
	return lgr->has & SMC_LGR_HAS_ID && sock->has & SMC_SOCK_HAS_DMB &&
	       lgr->id == sock->dmb.linkid;
}

static bool is_our_link(const struct smc_sock *sock, const struct smc_lgr *lgr,
			const struct smc_link *link)
{
	return sock->has & SMC_SOCK_HAS_LGR && lgr->conns && lgr->role == sock->lgr.role &&
	       link->id == sock->lgr.link_id && link->ib_port == sock->lgr.ibport &&
	       !strcmp(link->ib_dev, sock->lgr.ibname) && !strcmp(link->gid, sock->lgr.gid) &&
	       !strcmp(link->peer_gid, sock->lgr.peer_gid);
}

static int look_at_group(const struct nlmsghdr *nlh, void *arg)
{
	struct group_search *search = arg;
	const struct smc_sock *sock = &search->result->sock;
	struct smc_link link;
	struct smc_lgr lgr;

	if (!smc_lgr_decode(&lgr, nlh)) {
		search->current = lgr;
		if (search->result->mode != SMC_MODE_SMCD || !is_our_group(sock, &lgr))
			return 0;
	} else if (smc_link_decode(&link, nlh) || !is_our_link(sock, &search->current, &link)) {
		return 0;
	}
	search->found = search->current;
	search->n_found++;
	return 0;
}

/* A socket does not name its SMC-R group: the group counts if only one has such a link. */
static void find_group(struct client_result *result)
{
	struct group_search search = { .result = result };
	struct smc_genl *nl;

	if (smc_genl_open(&nl, SMC_ABI_GEN_FAMILY, NULL))
		return;
	smc_genl_dump(nl, result->mode == SMC_MODE_SMCD ? SMC_ABI_GET_LGR_SMCD :
							  SMC_ABI_GET_LINK_SMCR,
		      look_at_group, &search, NULL);
	smc_genl_close(nl);
	result->has_lgr = search.n_found == 1;
	result->lgr = search.found;
}

static void look_at_socket(struct client_result *result, int fd, bool is_smc)
{
	socklen_t len = sizeof(result->local);

	/* The peer's is known, and an SMC socket would forget its scope id. */
	getsockname(fd, &result->local.sa, &len);
	result->has_sock = is_smc && endpoint_diag(fd, &result->sock);
	result->mode = result->has_sock ? smc_sock_mode(&result->sock) : SMC_MODE_NONE;
	/* The kernel puts the TCP socket into the place of the SMC socket when it falls back. */
	if (endpoint_is_tcp(fd))
		result->mode = SMC_MODE_TCP;
	if (result->mode == SMC_MODE_SMCR || result->mode == SMC_MODE_SMCD)
		find_group(result);
	/* Addresses that were tried before are forgotten. */
	result->status = result->mode == SMC_MODE_TCP ? CHK_TCP : CHK_OK;
}

/* ---- all of it ---- */

static int greeting_wait(const struct client_result *result, int timeout_ms)
{
	uint64_t ms = GREETING_MS + GREETING_HANDSHAKES * result->handshake_ns / 1000000U;

	return ms < (uint64_t)timeout_ms ? (int)ms : timeout_ms;
}

static int talk(struct client_result *result, const struct chk_request *req, int fd)
{
	chk_debug(req, "connected; mode %s; waiting for the server's greeting",
		  smc_mode_name(result->mode));
	result->is_ours = exchange_is_greeted(fd, greeting_wait(result, req->timeout_ms));
	chk_debug(req, "the server is %s", result->is_ours ? "smc_chk -S" : "another program");
	if (result->is_ours && (exchange_data(result, fd, PROTO_WHO, 0, req->timeout_ms) ||
				check_data(result, fd, req->timeout_ms)))
		return -1;
	if (!req->is_tcp_too || result->status == CHK_UNTESTED)
		return 0;
	chk_debug(req, "measuring over SMC and over TCP");
	return measure_rates(result, fd, req->timeout_ms);
}

int client_test(struct client_result *result, const struct chk_request *req, const char *host,
		uint16_t port)
{
	struct dial_target target = { .req = req, .host = host, .port = port, .is_smc = true };
	int probe = endpoint_socket(AF_INET, true), fd;

	*result = (struct client_result){ 0 };
	if (probe >= 0)
		close(probe);
	target.is_smc = probe >= 0;
	fd = dial(result, &target);
	if (fd < 0)
		return result->status;
	result->is_connected = true;
	look_at_socket(result, fd, target.is_smc);
	if (!target.is_smc) {
		result->status = CHK_UNTESTED;
		smc_err_say(&result->err, -probe, "%s", endpoint_why_not(-probe));
	}
	if (talk(result, req, fd))
		endpoint_abort(fd);
	else
		close(fd);
	return result->status;
}
