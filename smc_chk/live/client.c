// SPDX-License-Identifier: MIT
#include "smc_chk/live/client.h"

#include <poll.h>

#include "base/array.h"
#include "base/write.h"
#include "cli/screen.h"
#include "host/file.h"
#include "netlink/genl.h"

/* The greeting arrives with the first round trip; a busy server may be slower. */
#define GREETING_MS 1000
#define GREETING_HANDSHAKES 4

/* Limit for everything after connecting, as a multiple of the timeout for one step. */
#define WHOLE_STEPS 30

/* Bytes of the large exchange: several times SMC's default buffers; a limit for huge buffers. */
#define LARGE 300001
#define LARGEST (4 << 20)

/* ---- connecting: one sentence for each way in which that fails ---- */

#define NO_SMC "no SMC connection to "
#define BUT ": it returns SMC's TCP option, but "
#define WITHOUT "; it can be reached only without SMC"

/** struct failure - a sentence around the address; @shows: with its port, and the timeout */
static const struct failure {
	int code, same;
	bool has_port;
	const char *before, *after;
} failures[] = {
	{ ECONNREFUSED, 0, true, "",
	  " refused the connection: nothing listens there, or a firewall rejects it" },
	{ ENETUNREACH, ENETDOWN, false, "no route to ", ": the network is unreachable" },
	{ EHOSTUNREACH, EHOSTDOWN, false, "",
	  " is unreachable: it does not answer in its network, or a router says so" },
	{ EACCES, EPERM, true, "a route or a firewall of this host prohibits connections to ", "" },
	{ ETIMEDOUT, 0, true, "no answer from ",
	  ": the host is down, or a firewall drops the packets" },
	/* TCP got through, the SMC handshake did not. */
	{ ETIME, 0, true, NO_SMC,
	  ": TCP gets through, but the SMC handshake did not finish; SMC-R needs UDP port 4791" },
	{ EPROTO, 0, true, NO_SMC, BUT "answers the SMC handshake with something else" WITHOUT },
	{ ENOMSG, 0, true, NO_SMC, BUT "does not answer the SMC handshake" WITHOUT },
	{ ECONNABORTED, 0, true, NO_SMC, BUT "fails in the SMC handshake" WITHOUT },
	{ ECONNRESET, 0, true, NO_SMC,
	  BUT "breaks off the SMC handshake; it is busy, or can be reached only without SMC" },
};

static void explain(struct smc_err *err, const char *peer, const char *where, int code,
		    double seconds)
{
	char within[32] = "";

	if (code == ETIMEDOUT || code == ETIME)
		snprintf(within, sizeof(within), " within %g s", seconds);
	smc_err_set(err, code, "cannot connect to %s", where);
	for_each(row, failures, ARRAY_SIZE(failures))
		if (code == row->code || code == row->same)
			smc_err_say(err, code, "%s%s%s%s", row->before,
				    row->has_port ? where : peer, within, row->after);
}

/* Connect to the first address that answers. Return: descriptor, -1. */
static int dial(struct client_result *result, const struct chk_request *req, const char *host,
		uint16_t port, bool is_smc)
{
	struct addrinfo *list;
	union endpoint_addr *addr = &result->peer;
	char peer[ENDPOINT_TEXT_SIZE], where[ENDPOINT_TEXT_SIZE + 16];
	int fd = -1;

	cli_progress("connecting to %s port %u", host, port);
	list = endpoint_resolve(host, req->family, &result->err);
	for (const struct addrinfo *info = list; info && fd < 0; info = info->ai_next) {
		memcpy(addr, info->ai_addr, info->ai_addrlen);
		endpoint_set_port(addr, port);
		endpoint_text(peer, addr);
		snprintf(where, sizeof(where), "%s port %u", peer, port);
		chk_debug(req, "connecting to %s over %s", where, is_smc ? "SMC" : "TCP");
		fd = stream_connect(addr, is_smc, req->timeout_ms, &result->handshake_ns);
		if (fd < 0) {
			explain(&result->err, peer, where, -fd, req->timeout_ms / 1000.0);
			chk_debug(req, "%s", result->err.text);
		}
	}
	if (list)
		freeaddrinfo(list);
	cli_progress_end();
	return fd;
}

/* ---- data ---- */

/* Size of the large exchange: more than both sides' buffers, so both must send and receive. */
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

/* ---- what it runs over ---- */

struct group_search {
	struct client_result *result;
	struct smc_lgr current;
	int n_found;
};

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
		if (search->result->mode != SMC_MODE_SMCD || !(lgr.has & SMC_LGR_HAS_ID) ||
		    !(sock->has & SMC_SOCK_HAS_DMB) || lgr.id != sock->dmb.linkid)
			return 0;
	} else if (smc_link_decode(&link, nlh) || !is_our_link(sock, &search->current, &link)) {
		return 0;
	}
	search->result->lgr = search->current;
	search->n_found++;
	return 0;
}

/* An SMC-R socket does not name its group: report a group only if no other has the link. */
static void find_group(struct client_result *result)
{
	struct group_search search = { .result = result };
	struct smc_genl *nl;

	if (smc_genl_open(&nl, SMC_GENL_FAMILY_NAME, NULL))
		return;
	smc_genl_dump(nl,
		      result->mode == SMC_MODE_SMCD ? SMC_NETLINK_GET_LGR_SMCD :
						      SMC_NETLINK_GET_LINK_SMCR,
		      look_at_group, &search, NULL);
	smc_genl_close(nl);
	result->has_lgr = search.n_found == 1;
}

static void look_at_socket(struct client_result *result, int fd, bool is_smc)
{
	socklen_t len = sizeof(result->local);

	/* Keep the known address of the peer, because an SMC socket would lose its scope id. */
	getsockname(fd, &result->local.sa, &len);
	result->has_sock = is_smc && endpoint_diag(fd, &result->sock);
	result->mode = result->has_sock ? smc_sock_mode(&result->sock) : SMC_MODE_NONE;
	/* On fallback the kernel replaces the SMC socket with the TCP socket. */
	if (endpoint_is_tcp(fd))
		result->mode = SMC_MODE_TCP;
	if (result->mode == SMC_MODE_SMCR || result->mode == SMC_MODE_SMCD)
		find_group(result);
	/* Drop errors of addresses that were tried before. */
	result->err = (struct smc_err){ 0 };
	result->status = result->mode == SMC_MODE_TCP ? CHK_TCP : CHK_OK;
}

/* ---- all of it ---- */

static int talk(struct client_result *result, const struct chk_request *req, int fd)
{
	const struct stream_limit limit =
		stream_limit(req->timeout_ms, (uint64_t)req->timeout_ms * WHOLE_STEPS);
	const size_t sizes[] = { 1, 1000, 65537, large_size(result) };
	uint64_t wait = GREETING_MS + GREETING_HANDSHAKES * result->handshake_ns / 1000000U;
	int ret;

	wait = wait < (uint64_t)req->timeout_ms ? wait : (uint64_t)req->timeout_ms;
	chk_debug(req, "connected; mode %s; waiting for the server's greeting",
		  smc_mode_name(result->mode));
	ret = exchange_greeting(result, fd, (int)wait);
	if (ret == -EBUSY)
		return -1;
	result->is_ours = !ret;
	if (!result->is_ours && result->status == CHK_OK &&
	    endpoint_has_declined(&result->local, &result->peer))
		return smc_err_say(&result->err, ECONNABORTED,
				   "the server has declined SMC after all, and sends over TCP, "
				   "while this host waits for SMC; SMC-R needs UDP port 4791");
	chk_debug(req, "the server is %s", result->is_ours ? "smc_chk serve" : "another program");
	if (result->is_ours && exchange_data(result, fd, PROTO_WHO, 0, &limit))
		return -1;
	for (size_t i = 0; result->is_ours && i < ARRAY_SIZE(sizes); i++) {
		if (exchange_data(result, fd, PROTO_ECHO, sizes[i], &limit))
			return -1;
		result->bytes += sizes[i];
	}
	if (result->is_ours &&
	    exchange_round_trips(result, fd, &limit, &result->rtt_min_ns, &result->rtt_median_ns))
		return -1;
	if (!req->is_tcp_too || result->status == CHK_UNTESTED)
		return 0;
	cli_progress("measuring over SMC and over TCP");
	ret = measure_rates(result, fd, &limit);
	cli_progress_end();
	return ret;
}

int client_test(struct client_result *result, const struct chk_request *req, const char *host,
		uint16_t port)
{
	const char *why_not = endpoint_why_not();
	int fd;

	*result = (struct client_result){ .status = CHK_ERROR };
	fd = dial(result, req, host, port, !why_not);
	if (fd < 0)
		return CHK_ERROR;
	look_at_socket(result, fd, !why_not);
	if (why_not) {
		result->status = CHK_UNTESTED;
		smc_err_say(&result->err, EAFNOSUPPORT, "%s", why_not);
	}
	if (talk(result, req, fd)) {
		result->status = CHK_ERROR;
		endpoint_abort(fd);
	} else {
		close(fd);
	}
	return result->status;
}

/* ---- in another process ---- */

#define LOOK_MS 100

/*
 * Like client_test(). While packets of RDMA get lost, SMC blocks even calls that should not wait,
 * and exit(): neither a timeout nor a signal reaches the process then.
 */
static int test_apart(struct client_result *result, const struct chk_request *req)
{
	int ends[2], blocked = 0, most = req->timeout_ms + 10 * LOOK_MS; /* a file may be slow */
	char state[64];
	pid_t pid = pipe(ends) ? -1 : fork();

	if (!pid) {
		/* A caller that waits for the end of our output does not wait for this process. */
		dup2(ends[1], STDOUT_FILENO);
		if (!req->is_debug && !isatty(STDERR_FILENO))
			dup2(ends[1], STDERR_FILENO);
		client_test(result, req, req->object, req->port);
		_exit(!smc_write_all(ends[1], result, sizeof(*result)));
	}
	*result = (struct client_result){ .status = CHK_ERROR };
	if (pid < 0 || close(ends[1])) {
		smc_err_set(&result->err, errno, "cannot start a process");
		return CHK_ERROR;
	}
	while (blocked < most && poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, LOOK_MS) <= 0) {
		host_text(state, sizeof(state), "/proc/%d/stat", pid);
		blocked = strstr(state, ") D ") ? blocked + LOOK_MS : 0;
	}
	if (blocked < most && read(ends[0], result, sizeof(*result)) <= 0)
		smc_err_say(&result->err, EIO, "the test has ended early");
	if (blocked >= most)
		smc_err_say(&result->err, ETIMEDOUT,
			    "the kernel blocks the connection to %s: SMC gets no data through; "
			    "SMC-R needs UDP port 4791",
			    req->object);
	return result->status;
}

int chk_connect(const struct chk_request *req)
{
	struct client_result result;
	struct out_text text = { 0 };
	int ret;

	if (test_apart(&result, req) == CHK_ERROR)
		return cli_error(&chk_tool, "%s", result.err.text);
	if (req->is_json) {
		ret = chk_print_json(
			report_json(json_pack("{s:s, s:o}", "schema", "smc-tools/check/1", "host",
					      out_json_str(req->object)),
				    &result));
	} else {
		report_text(&text, &result, req->width);
		ret = chk_print(&text, req->width, REPORT_INDENT);
	}
	return ret ? ret : result.status;
}
