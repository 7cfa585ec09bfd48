/* SPDX-License-Identifier: MIT */
/* TCP sockets as inet_diag reports them, with TCP_INFO: bytes -> struct smc_tcp. Pure. */
#pragma once

#include <linux/inet_diag.h>
#include <linux/netlink.h>

#include "smc/sock.h"

#define SMC_TCP_ULP_SIZE 16

/**
 * struct smc_tcp - one TCP socket, alive or just gone
 * @is_over: the program has closed it, and a FIN was sent: only the peer's end is missing
 * @is_remnant: what remains of a socket in TIME_WAIT or FIN_WAIT2; the message about the end of the
 *	socket itself has the same @cookie
 * @has_info: the members from TCP_INFO, @sent to @is_fast_open, are valid
 * @local, @peer: IPv4-mapped addresses are converted to IPv4
 * @inode: 0 if no descriptor holds it any more; @cookie: SO_COOKIE, unique since boot
 * @sent, @received: bytes of payload, without retransmissions; the peer's FIN counts as one
 * @segs_sent, @segs_received: segments with payload
 * @mss: maximum bytes of a sent segment
 * @ulp: upper layer protocol, "tls" or "mptcp"; empty for none
 * @is_signed: has keys for signatures (TCP-MD5); only visible with CAP_NET_ADMIN
 * @is_fast_open: its SYN carried payload
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
 * Requests listening sockets, and those that are or were connected, without TIME_WAIT.
 */
struct inet_diag_req_v2 smc_tcp_request(uint8_t family);

/**
 * smc_tcp_decode() - decode one answer, or the message about a socket's end
 *
 * Reads what is there of a shorter TCP_INFO from an older kernel. Return: 0, -EBADMSG.
 */
int smc_tcp_decode(struct smc_tcp *tcp, const struct nlmsghdr *nlh);

/** smc_addr_unmap() - convert an IPv4-mapped IPv6 address to IPv4; others are unchanged */
void smc_addr_unmap(struct smc_addr *addr);
