// SPDX-License-Identifier: MIT
#include "smc_chk/live/endpoint.h"

#include <netinet/tcp.h>
#include <poll.h>

#include "base/clock.h"
#include "smc/buffer_sizes.h"

/* SMC-D buffers hold a few bytes less than their size. */
#define SEND_MOST ((size_t)SMC_KERNEL_BUFFER / 2)

uint64_t stream_now(void)
{
	return (uint64_t)clock_ns(CLOCK_MONOTONIC);
}

/* poll() until @end (stream_now()). Return: revents, 0 on timeout, -errno. */
static int wait_until(int fd, short events, uint64_t end)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	uint64_t now;
	int ret;

	do {
		now = stream_now();
		ret = poll(&pfd, 1, now < end ? (int)((end - now + 999999) / 1000000) : 0);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -errno;
	return ret ? pfd.revents : 0;
}

static uint64_t end_of(int timeout_ms)
{
	return stream_now() + (uint64_t)timeout_ms * 1000000U;
}

/* TCP_INFO of an SMC socket is that of the TCP socket inside. */
static bool is_tcp_established(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	return !getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) &&
	       info.tcpi_state == TCP_ESTABLISHED;
}

/* The connection is closed, but has no error: SMC's handshake failed, or TCP's did. */
#define WITHOUT_ERRNO (-ENODATA)

/* Wait for the end of connect(). Return: 0, -errno, WITHOUT_ERRNO. */
static int finish_connect(int fd, bool is_smc, uint64_t end)
{
	int events = wait_until(fd, POLLOUT, end), code = 0;
	socklen_t len = sizeof(code);

	if (events < 0)
		return events;
	if (!events)
		return is_smc && is_tcp_established(fd) ? -ETIME : -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len))
		code = errno;
	/* SMC does not report TCP's own timeout. */
	if (code == ETIMEDOUT && is_smc)
		return -ENOMSG;
	if (!code && events & POLLHUP && !(events & POLLOUT))
		return WITHOUT_ERRNO;
	return -code;
}

static int connect_once(const union endpoint_addr *addr, bool is_smc, uint64_t end, uint64_t *ns)
{
	int fd = endpoint_socket(addr->sa.sa_family, is_smc), on = 1, ret;
	uint64_t start;

	if (fd < 0)
		return fd;
	start = stream_now();
	ret = connect(fd, &addr->sa, endpoint_len(addr)) ? -errno : 0;
	if (ret == -EINPROGRESS)
		ret = finish_connect(fd, is_smc, end);
	*ns = stream_now() - start;
	if (ret) {
		close(fd);
		return ret;
	}
	/* Requests and answers are small. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

int stream_connect(const union endpoint_addr *addr, bool is_smc, int timeout_ms, uint64_t *ns)
{
	uint64_t end = end_of(timeout_ms);
	int fd = connect_once(addr, is_smc, end, ns);

	if (fd != WITHOUT_ERRNO)
		return fd;
	fd = connect_once(addr, false, end, ns);
	if (fd < 0)
		return fd;
	close(fd);
	return -ECONNABORTED;
}

struct stream_limit stream_limit(int step_ms, uint64_t whole_ms)
{
	return (struct stream_limit){ step_ms, stream_now() + whole_ms * 1000000U };
}

static uint64_t end_of_step(const struct stream_limit *limit)
{
	uint64_t end = end_of(limit->step_ms);

	return end < limit->end ? end : limit->end;
}

/* Return: bytes moved, 0 for none yet, -errno. */
static ssize_t moved(ssize_t ret)
{
	if (ret >= 0)
		return ret;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

/*
 * Sends are no longer than the kernel's buffers: the kernel counts longer ones, and the doctor
 * warns about them. @has_room: set to false after a short send.
 */
static ssize_t send_some(int fd, const char *from, size_t len, bool *has_room)
{
	size_t most = len < SEND_MOST ? len : SEND_MOST;
	ssize_t sent;

	if (!len || !*has_room)
		return 0;
	sent = moved(send(fd, from, most, MSG_NOSIGNAL));
	*has_room = sent == (ssize_t)most;
	return sent;
}

int stream_exchange(int fd, const void *out, size_t out_len, void *in, size_t in_len,
		    const struct stream_limit *limit)
{
	const char *from = out;
	uint64_t end = end_of_step(limit);
	bool has_room = true;
	char *to = in;
	ssize_t sent, got;
	int ret;

	while (out_len || in_len) {
		if (stream_now() >= limit->end)
			return -ETIME;
		sent = send_some(fd, from, out_len, &has_room);
		got = in_len ? recv(fd, to, in_len, 0) : 0;
		if (!got && in_len)
			return -ECONNRESET;
		got = moved(got);
		if (sent < 0 || got < 0)
			return (int)(sent < 0 ? sent : got);
		if (sent) {
			from += sent;
			out_len -= (size_t)sent;
		}
		if (got) {
			to += got;
			in_len -= (size_t)got;
		}
		if (sent || got) {
			end = end_of_step(limit);
			continue;
		}
		ret = wait_until(fd, (short)((out_len ? POLLOUT : 0) | (in_len ? POLLIN : 0)), end);
		has_room = ret > 0 && ret & (POLLOUT | POLLERR | POLLHUP);
		if (ret < 0)
			return ret;
		if (!ret && end < limit->end)
			return -ETIMEDOUT;
	}
	return 0;
}

size_t stream_receive(int fd, void *in, size_t size, const struct stream_limit *limit)
{
	uint64_t end = end_of_step(limit);
	ssize_t got;

	while (stream_now() < limit->end) {
		got = recv(fd, in, size, 0);
		if (got >= 0 || (errno != EAGAIN && errno != EINTR))
			return got > 0 ? (size_t)got : 0;
		if (wait_until(fd, POLLIN, end) <= 0)
			break;
	}
	return 0;
}
