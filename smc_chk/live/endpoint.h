/* SPDX-License-Identifier: MIT */
/* Sockets of the live test, and the kernel's information about them. */
#pragma once

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/err.h"
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
 *
 * Not affected by a preload library: a TCP socket stays TCP. SMC is AF_SMC, or IPPROTO_SMC (kernel
 * 6.11) if a sandbox only allows AF_INET.
 *
 * Return: descriptor, or -errno of AF_SMC.
 */
int endpoint_socket(int family, bool is_smc);

/** endpoint_why_not() - why there are no SMC sockets, in words; NULL if there are some */
const char *endpoint_why_not(void);

/** endpoint_family_word() - "IPv4 " or "IPv6 ", before "address"; "" for AF_UNSPEC */
const char *endpoint_family_word(int family);

/** endpoint_resolve() - addresses of a host, for freeaddrinfo(). Return: NULL with a message */
struct addrinfo *endpoint_resolve(const char *host, int family, struct smc_err *err);

socklen_t endpoint_len(const union endpoint_addr *addr);
uint16_t endpoint_port(const union endpoint_addr *addr);
void endpoint_set_port(union endpoint_addr *addr, uint16_t port);

/** endpoint_text() - "10.0.0.1", "2001:db8::1", "fe80::1%eth0": without the port */
const char *endpoint_text(char text[ENDPOINT_TEXT_SIZE], const union endpoint_addr *addr);

#define ENDPOINT_ORIGIN_SIZE 16

/**
 * endpoint_origin() - identify a client, for the limit per client
 * @origin: equal for addresses that a host can choose: loopback, an IPv6 network (not link-local)
 */
void endpoint_origin(uint8_t origin[ENDPOINT_ORIGIN_SIZE], const union endpoint_addr *addr);

/** endpoint_is_tcp() - true if the kernel replaced this SMC socket with plain TCP */
bool endpoint_is_tcp(int fd);

/** endpoint_diag() - sock_diag information about a socket of ours; false if none */
bool endpoint_diag(int fd, struct smc_sock *sock);

/**
 * endpoint_has_declined() - of a connection over SMC: true if the server sends over TCP
 *
 * It has declined when the handshake was over here. SMC leaves in the TCP socket what comes then.
 */
bool endpoint_has_declined(const union endpoint_addr *local, const union endpoint_addr *peer);

/** endpoint_abort() - close without waiting for the peer to read, which takes close() 2 s */
void endpoint_abort(int fd);

/* ---- connect and exchange, with timeouts ---- */

/**
 * stream_connect() - connect a socket of endpoint_socket(). @ns: duration
 *
 * SMC's connect() ignores SO_SNDTIMEO, so the socket is non-blocking. SMC does not pass on some
 * errors of TCP; these are found with a plain TCP connection.
 *
 * Return: descriptor (non-blocking), or -errno: -ETIMEDOUT after @timeout_ms; from the SMC
 * handshake -EPROTO, -ECONNRESET, -ECONNABORTED, -ETIME after @timeout_ms, -ENOMSG after the kernel
 * had no answer for six seconds.
 */
int stream_connect(const union endpoint_addr *addr, bool is_smc, int timeout_ms, uint64_t *ns);

/**
 * struct stream_limit - timeouts
 * @step_ms: limit without progress
 * @end: limit for everything (stream_now()), as a peer with a byte now and then makes progress
 */
struct stream_limit {
	int step_ms;
	uint64_t end;
};

/** stream_limit() - timeouts, starting now */
struct stream_limit stream_limit(int step_ms, uint64_t whole_ms);

/**
 * stream_exchange() - send and receive at the same time over a non-blocking socket
 *
 * Return: 0; -ECONNRESET if the peer closed; -ETIMEDOUT after a step without progress, -ETIME at
 * the end of @limit; another -errno.
 */
int stream_exchange(int fd, const void *out, size_t out_len, void *in, size_t in_len,
		    const struct stream_limit *limit);

/** stream_receive() - up to @size bytes, as soon as some arrive; 0 at the end or on error */
size_t stream_receive(int fd, void *in, size_t size, const struct stream_limit *limit);

/** stream_now() - CLOCK_MONOTONIC in nanoseconds */
uint64_t stream_now(void);
