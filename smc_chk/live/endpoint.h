/* SPDX-License-Identifier: MIT */
/* Sockets of the live test, and what the kernel says of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "smc/sock.h"

/** union endpoint_addr - an IPv4 or IPv6 address with its port */
union endpoint_addr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

#define ENDPOINT_TEXT_SIZE 64

/**
 * endpoint_socket() - a non-blocking SMC or plain TCP stream socket
 * @buffers: for SO_RCVBUF and SO_SNDBUF, 0 for the kernel's own; connections get those of a
 *	listener that it had before it listened
 *
 * No preload library is in the way: a TCP socket is one. SMC comes as AF_SMC, or as IPPROTO_SMC
 * (kernel 6.11) where a sandbox lets only AF_INET pass.
 *
 * Return: descriptor, or -errno of AF_SMC.
 */
int endpoint_socket(int family, bool is_smc, int buffers);

/** endpoint_why_not() - in words, why there are no SMC sockets; NULL: there are */
const char *endpoint_why_not(void);

/** endpoint_family_word() - "IPv4 " or "IPv6 ", to be followed by "address"; "" for AF_UNSPEC */
const char *endpoint_family_word(int family);

socklen_t endpoint_len(const union endpoint_addr *addr);
uint16_t endpoint_port(const union endpoint_addr *addr);
void endpoint_set_port(union endpoint_addr *addr, uint16_t port);

/** endpoint_text() - "10.0.0.1", "2001:db8::1", "fe80::1%eth0": no port */
const char *endpoint_text(char text[ENDPOINT_TEXT_SIZE], const union endpoint_addr *addr);

#define ENDPOINT_ORIGIN_SIZE 16

/**
 * endpoint_origin() - who a client is, as far as places in a server go
 * @origin: receives the same bytes for addresses that one host can choose from as it likes: those
 *	of loopback, and of an IPv6 network (/64, but not link-local)
 */
void endpoint_origin(uint8_t origin[ENDPOINT_ORIGIN_SIZE], const union endpoint_addr *addr);

/** endpoint_is_tcp() - has the kernel put plain TCP in the place of this SMC socket? */
bool endpoint_is_tcp(int fd);

/** endpoint_diag() - what sock_diag says of a socket of ours; false if nothing */
bool endpoint_diag(int fd, struct smc_sock *sock);

/** endpoint_abort() - close without waiting for what the peer does not read; close() waits 2 s */
void endpoint_abort(int fd);
