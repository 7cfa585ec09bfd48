// SPDX-License-Identifier: MIT
/* Simulated network and clock for "smc_chk serve" and "smc_chk connect". */
#include "fake_live.h"

#include <errno.h>
#include <string.h>

#include "smc_chk/live/endpoint.h"

struct fake_live fake;

/* ---- stream_*() of smc_chk/live/endpoint.h ---- */

uint64_t stream_now(void)
{
	return fake.now;
}

struct stream_limit stream_limit(int step_ms, uint64_t whole_ms)
{
	return (struct stream_limit){ step_ms, fake.now + whole_ms * 1000000U };
}

/* Advances the clock by the waiting time. Return: true if it arrives in time. */
static bool wait_for(uint64_t ns, const struct stream_limit *limit)
{
	uint64_t step = (uint64_t)limit->step_ms * 1000000U;
	uint64_t left = limit->end > fake.now ? limit->end - fake.now : 0;
	uint64_t most = step < left ? step : left;

	fake.limit = *limit;
	fake.now += ns < most ? ns : most;
	return ns < most;
}

size_t stream_receive(int fd, void *in, size_t size, const struct stream_limit *limit)
{
	size_t left = fake.in_len - fake.in_at, chunk = fake.chunk ? fake.chunk : 1;
	size_t len = size < chunk ? size : chunk;

	if (!wait_for(left || !fake.is_open ? fake.gap_ns : UINT64_MAX, limit))
		return 0;
	if (len > left)
		len = left;
	if (len)
		memcpy(in, fake.in + fake.in_at, len);
	fake.in_at += len;
	return len;
}

static void note(const uint8_t *data, size_t len)
{
	if (fake.out_len < fake.out_size)
		memcpy(fake.out + fake.out_len, data,
		       len < fake.out_size - fake.out_len ? len : fake.out_size - fake.out_len);
	fake.out_len += len;
}

int stream_exchange(int fd, const void *out, size_t out_len, void *in, size_t in_len,
		    const struct stream_limit *limit)
{
	note(out, out_len);
	if (!in_len)
		return wait_for(0, limit) ? 0 : -ETIME;
	if (!wait_for(fake.gap_ns, limit))
		return fake.now < limit->end ? -ETIMEDOUT : -ETIME;
	return fake.answer ? fake.answer(out, out_len, in, in_len) : -ECONNRESET;
}

int stream_connect(const union endpoint_addr *addr, bool is_smc, int timeout_ms, uint64_t *ns)
{
	*ns = fake.gap_ns;
	fake.now += fake.gap_ns;
	if (fake.connects >= fake.max_connects)
		return -ECONNREFUSED;
	fake.connects++;
	fake.in_at = 0;
	/* An invalid descriptor, but no error: system calls with it fail. */
	return INT32_MAX;
}

/* ---- smc_chk/live/endpoint.h ---- */

const char *endpoint_why_not(void)
{
	return fake.why_not;
}

bool endpoint_is_tcp(int fd)
{
	return fake.is_tcp;
}

bool endpoint_diag(int fd, struct smc_sock *sock)
{
	fake.dumps++;
	if (fake.sock)
		*sock = *fake.sock;
	return fake.sock;
}

void endpoint_abort(int fd)
{
	fake.is_aborted = true;
}

bool endpoint_has_declined(const union endpoint_addr *local, const union endpoint_addr *peer)
{
	return fake.has_declined;
}

struct addrinfo *endpoint_resolve(const char *host, int family, struct smc_err *err)
{
	struct addrinfo *list = NULL;

	return getaddrinfo(host, NULL, NULL, &list) ? NULL : list;
}

uint16_t endpoint_port(const union endpoint_addr *addr)
{
	return ntohs(addr->in.sin_port);
}

void endpoint_set_port(union endpoint_addr *addr, uint16_t port)
{
	addr->in.sin_port = htons(port);
}

const char *endpoint_text(char text[ENDPOINT_TEXT_SIZE], const union endpoint_addr *addr)
{
	return strcpy(text, "192.0.2.1");
}
