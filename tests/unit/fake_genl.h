/* SPDX-License-Identifier: MIT */
/*
 * A scripted generic netlink socket. It replaces the C library's socket calls, so all of libnl is
 * real. Include once per program.
 */
#pragma once

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <linux/genetlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#define FAKE_FAMILY 0x1c
#define FAKE_PORTID 4711
#define FAKE_STEPS 64

/**
 * struct fake - the script and the log
 * @socket_error: errno of socket() for netlink; @module_error: of socket(AF_SMC)
 * @family_errors: result of the first and second look-up of the family; 0 for found
 * @id_cut: missing bytes of the family's number; 3: the whole attribute
 * @lookup: the last look-up
 * @fd: of the socket
 * @has_ext_ack, @receive_seconds: options of the socket, which must be set before sending
 * @steps: one datagram each; without bytes: an errno
 * @requests: number sent after the look-up; @request: the last of them
 */
static struct fake {
	int socket_error, module_error, send_error;
	int family_errors[2];
	unsigned int lookups, module_loads, requests, id_cut;
	int fd;
	bool is_lookup, is_answered, has_ext_ack;
	long receive_seconds;
	uint32_t seq;
	struct message request, lookup;
	struct {
		int error;
		size_t len;
		uint8_t bytes[1024];
	} steps[FAKE_STEPS];
	size_t n_steps, next;
} fake;

int socket(int domain, int type, int protocol)
{
	(void)type;
	(void)protocol;
	errno = domain == AF_NETLINK ? fake.socket_error : fake.module_error;
	fake.module_loads += domain == AF_SMC;
	if (errno)
		return -1;
	fake.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return fake.fd;
}

int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	(void)fd;
	(void)addr;
	(void)len;
	return 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	assert_int_equal(fd, fake.fd);
	if (level == SOL_NETLINK && name == NETLINK_EXT_ACK && len == sizeof(int))
		fake.has_ext_ack = *(const int *)value;
	if (level == SOL_SOCKET && name == SO_RCVTIMEO && len == sizeof(struct timeval))
		fake.receive_seconds = ((const struct timeval *)value)->tv_sec;
	return 0;
}

int getsockname(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
	const struct sockaddr_nl own = { .nl_family = AF_NETLINK, .nl_pid = FAKE_PORTID };

	(void)fd;
	memcpy(addr, &own, sizeof(own));
	*len = sizeof(own);
	return 0;
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	const struct nlmsghdr *nlh = msg->msg_iov[0].iov_base;

	(void)fd;
	(void)flags;
	/* Without ext_ack the kernel's message is lost, without a timeout a lost reply hangs. */
	assert_true(fake.has_ext_ack);
	assert_true(fake.receive_seconds >= 1 && fake.receive_seconds <= 60);
	errno = fake.send_error;
	if (errno)
		return -1;
	fake.seq = nlh->nlmsg_seq;
	fake.is_lookup = nlh->nlmsg_type == GENL_ID_CTRL;
	fake.is_answered = false;
	assert_true(nlh->nlmsg_len <= sizeof(fake.request));
	memcpy(fake.is_lookup ? &fake.lookup : &fake.request, nlh, nlh->nlmsg_len);
	fake.requests += !fake.is_lookup;
	return nlh->nlmsg_len;
}

static void fake_genl_start(struct message *m, uint8_t cmd)
{
	const struct genlmsghdr head = { .cmd = cmd, .version = 1 };

	message_start(m, FAKE_FAMILY);
	message_put(m, &head, sizeof(head));
}

static void fake_error_message(struct message *m, int code, const char *text)
{
	struct nlmsgerr error = { .error = -code };

	message_start(m, NLMSG_ERROR);
	m->nlh.nlmsg_flags = (uint16_t)(NLM_F_CAPPED | (text ? NLM_F_ACK_TLVS : 0));
	error.msg.nlmsg_len = NLMSG_HDRLEN + 20;
	message_put(m, &error, sizeof(error));
	if (text)
		message_attr(m, NLMSGERR_ATTR_MSG, text, strlen(text) + 1);
}

static size_t fake_lookup(uint8_t *out)
{
	const uint16_t family = FAKE_FAMILY;
	struct message m;

	if (fake.is_answered) {
		fake_error_message(&m, 0, NULL);
	} else {
		unsigned int n = fake.lookups++;
		int error = n < 2 ? fake.family_errors[n] : 0;

		if (error) {
			fake_error_message(&m, error, NULL);
		} else {
			fake_genl_start(&m, CTRL_CMD_NEWFAMILY);
			m.nlh.nlmsg_type = GENL_ID_CTRL;
			m.nlh.nlmsg_flags = 0;
			if (fake.id_cut <= sizeof(family))
				message_attr(&m, CTRL_ATTR_FAMILY_ID, &family,
					     sizeof(family) - fake.id_cut);
			fake.is_answered = true;
		}
	}
	memcpy(out, m.bytes, m.nlh.nlmsg_len);
	return m.nlh.nlmsg_len;
}

/* Use the sequence number of the request, unless scripted. */
static void fake_number(uint8_t *bytes, size_t len)
{
	while (len >= NLMSG_HDRLEN) {
		struct nlmsghdr *nlh = (struct nlmsghdr *)bytes;
		size_t step = NLMSG_ALIGN(nlh->nlmsg_len);

		if (!nlh->nlmsg_seq)
			nlh->nlmsg_seq = fake.seq;
		nlh->nlmsg_pid = FAKE_PORTID;
		if (step < NLMSG_HDRLEN || step > len)
			break;
		bytes += step;
		len -= step;
	}
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	static _Alignas(struct nlmsghdr) uint8_t bytes[1024];
	static size_t len;
	static bool is_peeked;
	size_t room = msg->msg_iov[0].iov_len;

	(void)fd;
	if (!is_peeked && fake.is_lookup) {
		len = fake_lookup(bytes);
	} else if (!is_peeked) {
		errno = fake.next < fake.n_steps ? fake.steps[fake.next].error : EAGAIN;
		fake.next++;
		if (errno)
			return -1;
		len = fake.steps[fake.next - 1].len;
		memcpy(bytes, fake.steps[fake.next - 1].bytes, len);
	}
	fake_number(bytes, len);
	is_peeked = flags & MSG_PEEK;
	if (msg->msg_name)
		memcpy(msg->msg_name, &kernel, sizeof(kernel));
	msg->msg_namelen = sizeof(kernel);
	msg->msg_controllen = 0;
	msg->msg_flags = room < len ? MSG_TRUNC : 0;
	memcpy(msg->msg_iov[0].iov_base, bytes, room < len ? room : len);
	return (ssize_t)(flags & MSG_TRUNC ? len : room < len ? room : len);
}

static void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
}

/* Set-up of each test. */
FIXTURE(fake_setup)
{
	fake_reset();
	return 0;
}

static void fake_step(const void *bytes, size_t len)
{
	assert_true(fake.n_steps < FAKE_STEPS && len <= sizeof(fake.steps[0].bytes));
	memcpy(fake.steps[fake.n_steps].bytes, bytes, len);
	fake.steps[fake.n_steps++].len = len;
}

static void fake_message(const struct message *m)
{
	fake_step(m->bytes, NLMSG_ALIGN(m->nlh.nlmsg_len));
}

static inline void fake_receive_error(int error)
{
	assert_true(fake.n_steps < FAKE_STEPS);
	fake.steps[fake.n_steps++].error = error;
}

static void fake_done(int code)
{
	struct message m;

	message_start(&m, NLMSG_DONE);
	message_put(&m, &code, sizeof(code));
	fake_message(&m);
}

/* NLMSG_ERROR; code 0 is the acknowledgement. */
static void fake_answer(int code, const char *text)
{
	struct message m;

	fake_error_message(&m, code, text);
	fake_message(&m);
}
