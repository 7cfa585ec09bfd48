// SPDX-License-Identifier: MIT
#include "smc_chk/live/endpoint.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include "host/smc.h"
#include "netlink/diag.h"
#include "smc/inet.h"
#include "sockets/fetch.h"

#define TRIES 3 /* of a dump that the kernel calls interrupted */

static int open_socket(int family, int protocol)
{
	const int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	int fd = (int)syscall(SYS_socket, family, type, protocol);

	return fd < 0 ? -errno : fd;
}

int endpoint_socket(int family, bool is_smc)
{
	int fd, other;

	if (!is_smc)
		return open_socket(family, IPPROTO_TCP);
	fd = open_socket(AF_SMC, family == AF_INET6 ? SMCPROTO_SMC6 : SMCPROTO_SMC);
	other = fd < 0 ? open_socket(family, IPPROTO_SMC) : -1;
	return other >= 0 ? other : fd;
}

const char *endpoint_why_not(void)
{
	static struct smc_err why;
	int fd = endpoint_socket(AF_INET, true);

	if (fd >= 0) {
		close(fd);
		return NULL;
	}
	if (fd == -EPERM)
		return "a sandbox forbids SMC sockets to this program";
	kernel_why_not(fd, &why);
	return why.text;
}

const char *endpoint_family_word(int family)
{
	if (family == AF_INET6)
		return "IPv6 ";
	return family == AF_INET ? "IPv4 " : "";
}

struct addrinfo *endpoint_resolve(const char *host, int family, struct smc_err *err)
{
	const struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int ret = getaddrinfo(host, NULL, &hints, &list);

	if (!ret)
		return list;
	if (ret == EAI_ADDRFAMILY || ret == EAI_NODATA)
		smc_err_say(err, EINVAL, "host '%s' has no %saddress", host,
			    endpoint_family_word(family));
	else
		smc_err_say(err, EINVAL, "host '%s' is not known: %s", host,
			    ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret));
	return NULL;
}

socklen_t endpoint_len(const union endpoint_addr *addr)
{
	return addr->sa.sa_family == AF_INET6 ? sizeof(addr->in6) : sizeof(addr->in);
}

/* sockaddr_in and sockaddr_in6 have the port at the same offset. */
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
	if (getnameinfo(&addr->sa, endpoint_len(addr), text, ENDPOINT_TEXT_SIZE, NULL, 0,
			NI_NUMERICHOST))
		snprintf(text, ENDPOINT_TEXT_SIZE, "?");
	return text;
}

void endpoint_origin(uint8_t origin[ENDPOINT_ORIGIN_SIZE], const union endpoint_addr *addr)
{
	static const uint8_t mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	uint32_t address = addr->in.sin_addr.s_addr;

	if (addr->sa.sa_family != AF_INET6) {
		if (ntohl(address) >> 24 == IN_LOOPBACKNET)
			address = htonl(INADDR_LOOPBACK);
		memcpy(origin, mapped, sizeof(mapped));
		memcpy(origin + sizeof(mapped), &address, sizeof(address));
		return;
	}
	memcpy(origin, &addr->in6.sin6_addr, ENDPOINT_ORIGIN_SIZE);
	if (!IN6_IS_ADDR_LINKLOCAL(&addr->in6.sin6_addr))
		memset(origin + 8, 0, 8);
}

bool endpoint_is_tcp(int fd)
{
	int protocol = 0;
	socklen_t len = sizeof(protocol);

	return !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) && protocol == IPPROTO_TCP;
}

/* Replace a socket of which only the inode is known. */
static int look_at(const struct nlmsghdr *nlh, void *arg)
{
	struct smc_sock sock, *wanted = arg;

	if (!smc_sock_decode(&sock, nlh) && sock.inode == wanted->inode)
		*wanted = sock;
	return 0;
}

bool endpoint_diag(int fd, struct smc_sock *sock)
{
	const struct smc_abi_diag_req req = smc_sock_request(SOCKETS_EXT_ALL);
	struct stat st;
	int ret = -EINTR;

	if (fstat(fd, &st))
		return false;
	/* The inode survives a fallback to TCP. */
	*sock = (struct smc_sock){ .inode = st.st_ino };
	/* A busy table may skip a socket: absence in one dump proves nothing. */
	for (int i = 0; i < TRIES && !sock->family && (ret == -EINTR || !ret); i++)
		ret = smc_diag_dump(&req, sizeof(req), sizeof(struct smc_abi_diag_msg), look_at,
				    sock, NULL);
	return sock->family;
}

static int look_at_tcp(const struct nlmsghdr *nlh, void *arg)
{
	struct inet_diag_msg msg, *wanted = arg;

	if (!smc_inet_message(&msg, nlh) && msg.id.idiag_sport == wanted->id.idiag_sport &&
	    msg.id.idiag_dport == wanted->id.idiag_dport)
		*wanted = msg;
	return 0;
}

bool endpoint_has_declined(const union endpoint_addr *local, const union endpoint_addr *peer)
{
	struct inet_diag_msg msg = { .id = { .idiag_sport = local->in.sin_port,
					     .idiag_dport = peer->in.sin_port } };

	sockets_tcp_dump((uint8_t)peer->sa.sa_family, smc_inet_request, look_at_tcp, &msg, NULL);
	return msg.idiag_rqueue > 1; /* an end counts as one byte */
}

void endpoint_abort(int fd)
{
	const struct linger at_once = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
}
