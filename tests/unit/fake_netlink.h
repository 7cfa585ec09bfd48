/* SPDX-License-Identifier: MIT */
/*
 * A scripted netlink socket, for sock_diag and generic netlink. It replaces the C library's socket
 * calls, so all of libmnl and libnl is real. Include once per program.
 */
#pragma once

#include "test.h"

#include <linux/genetlink.h>
#include <sys/time.h>

#define FAKE_FAMILY 0x1c
#define FAKE_PORTID 4711
#define FAKE_STEPS 128

/**
 * struct fake - the script and the log
 * @socket_error: errno of socket() for netlink; @module_error: of socket(AF_SMC)
 * @bind_error, @send_error: errno to fail with, 0 for none
 * @inet_error: errno for requests about TCP sockets, 0 for ENOENT: no module
 * @family_errors: result of the first and second look-up of the family; 0 for found
 * @id_cut: missing bytes of the family's number; 3: the whole attribute
 * @lookup: the last look-up
 * @fds: sockets, of which the second is for requests during a dump; others reuse their places
 * @inet_fd: the one of the last request about TCP sockets
 * @is_over: the answer was complete or interrupted; the next step answers the next request
 * @has_ext_ack, @receive_seconds: options of the socket, which must be set before sending
 * @steps: one datagram each; without bytes: an errno
 * @requests: number sent after the look-up, without those about TCP sockets; @request: the last
 */
static struct fake {
	int socket_error, module_error, bind_error, send_error, inet_error;
	int family_errors[2];
	unsigned int lookups, module_loads, requests, id_cut;
	int fds[2], inet_fd;
	bool is_diag, is_lookup, is_answered, is_over, has_ext_ack;
	long receive_seconds;
	uint32_t seq;
	struct message request, lookup;
	struct {
		int error;
		size_t len;
		uint8_t *bytes;
	} steps[FAKE_STEPS];
	size_t n_steps, next;
} fake;

/* Number of open sockets. */
static inline int fake_open(void)
{
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fake.fds); i++)
		n += fake.fds[i] && fcntl(fake.fds[i], F_GETFD) >= 0;
	return n;
}

int socket(int domain, int type, int protocol)
{
	int fd, *place = &fake.fds[fake_open() > 0];

	errno = domain == AF_NETLINK ? fake.socket_error : fake.module_error;
	fake.module_loads += domain == AF_SMC;
	if (errno)
		return -1;
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (domain != AF_NETLINK)
		return fd;
	assert_true(fake_open() < 2);
	*place = fd;
	fake.inet_fd = fake.inet_fd == fd ? 0 : fake.inet_fd;
	fake.is_diag = protocol == NETLINK_SOCK_DIAG;
	fake.has_ext_ack = false;
	fake.receive_seconds = 0;
	return fd;
}

int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	errno = fake.bind_error;
	return fake.bind_error ? -1 : 0;
}

/* Old kernels have no NETLINK_EXT_ACK, which is no error of sock_diag. */
int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	assert_true(fd == fake.fds[0] || fd == fake.fds[1]);
	if (level == SOL_NETLINK && name == NETLINK_EXT_ACK && len == sizeof(int))
		fake.has_ext_ack = *(const int *)value;
	if (level == SOL_SOCKET && name == SO_RCVTIMEO && len == sizeof(struct timeval))
		fake.receive_seconds = ((const struct timeval *)value)->tv_sec;
	errno = ENOPROTOOPT;
	return fake.is_diag && level == SOL_NETLINK ? -1 : 0;
}

int getsockname(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
	const struct sockaddr_nl own = { .nl_family = AF_NETLINK, .nl_pid = FAKE_PORTID };

	memcpy(addr, &own, sizeof(own));
	*len = sizeof(own);
	return 0;
}

static ssize_t fake_send(int fd, const struct nlmsghdr *nlh)
{
	/* Without ext_ack the kernel's message is lost, without a timeout a lost reply hangs. */
	assert_true(fake.has_ext_ack);
	assert_true(fake.receive_seconds >= 1 && fake.receive_seconds <= 60);
	errno = fake.send_error;
	if (errno)
		return -1;
	fake.seq = nlh->nlmsg_seq;
	if (fake.is_diag && *(const uint8_t *)NLMSG_DATA(nlh) != AF_SMC) {
		fake.inet_fd = fd;
		return nlh->nlmsg_len;
	}
	fake.is_lookup = nlh->nlmsg_type == GENL_ID_CTRL;
	fake.is_answered = fake.is_over = false;
	assert_true(nlh->nlmsg_len <= sizeof(fake.request));
	memcpy(fake.is_lookup ? &fake.lookup : &fake.request, nlh, nlh->nlmsg_len);
	fake.requests += !fake.is_lookup;
	return nlh->nlmsg_len;
}

/* As of libmnl; libnl calls the other. */
ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *addr,
	       socklen_t addr_len)
{
	assert_int_equal(((const struct nlmsghdr *)data)->nlmsg_len, len);
	return fake_send(fd, data);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	return fake_send(fd, msg->msg_iov[0].iov_base);
}

static inline void fake_genl_start(struct message *m, uint8_t cmd)
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

static struct message fake_lookup(void)
{
	const uint16_t family = FAKE_FAMILY;
	unsigned int n = fake.lookups;
	struct message m;

	fake.lookups += !fake.is_answered;
	if (fake.is_answered || (n < 2 && fake.family_errors[n])) {
		fake_error_message(&m, fake.is_answered ? 0 : fake.family_errors[n], NULL);
		return m;
	}
	fake_genl_start(&m, CTRL_CMD_NEWFAMILY);
	m.nlh.nlmsg_type = GENL_ID_CTRL;
	m.nlh.nlmsg_flags = 0;
	if (fake.id_cut <= sizeof(family))
		message_attr(&m, CTRL_ATTR_FAMILY_ID, &family, sizeof(family) - fake.id_cut);
	fake.is_answered = true;
	return m;
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
			fake.is_over = fake.is_diag;
		if (step < NLMSG_HDRLEN || step > len)
			break;
		bytes += step;
		len -= step;
	}
}

/* The next datagram. Return: its length, -1 and errno. */
static ssize_t fake_next(int fd, uint8_t *bytes, size_t size)
{
	struct message m;

	if (fake.is_lookup || fd == fake.inet_fd) {
		if (fake.is_lookup)
			m = fake_lookup();
		else
			fake_error_message(&m, fake.inet_error ? fake.inet_error : ENOENT, NULL);
		memcpy(bytes, m.bytes, NLMSG_ALIGN(m.nlh.nlmsg_len));
		return NLMSG_ALIGN(m.nlh.nlmsg_len);
	}
	errno = fake.is_over || fake.next >= fake.n_steps ? EAGAIN /* SO_RCVTIMEO */ :
							    fake.steps[fake.next].error;
	fake.next += errno != EAGAIN || !fake.is_over;
	if (errno)
		return -1;
	assert_true(fake.steps[fake.next - 1].len <= size);
	memcpy(bytes, fake.steps[fake.next - 1].bytes, fake.steps[fake.next - 1].len);
	return (ssize_t)fake.steps[fake.next - 1].len;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	static _Thread_local _Alignas(struct nlmsghdr) uint8_t bytes[65536];
	static _Thread_local ssize_t len;
	static _Thread_local bool is_peeked;
	size_t room = msg->msg_iov[0].iov_len;

	if (!is_peeked)
		len = fake_next(fd, bytes, sizeof(bytes));
	if (len < 0)
		return -1;
	fake_address(bytes, (size_t)len);
	is_peeked = flags & MSG_PEEK;
	if (msg->msg_name)
		memcpy(msg->msg_name, &kernel, sizeof(kernel));
	msg->msg_namelen = sizeof(kernel);
	msg->msg_controllen = 0;
	msg->msg_flags = room < (size_t)len ? MSG_TRUNC : 0;
	memcpy(msg->msg_iov[0].iov_base, bytes, room < (size_t)len ? room : (size_t)len);
	return flags & MSG_TRUNC || room >= (size_t)len ? len : (ssize_t)room;
}

/* Set up each test, after the end of the previous one. */
FIXTURE(fake_setup)
{
	for (size_t i = 0; i < fake.n_steps; i++)
		free(fake.steps[i].bytes);
	memset(&fake, 0, sizeof(fake));
	return 0;
}

static void fake_reset(void)
{
	fake_setup(NULL);
}

static inline void fake_error(int error)
{
	assert_true(fake.n_steps < FAKE_STEPS);
	fake.steps[fake.n_steps++].error = error;
}

/* One more message of the last datagram. */
static inline void fake_also(const struct message *m)
{
	size_t len = NLMSG_ALIGN(m->nlh.nlmsg_len), *old = &fake.steps[fake.n_steps - 1].len;
	uint8_t **bytes = &fake.steps[fake.n_steps - 1].bytes;

	*bytes = realloc(*bytes, *old + len);
	assert_non_null(*bytes);
	memcpy(*bytes + *old, m->bytes, len);
	*old += len;
}

/* The next datagram has this message, and those of fake_also(). */
static inline void fake_message(const struct message *m)
{
	fake_error(0);
	fake_also(m);
}

static inline void fake_done(int code)
{
	struct message m;

	message_start(&m, NLMSG_DONE);
	message_put(&m, &code, sizeof(code));
	fake_message(&m);
}

/* NLMSG_ERROR; code 0 is the acknowledgement. */
static inline void fake_answer(int code, const char *text)
{
	struct message m;

	fake_error_message(&m, code, text);
	fake_message(&m);
}
