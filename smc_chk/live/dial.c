// SPDX-License-Identifier: MIT
/* Connecting to a server by its name; one sentence for each way in which that fails. */
#include "smc_chk/live/dial.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "smc_chk/live/stream.h"

/* TCP got through, the SMC handshake did not. */
static void explain_handshake(struct smc_err *err, const char *peer, uint16_t port, int code,
			      int timeout_ms)
{
	const char *what;

	switch (code) {
	case ETIME:
		smc_err_say(err, code, "no SMC connection to %s port %u: TCP gets through, but the "
			    "SMC handshake was not over after %g s", peer, port, timeout_ms / 1000.0);
		return;
	case EPROTO: what = "answers the SMC handshake with something else"; break;
	case ECONNRESET: what = "breaks off the SMC handshake"; break;
	case ETIMEDOUT: what = "does not answer the SMC handshake"; break;
	default: what = "fails in the SMC handshake"; break;
	}
	smc_err_say(err, code, "no SMC connection to %s port %u: it returns SMC's TCP option, but "
		    "%s; it can be reached only without SMC", peer, port, what);
}

/* One sentence for each way in which an address cannot be reached. */
static void explain(struct smc_err *err, const char *peer, uint16_t port, int code, int timeout_ms)
{
	switch (code) {
	case ECONNREFUSED:
		smc_err_say(err, code, "%s port %u refused the connection: nothing listens there, "
			    "or a firewall rejects it", peer, port);
		break;
	case ETIMEDOUT:
		smc_err_say(err, code, "no answer from %s port %u within %g s: the host is down, "
			    "or a firewall drops the packets", peer, port, timeout_ms / 1000.0);
		break;
	case ENETUNREACH: case ENETDOWN:
		smc_err_say(err, code, "no route to %s: the network is unreachable", peer);
		break;
	case EHOSTUNREACH: case EHOSTDOWN:
		smc_err_say(err, code, "%s is unreachable: it does not answer in its network, or a "
			    "router says so", peer);
		break;
	case EACCES: case EPERM:
		smc_err_say(err, code, "a route or a firewall of this host prohibits connections "
			    "to %s port %u", peer, port);
		break;
	default:
		smc_err_set(err, code, "cannot connect to %s port %u", peer, port);
		break;
	}
}

static struct addrinfo *resolve(struct client_result *result, const struct dial_target *target)
{
	const struct addrinfo hints = { .ai_family = target->req->family,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int ret = getaddrinfo(target->host, NULL, &hints, &list);

	if (!ret)
		return list;
	result->status = CHK_ERROR;
	if (ret == EAI_ADDRFAMILY || ret == EAI_NODATA)
		smc_err_say(&result->err, EINVAL, "host '%s' has no %saddress", target->host,
			    target->req->family == AF_INET6 ? "IPv6 " :
			    target->req->family == AF_INET ? "IPv4 " : "");
	else
		smc_err_say(&result->err, EINVAL, "host '%s' is not known: %s", target->host,
			    ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret));
	return NULL;
}

int dial(struct client_result *result, const struct dial_target *target)
{
	struct addrinfo *list = resolve(result, target);
	char text[ENDPOINT_TEXT_SIZE];
	int timeout_ms = target->req->timeout_ms, fd = -1;
	enum stream_stage stage;

	for (const struct addrinfo *info = list; info && fd < 0; info = info->ai_next) {
		union endpoint_addr addr;

		if (info->ai_family != AF_INET && info->ai_family != AF_INET6)
			continue;
		memcpy(&addr, info->ai_addr, info->ai_addrlen);
		endpoint_set_port(&addr, target->port);
		endpoint_text(text, &addr);
		chk_debug(target->req, "connecting to %s port %u over %s", text, target->port,
			  target->is_smc ? "SMC" : "TCP");
		result->peer = addr;
		fd = stream_connect(&addr, target->is_smc, timeout_ms, &result->handshake_ns,
				    &stage);
		if (fd >= 0)
			break;
		result->status = CHK_ERROR;
		if (stage == STREAM_HANDSHAKE)
			explain_handshake(&result->err, text, target->port, -fd, timeout_ms);
		else
			explain(&result->err, text, target->port, -fd, timeout_ms);
		chk_debug(target->req, "%s", result->err.text);
	}
	if (list)
		freeaddrinfo(list);
	return fd < 0 ? -1 : fd;
}
