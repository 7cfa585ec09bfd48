// SPDX-License-Identifier: MIT
/* The server's side of one connection. */
#include "smc_chk/live/session.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "smc_chk/live/endpoint.h"
#include "smc_chk/live/proto.h"

#define IDLE_SECONDS 60 /* a client that neither sends nor receives for so long is closed */
#define DRAIN_MS 5000
#define BUFFER_SIZE 65536

/** struct session - @fd: a blocking socket */
struct session {
	int fd;
	uint8_t buf[BUFFER_SIZE];
};

static bool send_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t ret = send(fd, data, len, MSG_NOSIGNAL);

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return false;
		data += ret;
		len -= (size_t)ret;
	}
	return true;
}

/* Return: bytes, 0 at the end or after an error. */
static size_t receive(struct session *session, uint64_t most)
{
	ssize_t ret;

	do
		ret = recv(session->fd, session->buf,
			   most < sizeof(session->buf) ? (size_t)most : sizeof(session->buf), 0);
	while (ret < 0 && errno == EINTR);
	return ret > 0 ? (size_t)ret : 0;
}

/* Take @length bytes, and give them back if @is_echo. */
static bool take(struct session *session, uint64_t length, bool is_echo)
{
	while (length) {
		size_t len = receive(session, length);

		if (!len || (is_echo && !send_all(session->fd, session->buf, len)))
			return false;
		length -= len;
	}
	return true;
}

static bool tell_who(struct session *session)
{
	struct smc_sock sock;
	struct proto_who who = { 0 };
	uint8_t out[PROTO_SIZE];

	if (endpoint_diag(session->fd, &sock)) {
		who.mode = smc_sock_mode(&sock);
		who.has_reason = who.mode == SMC_MODE_TCP && sock.has & SMC_SOCK_HAS_FALLBACK;
		who.reason = sock.fallback.reason;
		who.peer_diagnosis = sock.fallback.peer_diagnosis;
	} else if (endpoint_is_tcp(session->fd)) {
		who.mode = SMC_MODE_TCP;
	}
	proto_put_who(out, &who);
	return send_all(session->fd, out, sizeof(out));
}

static bool answer(struct session *session, const uint8_t message[PROTO_SIZE])
{
	struct proto_request request;

	if (!proto_get_request(&request, message))
		return false;
	if (request.command == PROTO_WHO)
		return tell_who(session);
	return take(session, request.length, request.command == PROTO_ECHO) &&
	       (request.command == PROTO_ECHO || send_all(session->fd, message, PROTO_SIZE));
}

/* Return: false for the end; then @len bytes, which are not a request, have come. */
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

static void set_options(int fd)
{
	const struct timeval idle = { .tv_sec = IDLE_SECONDS };
	const int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void talk(struct session *session)
{
	uint8_t message[PROTO_SIZE];
	bool is_ours = false;
	size_t len;

	proto_put_greeting(message);
	if (!send_all(session->fd, message, sizeof(message)))
		return;
	while (get_message(session, message, &len)) {
		is_ours = true;
		if (!answer(session, message))
			return;
	}
	if (!is_ours && len && send_all(session->fd, message, len))
		take(session, UINT64_MAX, true);
}

/* SMC-R drops what the peer has not taken when close() has waited two seconds. Is all taken? */
static bool drain(int fd)
{
	const struct timespec moment = { .tv_nsec = 10 * 1000 * 1000 };
	int unsent = 0;

	for (int i = 0; i < DRAIN_MS / 10; i++) {
		struct pollfd pfd = { .fd = fd };

		if (ioctl(fd, SIOCOUTQNSD, &unsent) || !unsent)
			return true;
		if (poll(&pfd, 1, 0) > 0 && pfd.revents & (POLLERR | POLLHUP))
			break;
		nanosleep(&moment, NULL);
	}
	return false;
}

void session_serve(int fd)
{
	struct session session;

	session.fd = fd;
	set_options(fd);
	talk(&session);
	if (drain(fd))
		close(fd);
	else
		endpoint_abort(fd);
}
