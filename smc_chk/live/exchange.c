// SPDX-License-Identifier: MIT
/* Requests of the live test, and measurements. */
#include "smc_chk/live/client.h"

#include <sys/param.h>

#include "base/memory.h"
#include "base/numbers.h"

#define SMALL 8

/* About two seconds in all with the default timeout of 10 s. */
#define SHARE 30
#define MIN_MS 20
#define MAX_MS 2000

#define MAX_CONNECTS 500
#define MAX_CONNECTS_FEW 20 /* to foreign servers, and over TCP */
#define MAX_ROUNDS 50
#define FIRST_CHUNK (256 << 10)
#define LARGEST_CHUNK (8 << 20)

static const char *why_lost(int code)
{
	switch (code) {
	case ETIMEDOUT:
		return "the connection stalls: the server has it open, but data no longer moves";
	case ETIME: return "the test takes too long: the server still sends, but too slowly";
	default: return "the connection was lost in the middle of the test";
	}
}

/* Send a command with data. The answer to ECHO is the same data, to other commands one message. */
int exchange_data(struct client_result *result, int fd, uint8_t command, size_t len,
		  const struct stream_limit *limit)
{
	const struct proto_request request = { command, len };
	size_t in_len = command == PROTO_ECHO ? len : PROTO_SIZE;
	uint8_t *out AUTO_FREE = xcalloc(1, PROTO_SIZE + len);
	uint8_t *in AUTO_FREE = xcalloc(1, in_len + 1);
	const uint8_t *want = command == PROTO_ECHO ? out + PROTO_SIZE : out;
	size_t at = 0;
	int ret;

	proto_put_request(out, &request);
	if (command == PROTO_ECHO)
		proto_fill(out + PROTO_SIZE, len, len);
	ret = stream_exchange(fd, out, PROTO_SIZE + len, in, in_len, limit);
	if (ret)
		return smc_err_say(&result->err, -ret, "%s", why_lost(-ret));
	if (command == PROTO_WHO) {
		result->has_who = proto_get_who(&result->who, in);
		return 0;
	}
	if (!memcmp(in, want, in_len))
		return 0;
	while (in[at] == want[at])
		at++;
	return smc_err_say(&result->err, EBADMSG,
			   "data was corrupted on the way: byte %zu of %zu came back wrong", at + 1,
			   in_len);
}

/* Whole nanoseconds, as in JSON: ratios match the printed numbers. */
static double median(double *times, size_t n)
{
	return (double)(uint64_t)numbers_median(times, n);
}

int exchange_round_trips(struct client_result *result, int fd, const struct stream_limit *limit,
			 double *min_ns, double *median_ns)
{
	double times[EXCHANGE_ROUND_TRIPS];
	uint64_t start;

	for (int i = 0; i < EXCHANGE_ROUND_TRIPS; i++) {
		start = stream_now();
		if (exchange_data(result, fd, PROTO_ECHO, SMALL, limit))
			return -1;
		times[i] = (double)(stream_now() - start);
	}
	*median_ns = median(times, EXCHANGE_ROUND_TRIPS);
	*min_ns = times[0];
	return 0;
}

int exchange_greeting(struct client_result *result, int fd, int wait_ms)
{
	const struct stream_limit limit = stream_limit(wait_ms, (uint64_t)wait_ms);
	uint8_t in[PROTO_SIZE];
	size_t len = 0, got;

	do {
		got = stream_receive(fd, in + len, sizeof(in) - len, &limit);
		len += got;
	} while (got && len < sizeof(in) && proto_is_greeting(in, len));
	if (len < sizeof(in) || !proto_is_greeting(in, len))
		return -EPROTO;
	if (!proto_is_busy(in))
		return 0;
	return smc_err_say(&result->err, EBUSY,
			   "the server is busy: it has too many clients, "
			   "or too many from this address; try again later");
}

/* ---- --tcp-too: alternate between SMC and plain TCP within one run ---- */

static uint64_t share_ns(int timeout_ms)
{
	return (uint64_t)MAX(MIN_MS, MIN(timeout_ms / SHARE, MAX_MS)) * 1000000U;
}

/* Connect to the same server, and read the greeting if it is ours. Return: descriptor, -1. */
static int connect_again(struct client_result *result, bool is_smc, int timeout_ms, uint64_t *ns)
{
	int fd = stream_connect(&result->peer, is_smc, timeout_ms, ns), ret = fd;

	if (fd >= 0)
		ret = result->is_ours ? exchange_greeting(result, fd, timeout_ms) : 0;
	if (!ret)
		return fd;
	if (fd >= 0)
		endpoint_abort(fd);
	if (fd < 0 || ret != -EBUSY)
		smc_err_set(&result->err, ret == -ENOMSG ? ETIMEDOUT : -ret,
			    "cannot connect again over %s to measure it", is_smc ? "SMC" : "TCP");
	return -1;
}

/* The kernel counts TCP connections to an SMC server as fallbacks, so there are only a few. */
static int measure_connects(struct client_result *result, struct client_rates *rates, bool is_smc,
			    const struct stream_limit *limit)
{
	const bool is_counted = !is_smc || result->mode == SMC_MODE_TCP;
	const int most = result->is_ours && !is_counted ? MAX_CONNECTS : MAX_CONNECTS_FEW;
	uint64_t start = stream_now(), now = start, ns;
	double times[MAX_CONNECTS];
	int count, fd;

	for (count = 0; count < most && now - start < share_ns(limit->step_ms); count++) {
		fd = connect_again(result, is_smc, limit->step_ms, &ns);
		if (fd < 0)
			return -1;
		close(fd);
		times[count] = (double)ns;
		now = stream_now();
	}
	rates->connects_per_second = count * 1e9 / (double)(now - start);
	rates->connect_ns = median(times, (size_t)count);
	return 0;
}

/* Chunks grow until the final round trip is negligible. */
static int measure_throughput(struct client_result *result, struct client_rates *rates, int fd,
			      const struct stream_limit *limit)
{
	uint64_t start = stream_now(), last = start, now, bytes = 0;
	size_t chunk = FIRST_CHUNK;

	do {
		if (exchange_data(result, fd, PROTO_SINK, chunk, limit))
			return -1;
		now = stream_now();
		bytes += chunk;
		if (chunk < LARGEST_CHUNK && now - last < share_ns(limit->step_ms) / 8)
			chunk *= 2;
		last = now;
	} while (now - start < share_ns(limit->step_ms));
	rates->bytes_per_second = (double)bytes * 1e9 / (double)(now - start);
	return 0;
}

static int measure_one(struct client_result *result, struct client_rates *rates, int fd,
		       bool is_smc, const struct stream_limit *limit)
{
	double medians[MAX_ROUNDS], min;
	uint64_t start;
	int count = 0;

	if (measure_connects(result, rates, is_smc, limit))
		return -1;
	if (!result->is_ours)
		return 0;
	start = stream_now();
	do {
		if (exchange_round_trips(result, fd, limit, &min, &medians[count]))
			return -1;
	} while (++count < MAX_ROUNDS && stream_now() - start < share_ns(limit->step_ms));
	rates->round_trip_ns = median(medians, (size_t)count);
	return measure_throughput(result, rates, fd, limit);
}

int measure_rates(struct client_result *result, int fd, const struct stream_limit *limit)
{
	uint64_t ns;
	int tcp = connect_again(result, false, limit->step_ms, &ns), ret = 0;

	if (tcp < 0)
		return -1;
	/* This connection waits while SMC is measured. Our server drops clients without data. */
	if (result->is_ours)
		ret = exchange_data(result, tcp, PROTO_ECHO, 1, limit);
	if (!ret)
		ret = measure_one(result, &result->smc, fd, true, limit);
	if (!ret)
		ret = measure_one(result, &result->tcp, tcp, false, limit);
	result->has_rates = !ret;
	if (ret)
		endpoint_abort(tcp);
	else
		close(tcp);
	return ret;
}
