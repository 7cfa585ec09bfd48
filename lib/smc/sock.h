/* SPDX-License-Identifier: MIT */
/* SMC sockets as sock_diag reports them: bytes -> struct smc_sock. Pure: no I/O here. */
#pragma once

#include <linux/netlink.h>
#include <netinet/in.h>

#include "base/libc.h"
#include "smc/abi.h"

/* Attributes in a message: struct smc_sock.has */
enum {
	SMC_SOCK_HAS_CONN = 1 << 0,
	SMC_SOCK_HAS_LGR = 1 << 1,
	SMC_SOCK_HAS_DMB = 1 << 2,
	SMC_SOCK_HAS_SHUTDOWN = 1 << 3,
	SMC_SOCK_HAS_FALLBACK = 1 << 4,
	SMC_SOCK_HAS_GID_EXT = 1 << 5,
};

/* Transport of a connection, as far as known. */
enum smc_mode {
	SMC_MODE_NONE, /* no connection (yet, or any more) */
	SMC_MODE_SMCR,
	SMC_MODE_SMCD,
	SMC_MODE_TCP,
};

/**
 * struct smc_addr - one end of a connection
 * @family: AF_INET, AF_INET6; AF_UNSPEC when the address is not known (the port may be)
 * @ip: address in network byte order; IPv4 in the first four bytes
 * @port: host byte order, 0 for none
 */
struct smc_addr {
	uint8_t family;
	uint8_t ip[16];
	uint16_t port;
};

/**
 * struct smc_sock - one socket
 * @has: SMC_SOCK_HAS_* bits: attributes below that the kernel sent
 * @family: 43, or 2 and 10 for unaccepted IPPROTO_SMC sockets
 * @state: SMC_ABI_ACTIVE and so on; may be unknown to all headers
 * @mode: raw diag_mode; see smc_sock_mode()
 * @shutdown: bit 0 receiving, bit 1 sending side shut
 * @ifindex: bound device, 0 for none
 * @uid: owner, in the caller's user namespace
 * @inode: of the file descriptor; 0 while a connection is not accepted
 * @cookie: SO_COOKIE of the socket
 * @netns: name of its network namespace, for filters; NULL if not set
 */
struct smc_sock {
	uint32_t has;
	uint8_t family, state, mode, shutdown;
	struct smc_addr local, peer;
	uint32_t ifindex, uid;
	uint64_t inode, cookie;
	const char *netns;
	struct smc_diag_conninfo conn;
	struct smc_abi_lgrinfo lgr;
	struct smc_abi_dmbinfo dmb;
	struct smc_diag_fallback fallback;
};

/**
 * smc_sock_request() - body of a sock_diag request for all SMC sockets
 * @ext: SMC_DIAG_EXT() bits of CONNINFO, LGRINFO, DMBINFO; SHUTDOWN and FALLBACK always come
 */
struct smc_abi_diag_req smc_sock_request(uint8_t ext);

/**
 * smc_sock_decode() - decode one answer
 *
 * Unknown attributes are skipped; a short one counts as missing; a long one is read as far as
 * known. Uncertain addresses stay AF_UNSPEC, see smc_sock_needs_lookup().
 * Return: 0, or -EBADMSG if the message is shorter than its fixed part.
 */
int smc_sock_decode(struct smc_sock *sock, const struct nlmsghdr *nlh);

/**
 * smc_sock_needs_lookup() - true if addresses are missing that inet_diag may have
 *
 * The kernel sends no addresses for IPPROTO_SMC sockets, and no IP version for AF_SMC ones:
 * words that are all zero mean 0.0.0.0, :: or unknown; if only words 1 to 3 are zero, the address
 * may be IPv4, or IPv6 such as 2001:db8::.
 */
static inline bool smc_sock_needs_lookup(const struct smc_sock *sock)
{
	return sock->local.family == AF_UNSPEC && (sock->local.port || sock->peer.port);
}

/** smc_sock_connected() - true if there is or was a peer, even for a fallback in state INIT */
static inline bool smc_sock_connected(const struct smc_sock *sock)
{
	if (sock->state == SMC_ABI_LISTEN)
		return false;
	/* A fallback before connect() stays INIT forever, though it is connected. */
	return sock->state != SMC_ABI_INIT ||
	       (sock->mode == SMC_DIAG_MODE_FALLBACK_TCP && sock->peer.port);
}

/** smc_sock_mode() - transport of the connection; SMC_MODE_NONE without a connection */
static inline enum smc_mode smc_sock_mode(const struct smc_sock *sock)
{
	if (sock->state == SMC_ABI_CLOSED)
		return SMC_MODE_NONE;
	if (sock->mode == SMC_DIAG_MODE_FALLBACK_TCP)
		return SMC_MODE_TCP;
	/* Mode 0 is SMC-R, but sockets without a connection have it, too. */
	if (!smc_sock_connected(sock))
		return SMC_MODE_NONE;
	if (sock->mode == SMC_DIAG_MODE_SMCR)
		return SMC_MODE_SMCR;
	return sock->mode == SMC_DIAG_MODE_SMCD ? SMC_MODE_SMCD : SMC_MODE_NONE;
}

/** smc_state_name() - name printed by smcss, NULL for an unknown state */
const char *smc_state_name(uint8_t state);

/** smc_state_parse() - a name in any case, or of older man pages. Return: state, -EINVAL */
int smc_state_parse(const char *name);

/** smc_mode_name() - "SMCR", "SMCD", "TCP", or "-" without a connection */
const char *smc_mode_name(enum smc_mode mode);
