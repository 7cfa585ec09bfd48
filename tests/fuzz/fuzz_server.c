// SPDX-License-Identifier: MIT
/*
 * The server of the live test with an arbitrary client, in pieces of any size. The first byte
 * selects timing and pieces, the rest is sent.
 */
#include "fuzz.h"

#include "fake_live.h"
#include "smc_chk/live/proto.h"
#include "smc_chk/live/server.h"

#define OUT_SIZE 16384

/* Output of the server for this client. Return: its length, the first OUT_SIZE bytes in @out. */
static size_t serve(const uint8_t *data, size_t size, size_t chunk, uint64_t gap_ns, uint8_t *out)
{
	fake = (struct fake_live){ .in = data,
				   .in_len = size,
				   .chunk = chunk,
				   .gap_ns = gap_ns,
				   .out = out,
				   .out_size = OUT_SIZE,
				   .is_tcp = true };
	session_serve(-1);
	MUST(fake.dumps <= 1);
	/* No client keeps its place for more than ten minutes. */
	MUST(fake.now <= 600 * 1000000000ULL);
	return fake.out_len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t out[OUT_SIZE], other[OUT_SIZE];
	uint8_t how = size ? data[0] : 0;
	size_t len, len_other;

	if (!size--)
		return 0;
	data++;
	len = serve(data, size, OUT_SIZE, 0, out);
	MUST(len >= PROTO_SIZE && len <= PROTO_SIZE + size + PROTO_SIZE);
	MUST(proto_is_greeting(out, PROTO_SIZE) && !proto_is_busy(out));
	/* A foreign client gets everything echoed. */
	if (size && size <= OUT_SIZE - PROTO_SIZE && !proto_is_request(data, size))
		MUST(len == PROTO_SIZE + size && !memcmp(out + PROTO_SIZE, data, size));
	/* The answer does not depend on the pieces, unless the time is over. */
	len_other = serve(data, size, 1 + how % 64, 0, other);
	MUST(len == len_other && !memcmp(out, other, len < OUT_SIZE ? len : OUT_SIZE));
	len_other = serve(data, size, 1 + how % 64, how * 1000000000ULL, other);
	MUST(len_other <= len);
	MUST(!memcmp(out, other, len_other < OUT_SIZE ? len_other : OUT_SIZE));
	return 0;
}
