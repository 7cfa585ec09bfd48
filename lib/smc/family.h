/* SPDX-License-Identifier: MIT */
/* Numbers of SMC for socket(2) and getsockopt(2), which older headers lack. */
#pragma once

/* Included first: since glibc 2.41 it defines IPPROTO_SMC, as an enumerator and as a macro. */
#include <netinet/in.h>
#include <sys/socket.h>

#ifndef AF_SMC
#define AF_SMC 43
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256 /* kernel 6.11 */
#endif
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71 /* kernel 5.14 */
#endif

#define SMCPROTO_SMC 0	/* third argument of socket(AF_SMC, ...): IPv4 */
#define SMCPROTO_SMC6 1 /* IPv6 */
