// SPDX-License-Identifier: MIT
/* -C --tune: a connection with buffers of a size, and one round of the shape on it. */
#include "smc_chk/live/tune_measure.h"

#include <errno.h>

#include "smc_chk/live/exchange.h"

#define WHOLE_STEPS 30

/* ---- the server ---- */

/*
 * @control: a connection that stays. The server listens at another port for each size; @port
 * receives it, the usual one for the usual size.
 */
int tune_port(struct tune *tune, int control, int bytes, uint16_t *port)
{
	int ret;

	*port = tune->port;
	if (!tune->has_server || !bytes)
		return 0;
	ret = exchange_port(control, bytes, tune->req->timeout_ms, port);
	if (ret == -EBUSY)
		return smc_err_say(&tune->result.err, EBUSY,
				   "the server does not listen with "
				   "buffers of %d bytes; try again later",
				   bytes);
	return ret ? smc_err_set(&tune->result.err, -ret, "the server does not answer") : 0;
}

/* A firewall may let only the usual port through. That shows with the first size. */
static int open_size(struct tune *tune, int bytes, uint16_t port)
{
	const int ms = tune->req->timeout_ms;
	uint64_t ns;
	int fd;

	endpoint_set_port(&tune->result.peer, port);
	fd = measure_open(&tune->result, true, bytes, ms, &ns, NULL);
	if (fd >= 0 || port == tune->port || tune->was_reached) {
		tune->was_reached |= fd >= 0 && port != tune->port;
		return fd;
	}
	tune->has_server = false;
	endpoint_set_port(&tune->result.peer, tune->port);
	return measure_open(&tune->result, true, bytes, ms, &ns, NULL);
}

int tune_open(struct tune *tune, int bytes, uint16_t port)
{
	int fd = open_size(tune, bytes, port);

	if (fd < 0 || !endpoint_is_tcp(fd))
		return fd;
	smc_err_say(&tune->result.err, EPROTO,
		    "with buffers of %d bytes the connection fell back "
		    "to TCP",
		    bytes);
	endpoint_abort(fd);
	return -1;
}

/* ---- one round ---- */

static int measure_rpc(struct tune *tune, int fd, const struct stream_limit *limit, double *value)
{
	uint64_t start = stream_now(), now;
	int count = 0;

	do {
		if (exchange_data(&tune->result, fd, PROTO_ECHO, (size_t)tune->req->rpc_bytes,
				  limit))
			return -1;
		count++;
		now = stream_now();
	} while (now - start < measure_share_ns(limit->step_ms));
	*value = count * 1e9 / (double)(now - start);
	return 0;
}

int tune_measure(struct tune *tune, int fd, int bytes, double *value)
{
	const int ms = tune->req->timeout_ms;
	const struct stream_limit limit = stream_limit(ms, (uint64_t)ms * WHOLE_STEPS);
	struct client_rates rates = { 0 };
	int ret;

	switch (tune->req->shape) {
	case CHK_SHAPE_RPC: return measure_rpc(tune, fd, &limit, value);
	case CHK_SHAPE_CONNECTIONS:
		ret = measure_connects(&tune->result, &rates, true, bytes, &limit);
		*value = rates.connects_per_second;
		return ret;
	default:
		ret = measure_throughput(&tune->result, &rates, fd, &limit);
		*value = rates.bytes_per_second;
		return ret;
	}
}
