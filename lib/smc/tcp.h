/* SPDX-License-Identifier: MIT */
/* TCP sockets as inet_diag shows them, with TCP_INFO: bytes -> struct smc_tcp. Pure. */
#pragma once

#include <linux/inet_diag.h>
#include <linux/netlink.h>

#include "smc/sock.h"

#define SMC_TCP_ULP_SIZE 16

/**
 * struct smc_tcp - one TCP socket, alive or just gone
 * @is_over: both this side and the program are done with it: it only waits for its end
 * @is_remnant: what TIME_WAIT keeps of a socket, also in state FIN_WAIT2; the message about the end
 *	of the socket itself has the same @cookie
 * @has_info: what is from TCP_INFO, @sent to @is_fast_open, was sent
 * @local, @peer: IPv4 addresses of IPv6 sockets as IPv4
 * @inode: 0 for one that no descriptor holds any more
 * @cookie: SO_COOKIE: no other socket since boot has it
 * @sent, @received: bytes of payload so far, each counted once; the peer's FIN is one received
 * @segs_sent, @segs_received: segments with payload
 * @mss: bytes that a segment sent can have
 * @ulp: what took the socket over, "tls" or "mptcp"; empty for nothing
 * @is_signed: has keys for signatures (TCP-MD5); without CAP_NET_ADMIN nobody sees that
 * @is_fast_open: there was payload in its SYN
 */
struct smc_tcp {
	struct smc_addr local, peer;
	bool is_listener, is_over, is_remnant, has_info;
	uint32_t uid;
	uint64_t inode, cookie;
	uint64_t sent, received;
	uint32_t segs_sent, segs_received, mss;
	char ulp[SMC_TCP_ULP_SIZE];
	bool is_signed, is_fast_open;
};

/**
 * smc_tcp_request() - body of a sock_diag request for the TCP sockets of AF_INET or AF_INET6
 *
 * Those that listen, and those that are or were connected; TIME_WAIT is not a socket.
 */
struct inet_diag_req_v2 smc_tcp_request(uint8_t family);

/**
 * smc_tcp_decode() - read one answer, or the message about a socket's end
 *
 * A TCP_INFO of an older kernel is read as far as it goes. Return: 0, -EBADMSG if it is short.
 */
int smc_tcp_decode(struct smc_tcp *tcp, const struct nlmsghdr *nlh);

/** smc_addr_unmap() - make an IPv4 address of a v4-mapped IPv6 one, and of nothing else */
void smc_addr_unmap(struct smc_addr *addr);
