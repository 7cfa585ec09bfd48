// SPDX-License-Identifier: MIT
/*
 * tune: measure. Nothing on this host is changed: buffer sizes are set per socket, before
 * connecting. The server opens a listener for each size while our control connection lasts, so
 * nothing is left behind, however this ends.
 */

#include "cli/screen.h"
#include "host/file.h"
#include "out/units.h"
#include "smc_chk/live/sweep.h"

#define FIRST (64 << 10)
#define LAST (4 << 20)

/* ---- what is tried ---- */

static void choose_sizes(struct tune *tune)
{
	unsigned long receive = LAST, send = LAST;

	host_number(&receive, "/proc/sys/net/core/rmem_max");
	host_number(&send, "/proc/sys/net/core/wmem_max");
	tune->limit = receive < send ? receive : send;
	tune->sizes[tune->count++].asked = 0;
	for (int size = FIRST; size <= LAST && (unsigned long)size <= tune->limit; size *= 2)
		tune->sizes[tune->count++].asked = size;
}

/* ---- the server ---- */

static const char *size_words(char text[OUT_UNITS], int bytes)
{
	return bytes ? out_size(text, (uint64_t)bytes) : "the usual size";
}

/*
 * @control: a permanent connection. The server uses another port for each size except the default.
 * A firewall may block other ports: the first size detects that.
 */
static int open_size(struct tune *tune, int control, int bytes)
{
	const int ms = tune->req->timeout_ms;
	uint16_t port = tune->port;
	char text[OUT_UNITS];
	uint64_t ns;
	int fd, ret = tune->has_server && bytes ? exchange_port(control, bytes, ms, &port) : 0;

	if (ret == -EBUSY)
		return smc_err_say(&tune->result.err, EBUSY,
				   "the server does not listen with buffers of %s; try again later",
				   size_words(text, bytes));
	if (ret)
		return smc_err_set(&tune->result.err, -ret, "the server does not answer");
	endpoint_set_port(&tune->result.peer, port);
	fd = measure_open(&tune->result, true, bytes, ms, &ns);
	tune->was_reached |= fd >= 0 && port != tune->port;
	if (fd >= 0 || port == tune->port || tune->was_reached)
		return fd;
	tune->has_server = false;
	endpoint_set_port(&tune->result.peer, tune->port);
	return measure_open(&tune->result, true, bytes, ms, &ns);
}

/* ---- one size, once ---- */

static int measure_shape(struct tune *tune, int fd, int bytes, double *value)
{
	const struct stream_limit limit = measure_limit(tune->req->timeout_ms);
	struct client_rates rates = { 0 };
	int ret;

	switch (tune->req->shape) {
	case CHK_SHAPE_RPC:
		return measure_rpc(&tune->result, fd, (size_t)tune->req->rpc_bytes, &limit, value);
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

static void look_at_sizes(struct tune_size *size, int fd)
{
	struct smc_sock sock;

	if (size->receive || !endpoint_diag(fd, &sock) || !(sock.has & SMC_SOCK_HAS_CONN))
		return;
	size->send = sock.conn.sndbuf_size;
	size->receive = sock.conn.rmbe_size;
	size->server = sock.conn.peer_rmbe_size;
}

static int measure_size(struct tune *tune, int control, struct tune_size *size, double *value)
{
	int fd = open_size(tune, control, size->asked), ret;
	char text[OUT_UNITS];

	if (fd < 0)
		return -1;
	if (endpoint_is_tcp(fd)) {
		ret = smc_err_say(&tune->result.err, EPROTO,
				  "with buffers of %s the connection fell back to TCP",
				  size_words(text, size->asked));
	} else {
		look_at_sizes(size, fd);
		ret = measure_shape(tune, fd, size->asked, value);
	}
	if (ret)
		endpoint_abort(fd);
	else
		close(fd);
	return ret;
}

/* ---- all of them ---- */

/* Return: 0; CHK_TCP, CHK_UNTESTED: nothing to tune; CHK_ERROR; with a message. */
static int check_server(struct client_result *result, const struct chk_request *req)
{
	int status = client_test(result, req, req->object, req->port);

	if (status == CHK_TCP)
		smc_err_say(&result->err, EPROTO,
			    "nothing to tune: the connection is TCP, not "
			    "SMC; 'smc_chk connect' says why");
	if (!status && !result->is_ours) {
		status = CHK_ERROR;
		smc_err_say(&result->err, EPROTO, "only 'smc_chk serve' can be measured");
	}
	return status;
}

static void show_progress(const struct tune *tune, int step, int bytes)
{
	char text[OUT_UNITS];

	cli_progress("measuring %s, step %d of %d", size_words(text, bytes), step,
		     TUNE_ROUNDS * tune->count);
}

static int measure(struct tune *tune)
{
	const struct stream_limit limit =
		stream_limit(tune->req->timeout_ms, (uint64_t)tune->req->timeout_ms);
	int status = check_server(&tune->result, tune->req), control, ret;
	uint64_t ns;

	if (status)
		return status;
	choose_sizes(tune);
	tune->port = endpoint_port(&tune->result.peer);
	control = measure_open(&tune->result, true, 0, tune->req->timeout_ms, &ns);
	if (control < 0)
		return CHK_ERROR;
	tune->has_server = tune->result.offers & PROTO_OFFER_BUFFERS;
	/* Keep alive: a server drops idle clients. */
	ret = exchange_data(&tune->result, control, PROTO_ECHO, 1, &limit);
	/* Round robin: other load disturbs all sizes alike. Rounds start at different sizes. */
	for (int round = 0; !ret && round < TUNE_ROUNDS; round++)
		for (int i = 0; !ret && i < tune->count; i++) {
			struct tune_size *size = &tune->sizes[(i + round) % tune->count];

			show_progress(tune, round * tune->count + i + 1, size->asked);
			ret = measure_size(tune, control, size, &size->values[round]);
		}
	cli_progress_end();
	endpoint_set_port(&tune->result.peer, tune->port);
	endpoint_abort(control);
	if (!ret)
		tune_judge(tune);
	return ret ? CHK_ERROR : CHK_OK;
}

static int tune_sizes(const struct chk_request *req)
{
	struct tune tune = { .req = req };
	struct out_text text = { 0 };
	int status = measure(&tune);

	if (status) {
		cli_error(&chk_tool, "%s", tune.result.err.text);
		return status;
	}
	if (req->is_json)
		return chk_print_json(tune_json(&tune));
	tune_text(&text, &tune);
	return chk_print(&text, req->width, 0);
}

static int tune_sweep(const struct chk_request *req)
{
	struct sweep sweep = { .req = req };
	struct out_text text = { 0 };
	int status = check_server(&sweep.result, req);

	sweep_points(&sweep);
	if (!status && sweep_measure(&sweep))
		status = CHK_ERROR;
	if (status) {
		cli_error(&chk_tool, "%s", sweep.result.err.text);
		return status;
	}
	if (req->is_json)
		return chk_print_json(sweep_json(&sweep));
	sweep_text(&text, &sweep);
	return chk_print(&text, req->width, 0);
}

int chk_tune(const struct chk_request *req)
{
	return req->shape == CHK_SHAPE_SWEEP ? tune_sweep(req) : tune_sizes(req);
}
