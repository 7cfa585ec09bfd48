// SPDX-License-Identifier: MIT
/* -S: the server of the live test, as a command. */
#include "smc_chk/live/live.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "smc_chk/live/server.h"
#include "smc_chk/print.h"

/* Addresses to listen on. Return: how many, or -errno with a sentence. */
static int find_addresses(const struct chk_request *req, union endpoint_addr addrs[2],
			  struct smc_err *err)
{
	const struct addrinfo hints = { .ai_family = req->family, .ai_socktype = SOCK_STREAM,
					.ai_flags = AI_PASSIVE };
	struct addrinfo *list;
	int ret, count = 0;

	memset(addrs, 0, 2 * sizeof(*addrs));
	if (!req->bind) {
		if (req->family != AF_INET6)
			addrs[count++].in.sin_family = AF_INET;
		if (req->family != AF_INET)
			addrs[count++].in6.sin6_family = AF_INET6;
		return count;
	}
	ret = getaddrinfo(req->bind, NULL, &hints, &list);
	if (ret)
		return smc_err_say(err, EINVAL, "cannot listen on '%s': %s", req->bind,
				   ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret));
	memcpy(addrs, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return 1;
}

static int announce(const struct chk_request *req, uint16_t port)
{
	struct out_text text = { 0 };

	if (req->is_json)
		return chk_print_json(json_pack("{s:s, s:i}", "schema", "smc-tools/check-server/1",
						"port", port));
	out_printf(&text, "Server started on port %u\n", port);
	return chk_print(&text);
}

/* A descriptor for SIGINT and SIGTERM, which no thread gets any more. */
static int catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int chk_server(const struct chk_request *req)
{
	union endpoint_addr addrs[2];
	struct server *server;
	struct smc_err err = { 0 };
	int count, signal_fd, fd, ret;

	fd = endpoint_socket(AF_INET, true);
	if (fd < 0) {
		cli_error(&chk_tool, "cannot serve SMC: %s", endpoint_why_not(-fd));
		return CHK_UNTESTED;
	}
	close(fd);
	raise_limit();
	signal_fd = catch_signals();
	count = find_addresses(req, addrs, &err);
	if (count < 0 ||
	    server_open(&server, addrs, count, req->port ? req->port : CHK_PORT, &err))
		return cli_error(&chk_tool, "%s", err.text);
	chk_debug(req, "serving on %d listening sockets", count);
	ret = announce(req, endpoint_port(&addrs[0]));
	if (!ret && server_run(server, signal_fd, req->is_once, &err))
		ret = cli_error(&chk_tool, "%s", err.text);
	server_close(server);
	return ret ? CHK_ERROR : CHK_OK;
}
