// SPDX-License-Identifier: MIT
/* Requests of the live test, and what comes back. */
#include "smc_chk/live/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SMALL 8

static int lost(struct smc_err *err, int code)
{
	if (code == ETIMEDOUT)
		return smc_err_say(err, code,
				   "the connection stalls: the server has it open, "
				   "but data no longer moves");
	if (code == ETIME)
		return smc_err_say(err, code,
				   "the test takes too long: the server still sends, "
				   "but too slowly");
	return smc_err_say(err, code, "the connection was lost in the middle of the test");
}

/* An echo brings the data back, the other commands one message. */
int exchange_data(struct client_result *result, int fd, uint8_t command, size_t len,
		  const struct stream_limit *limit)
{
	const struct proto_request request = { command, len };
	size_t in_len = command == PROTO_ECHO ? len : PROTO_SIZE;
	uint8_t *out = xcalloc(1, PROTO_SIZE + len), *in = xcalloc(1, in_len + 1);
	const uint8_t *want = command == PROTO_ECHO ? out + PROTO_SIZE : out;
	size_t at = 0;
	int ret;

	proto_put_request(out, &request);
	if (command == PROTO_ECHO)
		proto_fill(out + PROTO_SIZE, len, len);
	ret = stream_exchange(fd, out, PROTO_SIZE + len, in, in_len, limit);
	if (ret) {
		lost(&result->err, -ret);
	} else if (command == PROTO_WHO) {
		result->has_who = proto_get_who(&result->who, in);
	} else if (memcmp(in, want, in_len)) {
		while (in[at] == want[at])
			at++;
		ret = smc_err_say(&result->err, EBADMSG,
				  "data was corrupted on the way: byte %zu "
				  "of %zu came back wrong",
				  at + 1, in_len);
	}
	free(in);
	free(out);
	return ret ? -1 : 0;
}

int exchange_port(int fd, int bytes, int timeout_ms, uint16_t *port)
{
	const struct stream_limit limit = stream_limit(timeout_ms, (uint64_t)timeout_ms);
	struct proto_request request = { PROTO_BUFFERS, (uint64_t)bytes };
	uint8_t out[PROTO_SIZE], in[PROTO_SIZE] = { 0 };
	int ret;

	proto_put_request(out, &request);
	ret = stream_exchange(fd, out, sizeof(out), in, sizeof(in), &limit);
	if (ret)
		return ret;
	if (!proto_get_request(&request, in) || !request.length || request.length > UINT16_MAX)
		return -EBUSY;
	*port = (uint16_t)request.length;
	return 0;
}

int exchange_round_trips(struct client_result *result, int fd, const struct stream_limit *limit,
			 uint64_t *min_ns, uint64_t *median_ns)
{
	uint64_t times[EXCHANGE_ROUND_TRIPS], start;

	for (int i = 0; i < EXCHANGE_ROUND_TRIPS; i++) {
		start = stream_now();
		if (exchange_data(result, fd, PROTO_ECHO, SMALL, limit))
			return -1;
		times[i] = stream_now() - start;
	}
	*median_ns = stream_median(times, EXCHANGE_ROUND_TRIPS);
	*min_ns = times[0];
	return 0;
}

enum exchange_greeting exchange_greeting(struct client_result *result, int fd, int wait_ms)
{
	const struct stream_limit limit = stream_limit(wait_ms, (uint64_t)wait_ms);
	uint8_t in[PROTO_SIZE];
	size_t len = 0, got;

	do {
		got = stream_receive(fd, in + len, sizeof(in) - len, &limit);
		len += got;
	} while (got && len < sizeof(in) && proto_is_greeting(in, len));
	if (len < sizeof(in) || !proto_is_greeting(in, len))
		return EXCHANGE_STRANGER;
	result->offers = proto_offers(in);
	if (!proto_is_busy(in))
		return EXCHANGE_READY;
	smc_err_say(&result->err, EBUSY,
		    "the server is busy: it serves as many clients as it can, "
		    "or as many of this address; try again later");
	return EXCHANGE_BUSY;
}
