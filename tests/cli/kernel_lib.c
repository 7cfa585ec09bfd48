// SPDX-License-Identifier: MIT
/*
 * Preloaded into a tool: netlink with the answers of a recorded host, which fail on request. It
 * replaces socket calls, so libmnl and libnl are real.
 *
 *   KERNEL_ROOT   the recorded host
 *   KERNEL_FAULT  a name in the table below
 *   KERNEL_AT     number of the request, or socket, that fails: 1 is the first; 0: each
 *   KERNEL_COUNT  file that receives the number of requests
 */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

#include "tests/libc.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif
#ifndef NETLINK_RDMA
#define NETLINK_RDMA 20
#endif
#undef IPPROTO_SMC /* of glibc 2.42, where it is no number for #if */
#define IPPROTO_SMC 256
#define SIZE 65536
#define SOCKETS 8
#define DATAGRAMS 64
#define PORT 4711
#define FIRST_FAMILY 0x20

static const char *const families[] = { "SMC_GEN_NETLINK", "SMC_PNETID", "ethtool" };
#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* An answer in pieces, one per recvmsg(): bytes, or an errno. */
struct sock {
	int fd; /* 0: unused */
	bool has_ext_ack, has_timeout;
	_Alignas(struct nlmsghdr) char bytes[SIZE];
	size_t len;
	struct piece {
		int error;
		size_t start, len;
	} pieces[DATAGRAMS];
	unsigned int count, next;
};

/* The current request. */
struct request {
	struct sock *sock;
	const struct nlmsghdr *nlh;
	bool is_dump;
};

static struct sock socks[SOCKETS];
static unsigned int requests, sockets;

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

static bool has_fault(const char *name, unsigned int number)
{
	const char *fault = getenv("KERNEL_FAULT"), *at = getenv("KERNEL_AT");
	unsigned int wanted = at ? (unsigned int)atoi(at) : 0;

	return fault && !strcmp(fault, name) && (!wanted || wanted == number);
}

static bool is_wrong(const char *name)
{
	return has_fault(name, requests);
}

static struct sock *sock_of(int fd)
{
	for (int i = 0; fd > 0 && i < SOCKETS; i++)
		if (socks[i].fd == fd)
			return &socks[i];
	return NULL;
}

/* ---- building messages ---- */

static struct nlmsghdr *message(struct sock *sock, const struct nlmsghdr *request, uint16_t type,
				uint16_t flags, const void *body, size_t len)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)(sock->bytes + sock->len);
	size_t whole = NLMSG_ALIGN(NLMSG_HDRLEN + len);

	if (sock->len + whole > SIZE)
		abort();
	memset(nlh, 0, whole);
	*nlh = (struct nlmsghdr){ (uint32_t)(NLMSG_HDRLEN + len), type, flags, request->nlmsg_seq,
				  PORT };
	memcpy(NLMSG_DATA(nlh), body, len);
	sock->len += whole;
	return nlh;
}

/* Turn the pending messages into a datagram. */
static void datagram(struct sock *sock)
{
	const struct piece *last = sock->count ? &sock->pieces[sock->count - 1] : NULL;
	size_t start = last ? last->start + last->len : 0;

	if (sock->len == start)
		return;
	if (sock->count == DATAGRAMS)
		abort();
	sock->pieces[sock->count++] = (struct piece){ 0, start, sock->len - start };
}

/* errno 0 is an acknowledgement. */
static void error_message(const struct request *request, int code, const char *text)
{
	struct {
		struct nlmsgerr error;
		struct nlattr attr;
		char text[64];
	} body = { .error = { -code, { .nlmsg_len = NLMSG_HDRLEN } },
		   .attr = { NLA_HDRLEN, NLMSGERR_ATTR_MSG } };
	size_t len = sizeof(body.error);
	uint16_t flags = NLM_F_CAPPED;

	if (text && request->sock->has_ext_ack) {
		strcpy(body.text, text);
		body.attr.nla_len = (uint16_t)(NLA_HDRLEN + strlen(text) + 1);
		len += body.attr.nla_len;
		flags |= NLM_F_ACK_TLVS;
	}
	message(request->sock, request->nlh, NLMSG_ERROR, flags, &body, len);
}

static void end_of_dump(const struct request *request, int code)
{
	message(request->sock, request->nlh, NLMSG_DONE, NLM_F_MULTI, &code, sizeof(code));
}

/* ---- correct answers ---- */

/* Read a file of the record, see lib/netlink/replay.h. Return: its messages, NULL for none. */
static const char *read_record(const char *name, unsigned int number, size_t *len)
{
	static _Alignas(struct nlmsghdr) char data[SIZE];
	char path[4096], *end;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/netlink/%s/%u", getenv("KERNEL_ROOT"), name, number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, data, SIZE - 1);
	if (fd >= 0)
		close(fd);
	if (got < 0)
		return NULL;
	data[got] = '\0';
	end = memchr(data, '\n', (size_t)got);
	*len = end ? (size_t)(data + got - end - 1) : 0;
	return end ? memmove(data, end + 1, *len) : NULL;
}

static unsigned int count_messages(const char *bytes, size_t len)
{
	unsigned int count = 0;
	size_t step;

	for (; len >= NLMSG_HDRLEN; bytes += step, len -= step, count++)
		step = NLMSG_ALIGN(((const struct nlmsghdr *)bytes)->nlmsg_len);
	return count;
}

/* Answer in two halves. */
static void dump(const struct request *request, const char *name, unsigned int number, int missing)
{
	size_t len = 0, step;
	const char *bytes = read_record(name, number, &len);
	unsigned int half = bytes ? (count_messages(bytes, len) + 1) / 2 : 0;

	if (!bytes) {
		error_message(request, missing, NULL);
		return;
	}
	for (unsigned int i = 0; len >= NLMSG_HDRLEN; i++) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)bytes;

		if (i == half)
			datagram(request->sock);
		message(request->sock, request->nlh, request->nlh->nlmsg_type, NLM_F_MULTI,
			NLMSG_DATA(nlh), nlh->nlmsg_len - NLMSG_HDRLEN);
		step = NLMSG_ALIGN(nlh->nlmsg_len);
		bytes += step;
		len -= step;
	}
	end_of_dump(request, 0);
}

static void find_family(const struct request *request)
{
	const struct nlattr *name =
		(const struct nlattr *)((const char *)NLMSG_DATA(request->nlh) + GENL_HDRLEN);
	struct {
		struct genlmsghdr head;
		struct nlattr attr;
		uint16_t id, padding;
	} body = { { CTRL_CMD_NEWFAMILY, 1, 0 }, { NLA_HDRLEN + 2, CTRL_ATTR_FAMILY_ID }, 0, 0 };

	while (body.id < FAMILIES && strcmp((const char *)(name + 1), families[body.id]))
		body.id++;
	if (body.id == FAMILIES) {
		error_message(request, ENOENT, NULL);
		return;
	}
	body.id += FIRST_FAMILY;
	message(request->sock, request->nlh, GENL_ID_CTRL, 0, &body, sizeof(body));
	datagram(request->sock);
	error_message(request, 0, NULL);
}

static void answer(const struct request *request)
{
	const struct nlmsghdr *nlh = request->nlh;
	const uint8_t *first = NLMSG_DATA(nlh);

	if (nlh->nlmsg_type == GENL_ID_CTRL)
		find_family(request);
	else if (nlh->nlmsg_type == SOCK_DIAG_BY_FAMILY)
		dump(request, "sock_diag", *first, ENOENT);
	else if (nlh->nlmsg_type < FIRST_FAMILY || nlh->nlmsg_type >= FIRST_FAMILY + FAMILIES)
		error_message(request, EOPNOTSUPP, NULL);
	else if (request->is_dump)
		dump(request, families[nlh->nlmsg_type - FIRST_FAMILY], *first, EOPNOTSUPP);
	else
		error_message(request, 0, NULL);
	datagram(request->sock);
}

/* ---- wrong answers ---- */

static struct nlmsghdr *first_of(struct sock *sock, const struct piece *piece)
{
	return (struct nlmsghdr *)(sock->bytes + piece->start);
}

/* Call a function for each message of the answer. */
static void each(struct sock *sock, void (*change)(struct nlmsghdr *nlh))
{
	for (size_t at = 0; at < sock->len;) {
		struct nlmsghdr *nlh = (struct nlmsghdr *)(sock->bytes + at);

		at += NLMSG_ALIGN(nlh->nlmsg_len);
		change(nlh);
	}
}

static void next_seq(struct nlmsghdr *nlh)
{
	nlh->nlmsg_seq += 7;
}
static void other_port(struct nlmsghdr *nlh)
{
	nlh->nlmsg_pid += 1;
}
static void interrupt(struct nlmsghdr *nlh)
{
	nlh->nlmsg_flags |= NLM_F_DUMP_INTR;
}

static void forget(struct sock *sock)
{
	sock->len = sock->count = sock->next = 0;
}

/* Replace the whole answer, for faults that do so. Return: false for other faults. */
static bool replace(const struct request *request)
{
	struct sock *sock = request->sock;
	const uint16_t half = 0;

	forget(sock);
	if (is_wrong("eperm"))
		error_message(request, EPERM, NULL);
	else if (is_wrong("eperm with words"))
		error_message(request, EPERM, "the kernel's own words");
	else if (is_wrong("enobufs"))
		error_message(request, ENOBUFS, NULL);
	else if (is_wrong("short error"))
		message(sock, request->nlh, NLMSG_ERROR, 0, &half, sizeof(half));
	else if (is_wrong("overrun"))
		message(sock, request->nlh, NLMSG_OVERRUN, 0, "", 0);
	else
		return is_wrong("no answer");
	datagram(sock);
	return true;
}

static void append_again(struct sock *sock, size_t len, unsigned int count)
{
	memcpy(sock->bytes + sock->len, sock->bytes, len);
	for (unsigned int i = 0; i < count; i++) {
		sock->pieces[sock->count] = sock->pieces[i];
		sock->pieces[sock->count++].start += sock->len;
	}
	sock->len += len;
}

/* Send the answer twice. "stale": the first copy has the number of an earlier request. */
static void repeat(struct sock *sock)
{
	size_t len = sock->len;
	unsigned int count = sock->count;

	if (2 * len > SIZE || 2 * count > DATAGRAMS)
		abort();
	append_again(sock, len, count);
	if (is_wrong("stale"))
		for (size_t at = 0; at < len;) {
			struct nlmsghdr *nlh = (struct nlmsghdr *)(sock->bytes + at);

			nlh->nlmsg_seq--;
			at += NLMSG_ALIGN(nlh->nlmsg_len);
		}
}

/* The last message, which ends the answer. */
static struct nlmsghdr *end_of(struct sock *sock, size_t *start)
{
	size_t at = 0;

	for (*start = 0; at < sock->len;) {
		*start = at;
		at += NLMSG_ALIGN(((struct nlmsghdr *)(sock->bytes + at))->nlmsg_len);
	}
	return (struct nlmsghdr *)(sock->bytes + *start);
}

/* Move the end before all other messages, in one datagram. */
static void end_first(struct sock *sock)
{
	static char end[256];
	size_t start, len;

	end_of(sock, &start);
	len = sock->len - start;
	memcpy(end, sock->bytes + start, len);
	memmove(sock->bytes + len, sock->bytes, start);
	memcpy(sock->bytes, end, len);
	sock->pieces[0] = (struct piece){ 0, 0, sock->len };
	sock->count = 1;
}

static void change_end(const struct request *request)
{
	struct sock *sock = request->sock;
	struct piece *last = &sock->pieces[sock->count - 1];
	size_t start;
	struct nlmsghdr *nlh = end_of(sock, &start);
	int code = -EIO;

	if (is_wrong("no end")) {
		last->len -= sock->len - start;
		sock->count -= !last->len;
	} else if (nlh->nlmsg_type == NLMSG_DONE && is_wrong("done with an error")) {
		memcpy(NLMSG_DATA(nlh), &code, sizeof(code));
	} else if (nlh->nlmsg_type == NLMSG_DONE && is_wrong("short done")) {
		nlh->nlmsg_len = NLMSG_HDRLEN;
		last->len = start + NLMSG_HDRLEN - last->start;
	}
}

/* Append bytes that are no message to the first datagram. */
static void lengthen(struct sock *sock)
{
	size_t end = sock->pieces[0].start + sock->pieces[0].len, more = NLMSG_HDRLEN;

	memmove(sock->bytes + end + more, sock->bytes + end, sock->len - end);
	memset(sock->bytes + end, 0, more);
	sock->pieces[0].len += more;
	for (unsigned int i = 1; i < sock->count; i++)
		sock->pieces[i].start += more;
	sock->len += more;
}

/* Truncate or extend the first datagram. */
static void change_size(struct sock *sock)
{
	struct piece *first = &sock->pieces[0];
	struct nlmsghdr *nlh = first_of(sock, first);

	if (is_wrong("short"))
		first->len -= 4;
	else if (is_wrong("short header"))
		first->len = NLMSG_HDRLEN - 4;
	else if (is_wrong("short message"))
		nlh->nlmsg_len = NLMSG_HDRLEN - 4;
	else if (is_wrong("empty message"))
		nlh->nlmsg_len = (uint32_t)(first->len = NLMSG_HDRLEN);
	else if (is_wrong("long message"))
		nlh->nlmsg_len += 1000;
	else if (is_wrong("long"))
		lengthen(sock);
}

static void fail_receiving(struct sock *sock, unsigned int before, int error)
{
	memmove(&sock->pieces[before + 1], &sock->pieces[before],
		(sock->count - before) * sizeof(sock->pieces[0]));
	sock->pieces[before] = (struct piece){ .error = error };
	sock->count++;
}

static void spoil(const struct request *request)
{
	struct sock *sock = request->sock;

	if (is_wrong("wrong sequence"))
		each(sock, next_seq);
	else if (is_wrong("wrong port"))
		each(sock, other_port);
	else if (is_wrong("interrupted") && request->is_dump)
		each(sock, interrupt);
	else if (is_wrong("repeated") || is_wrong("stale"))
		repeat(sock);
	else if (is_wrong("out of order"))
		end_first(sock);
	else if (is_wrong("eintr"))
		fail_receiving(sock, 0, EINTR);
	else if (is_wrong("eintr, later"))
		fail_receiving(sock, sock->count - 1, EINTR);
	else if (is_wrong("lost"))
		fail_receiving(sock, sock->count - 1, ENOBUFS);
	change_end(request);
	change_size(sock);
}

/* ---- replacements for libc ---- */

static void count_requests(void)
{
	const char *path = getenv("KERNEL_COUNT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd >= 0) {
		dprintf(fd, "%u\n", requests);
		close(fd);
	}
}

static ssize_t ask(struct sock *sock, const struct nlmsghdr *nlh, size_t len)
{
	const struct request request = { sock, nlh, (nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP };

	requests++;
	count_requests();
	if (is_wrong("send: eperm") || is_wrong("send: enobufs")) {
		errno = is_wrong("send: eperm") ? EPERM : ENOBUFS;
		return -1;
	}
	if (!replace(&request)) {
		answer(&request);
		spoil(&request);
	}
	return (ssize_t)len;
}

int socket(int domain, int type, int protocol)
{
	bool is_known =
		domain == AF_NETLINK && (protocol == NETLINK_SOCK_DIAG ||
					 protocol == NETLINK_GENERIC || protocol == NETLINK_RDMA);

	if (domain == AF_SMC || protocol == IPPROTO_SMC)
		return REAL(socket)(AF_INET, type, 0);
	if (!is_known)
		return REAL(socket)(domain, type, protocol);
	if (has_fault("no socket", ++sockets)) {
		errno = EMFILE;
		return -1;
	}
	for (int i = 0; i < SOCKETS; i++) {
		if (socks[i].fd)
			continue;
		forget(&socks[i]);
		socks[i].has_ext_ack = socks[i].has_timeout = false;
		return socks[i].fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	}
	abort();
}

int close(int fd)
{
	struct sock *sock = sock_of(fd);

	if (sock)
		sock->fd = 0;
	return REAL(close)(fd);
}

int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (!sock_of(fd))
		return REAL(bind)(fd, addr, len);
	errno = EPERM;
	return has_fault("no bind", sockets) ? -1 : 0;
}

int getsockname(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
	const struct sockaddr_nl own = { .nl_family = AF_NETLINK, .nl_pid = PORT };

	if (!sock_of(fd))
		return REAL(getsockname)(fd, addr, len);
	memcpy(addr, &own, sizeof(own));
	*len = sizeof(own);
	return 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	struct sock *sock = sock_of(fd);

	if (!sock)
		return REAL(setsockopt)(fd, level, name, value, len);
	sock->has_ext_ack |= level == SOL_NETLINK && name == NETLINK_EXT_ACK;
	sock->has_timeout |= level == SOL_SOCKET && name == SO_RCVTIMEO;
	return 0;
}

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *addr,
	       socklen_t addr_len)
{
	struct sock *sock = sock_of(fd);

	return sock ? ask(sock, data, len) : REAL(sendto)(fd, data, len, flags, addr, addr_len);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct sock *sock = sock_of(fd);

	return sock ? ask(sock, msg->msg_iov[0].iov_base, msg->msg_iov[0].iov_len) :
		      REAL(sendmsg)(fd, msg, flags);
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	size_t room = msg->msg_iov[0].iov_len;
	struct sock *sock = sock_of(fd);
	const struct piece *piece;

	if (!sock)
		return REAL(recvmsg)(fd, msg, flags);
	if (sock->next == sock->count && !sock->has_timeout) {
		dprintf(STDERR_FILENO, "waits for ever\n");
		_exit(99);
	}
	piece = &sock->pieces[sock->next];
	errno = sock->next == sock->count ? EAGAIN : piece->error;
	if (!(flags & MSG_PEEK) || errno)
		sock->next += sock->next < sock->count;
	if (errno)
		return -1;
	if (msg->msg_name)
		memcpy(msg->msg_name, &kernel, sizeof(kernel));
	msg->msg_namelen = sizeof(kernel);
	msg->msg_controllen = 0;
	msg->msg_flags = room < piece->len ? MSG_TRUNC : 0;
	if (room > piece->len)
		room = piece->len;
	memcpy(msg->msg_iov[0].iov_base, sock->bytes + piece->start, room);
	return (ssize_t)(flags & MSG_TRUNC ? piece->len : room);
}
