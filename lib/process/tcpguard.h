/* SPDX-License-Identifier: MIT */
/*
 * Socket options by which TCP authenticates, restricts or filters segments. On an SMC socket they
 * work for the handshake, but not for the data. Compiled for BPF too, so it needs kernel headers
 * only.
 */
#pragma once

#include <asm/socket.h>
#include <stdbool.h>

/** TCPGUARD() - an option and its level as one number, which no other option shares */
#define TCPGUARD(level, option) ((unsigned int)(level) << 16 | (unsigned int)(option))

/* clang-format off */
/* Each row: level, option; removal of keys, too, because values are not known. */
#define TCPGUARDS(X)                                                                               \
	X(6, 14) /* IPPROTO_TCP: TCP_MD5SIG */                                                     \
	X(6, 32) /* TCP_MD5SIG_EXT */                                                              \
	X(6, 38) /* TCP_AO_ADD_KEY */                                                              \
	X(6, 39) /* TCP_AO_DEL_KEY */                                                              \
	X(6, 40) /* TCP_AO_INFO */                                                                 \
	X(6, 42) /* TCP_AO_REPAIR */                                                               \
	X(0, 16) /* IPPROTO_IP: IP_IPSEC_POLICY */                                                 \
	X(0, 17) /* IP_XFRM_POLICY */                                                              \
	X(0, 21) /* IP_MINTTL */                                                                   \
	X(41, 34) /* IPPROTO_IPV6: IPV6_IPSEC_POLICY */                                            \
	X(41, 35) /* IPV6_XFRM_POLICY */                                                           \
	X(41, 73) /* IPV6_MINHOPCOUNT */
/* clang-format on */

/* Also common on sockets other than TCP. */
#define TCPGUARD_FILTERS(X)                                                                        \
	X(SOL_SOCKET, SO_ATTACH_FILTER)                                                            \
	X(SOL_SOCKET, SO_ATTACH_BPF)

/** tcpguard_is() - true if the option is one of these */
static inline bool tcpguard_is(int level, int option)
{
#define TCPGUARD_CASE(level, option) case TCPGUARD(level, option):
	switch (TCPGUARD(level, option)) {
		TCPGUARDS(TCPGUARD_CASE)
		TCPGUARD_FILTERS(TCPGUARD_CASE)
		return true;
	default: return false;
	}
#undef TCPGUARD_CASE
}
