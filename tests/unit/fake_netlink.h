/* SPDX-License-Identifier: MIT */
/*
 * A scripted netlink socket. These functions replace libmnl's, whose parsing is real. Include once
 * per program.
 */
#pragma once

#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <libmnl/libmnl.h>
#include <sys/socket.h>
#include <sys/time.h>

#define FAKE_PORTID 4711
#define FAKE_STEPS 128

/* Result of one recvfrom(): an errno, or bytes. */
struct fake_step {
	int error;
	size_t len;
	uint8_t *bytes;
};

/**
 * struct fake - the script and the log
 * @open_error, @bind_error, @send_error: errno to fail with, 0 for none
 * @requests: number of dump requests for SMC sockets
 * @request: the last of them
 * @inet_error: errno for requests about TCP sockets, 0 for ENOENT: no module
 * @open: number of open sockets: one, and another for requests during a dump
 * @is_over: the answer was complete or interrupted; the next step answers the next request
 * @has_ext_ack, @receive_seconds: options of the socket, which must be set before sending
 */
static struct fake {
	struct fake_step steps[FAKE_STEPS];
	size_t n_steps, next;
	int open_error, bind_error, send_error, inet_error;
	unsigned int requests, seq;
	uint8_t request[256];
	size_t request_len;
	int open;
	bool has_ext_ack, is_over;
	long receive_seconds;
} fake;

struct mnl_socket {
	bool is_inet;
};

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	static struct mnl_socket sockets[2];

	(void)flags;
	assert_int_equal(bus, NETLINK_SOCK_DIAG);
	if (fake.open_error) {
		errno = fake.open_error;
		return NULL;
	}
	assert_true(fake.open < 2);
	return &sockets[fake.open++];
}

int mnl_socket_close(struct mnl_socket *nl)
{
	(void)nl;
	fake.open--;
	fake.has_ext_ack = false;
	fake.receive_seconds = 0;
	return 0;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	(void)groups;
	(void)pid;
	errno = fake.bind_error;
	return fake.bind_error ? -1 : 0;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	(void)nl;
	return -1;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return FAKE_PORTID;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len)
{
	(void)nl;
	if (type == NETLINK_EXT_ACK && len == sizeof(int))
		fake.has_ext_ack = *(const int *)buf;
	errno = ENOPROTOOPT; /* as on an old kernel */
	return -1;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	assert_int_equal(fd, -1);
	if (level == SOL_SOCKET && name == SO_RCVTIMEO && len == sizeof(struct timeval))
		fake.receive_seconds = ((const struct timeval *)value)->tv_sec;
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	const struct nlmsghdr *nlh = buf;

	/* Without ext_ack the kernel's message is lost, without a timeout a lost reply hangs. */
	assert_true(fake.has_ext_ack);
	assert_true(fake.receive_seconds >= 1 && fake.receive_seconds <= 60);
	if (fake.send_error) {
		errno = fake.send_error;
		return -1;
	}
	fake.seq = nlh->nlmsg_seq;
	((struct mnl_socket *)nl)->is_inet = *(const uint8_t *)NLMSG_DATA(nlh) != AF_SMC;
	if (nl->is_inet)
		return (ssize_t)len;
	assert_true(len <= sizeof(fake.request));
	memcpy(fake.request, buf, len);
	fake.request_len = len;
	fake.requests++;
	fake.is_over = false;
	return (ssize_t)len;
}

/* Number and port of the current request, unless scripted; and its end. */
static void fake_address(uint8_t *bytes, size_t len)
{
	while (len >= NLMSG_HDRLEN) {
		struct nlmsghdr *nlh = (struct nlmsghdr *)bytes;
		size_t step = NLMSG_ALIGN(nlh->nlmsg_len);

		if (!nlh->nlmsg_seq)
			nlh->nlmsg_seq = fake.seq;
		if (!nlh->nlmsg_pid)
			nlh->nlmsg_pid = FAKE_PORTID;
		if (nlh->nlmsg_type == NLMSG_DONE || nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			fake.is_over = true;
		if (step < NLMSG_HDRLEN || step > len)
			break;
		bytes += step;
		len -= step;
	}
}

/* Refuse requests about TCP sockets, for example because there is no module. */
static size_t fake_no_inet(void *buf)
{
	const struct nlmsgerr none = { .error = fake.inet_error ? -fake.inet_error : -ENOENT };
	struct message m;

	message_start(&m, NLMSG_ERROR);
	message_put(&m, &none, sizeof(none));
	memcpy(buf, m.bytes, m.nlh.nlmsg_len);
	return m.nlh.nlmsg_len;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	const struct fake_step *step;
	size_t len;

	if (nl->is_inet) {
		len = fake_no_inet(buf);
		fake_address(buf, len);
		return (ssize_t)len;
	}
	if (fake.is_over || fake.next == fake.n_steps) {
		errno = EAGAIN; /* SO_RCVTIMEO */
		return -1;
	}
	step = &fake.steps[fake.next++];
	if (step->error) {
		errno = step->error;
		return -1;
	}
	assert_true(step->len <= size);
	memcpy(buf, step->bytes, step->len);
	fake_address(buf, step->len);
	return (ssize_t)step->len;
}

static void fake_reset(void)
{
	for (size_t i = 0; i < fake.n_steps; i++)
		free(fake.steps[i].bytes);
	fake = (struct fake){ 0 };
}

/* Set-up of each test. */
FIXTURE(fake_setup)
{
	fake_reset();
	return 0;
}

static void fake_error(int error)
{
	assert_true(fake.n_steps < FAKE_STEPS);
	fake.steps[fake.n_steps++].error = error;
}

/* The next recvfrom() returns this message, and those of fake_also(). */
static void fake_message(const struct message *m)
{
	struct fake_step *step = &fake.steps[fake.n_steps];

	assert_true(fake.n_steps < FAKE_STEPS);
	fake.n_steps++;
	step->len = NLMSG_ALIGN(m->nlh.nlmsg_len);
	step->bytes = malloc(step->len);
	assert_non_null(step->bytes);
	memcpy(step->bytes, m->bytes, step->len);
}

static void fake_also(const struct message *m)
{
	struct fake_step *step = &fake.steps[fake.n_steps - 1];
	size_t len = NLMSG_ALIGN(m->nlh.nlmsg_len);

	step->bytes = realloc(step->bytes, step->len + len);
	assert_non_null(step->bytes);
	memcpy(step->bytes + step->len, m->bytes, len);
	step->len += len;
}

static void fake_done(int code)
{
	struct message m;

	message_start(&m, NLMSG_DONE);
	message_put(&m, &code, sizeof(code));
	fake_message(&m);
}

static void fake_refusal(int code)
{
	const struct nlmsgerr refusal = { .error = -code };
	struct message m;

	message_start(&m, NLMSG_ERROR);
	message_put(&m, &refusal, sizeof(refusal));
	fake_message(&m);
}
