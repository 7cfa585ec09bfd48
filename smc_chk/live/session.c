// SPDX-License-Identifier: MIT
#include "smc_chk/live/server.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>

#include "smc_chk/live/endpoint.h"
#include "smc_chk/live/proto.h"

/*
 * Our client sends a request as soon as it has the greeting, and is done within a few minutes even
 * on a slow line. No client keeps its place for longer than that.
 */
#define FIRST_MS 10000
#define IDLE_MS 60000
#define WHOLE_MS 600000
#define REFUSE_MS 1000
#define DRAIN_MS 5000
#define MOMENT_MS 10
#define BUFFER_SIZE 65536

/** struct session - @limit: of its time; @has_who: @who is valid. @who costs a dump of sockets */
struct session {
	int fd;
	struct stream_limit limit;
	bool has_who;
	struct proto_who who;
	uint8_t buf[BUFFER_SIZE];
};

static bool send_all(const struct session *session, const uint8_t *data, size_t len)
{
	return !stream_exchange(session->fd, data, len, NULL, 0, &session->limit);
}

/* Return: bytes, 0 at the end, on error, and after the time limit. */
static size_t receive(struct session *session, uint64_t most)
{
	return stream_receive(session->fd, session->buf,
			      most < sizeof(session->buf) ? (size_t)most : sizeof(session->buf),
			      &session->limit);
}

/* Receive @length bytes, and send them back if @is_echo. */
static bool take(struct session *session, uint64_t length, bool is_echo)
{
	while (length) {
		size_t len = receive(session, length);

		if (!len || (is_echo && !send_all(session, session->buf, len)))
			return false;
		length -= len;
	}
	return true;
}

static struct proto_who look_who(int fd)
{
	struct proto_who who = { 0 };
	struct smc_sock sock;

	if (endpoint_diag(fd, &sock)) {
		who.mode = smc_sock_mode(&sock);
		who.has_reason = who.mode == SMC_MODE_TCP && sock.has & SMC_SOCK_HAS_FALLBACK;
		who.reason = sock.fallback.reason;
		who.peer_diagnosis = sock.fallback.peer_diagnosis;
	} else if (endpoint_is_tcp(fd)) {
		who.mode = SMC_MODE_TCP;
	}
	return who;
}

static bool answer(struct session *session, uint8_t message[PROTO_SIZE])
{
	struct proto_request request;

	if (!proto_get_request(&request, message))
		return false;
	switch (request.command) {
	case PROTO_ECHO: return take(session, request.length, true);
	case PROTO_SINK:
		if (!take(session, request.length, false))
			return false;
		break;
	case PROTO_WHO:
		if (!session->has_who)
			session->who = look_who(session->fd);
		session->has_who = true;
		proto_put_who(message, &session->who);
		break;
	default: return false;
	}
	return send_all(session, message, PROTO_SIZE);
}

/* Return: false at the end; then the @len bytes received are not a request. */
static bool get_message(struct session *session, uint8_t message[PROTO_SIZE], size_t *len)
{
	for (*len = 0; *len < PROTO_SIZE;) {
		size_t got = receive(session, PROTO_SIZE - *len);

		memcpy(message + *len, session->buf, got);
		*len += got;
		if (!got || !proto_is_request(message, *len))
			return false;
	}
	return true;
}

/* The first message: it and the answers are small, and the peer waits for each. */
static bool greet(const struct session *session, bool is_busy)
{
	uint8_t out[PROTO_SIZE];
	const int on = 1;

	setsockopt(session->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	proto_put_greeting(out, is_busy);
	return send_all(session, out, sizeof(out));
}

static void talk(struct session *session)
{
	const struct stream_limit whole = stream_limit(IDLE_MS, WHOLE_MS);
	uint8_t message[PROTO_SIZE];
	bool is_ours = false;
	size_t len;

	session->limit = stream_limit(FIRST_MS, FIRST_MS);
	if (!greet(session, false))
		return;
	while (get_message(session, message, &len)) {
		is_ours = true;
		session->limit = whole;
		if (!answer(session, message))
			return;
	}
	/* Echo what may be the beginning of a request only if nothing follows it. */
	if (is_ours || !len || stream_now() >= session->limit.end)
		return;
	session->limit = whole;
	if (send_all(session, message, len))
		take(session, UINT64_MAX, true);
}

/* True if the peer reads everything within @ms. SMC-R drops the rest two seconds after close(). */
static bool drain(int fd, int ms)
{
	const struct timespec moment = { .tv_nsec = MOMENT_MS * 1000 * 1000 };
	int unsent = 0;

	for (int i = 0; i <= ms / MOMENT_MS; i++) {
		struct pollfd pfd = { .fd = fd };

		if (ioctl(fd, SIOCOUTQNSD, &unsent) || !unsent)
			return true;
		if (poll(&pfd, 1, 0) > 0 && pfd.revents & (POLLERR | POLLHUP))
			break;
		nanosleep(&moment, NULL);
	}
	return false;
}

static void end(int fd, int ms)
{
	if (drain(fd, ms))
		close(fd);
	else
		endpoint_abort(fd);
}

void session_serve(int fd)
{
	struct session session = { .fd = fd };

	talk(&session);
	end(fd, DRAIN_MS);
}

/* Read pending data: unread data would turn close() into a reset. */
void session_refuse(int fd)
{
	struct session session = { .fd = fd, .limit = stream_limit(REFUSE_MS, REFUSE_MS) };

	if (greet(&session, true) && !shutdown(fd, SHUT_WR))
		take(&session, UINT64_MAX, false);
	end(fd, 0);
}
