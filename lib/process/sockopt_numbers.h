/* SPDX-License-Identifier: MIT */
/* Socket options missing from some libcs. */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

/*
 * From <asm-generic/socket.h>; older architectures have other numbers. Some libcs define the first
 * ones of a group themselves, and those may be repeated.
 */
#ifndef SO_TXTIME /* Linux 4.19 */
#define SO_TXTIME 61
#endif
#ifndef SO_TIMESTAMP_NEW /* 5.1 */
#define SO_BINDTOIFINDEX 62
#define SO_TIMESTAMP_NEW 63
#define SO_TIMESTAMPNS_NEW 64
#define SO_TIMESTAMPING_NEW 65
#define SO_RCVTIMEO_NEW 66
#define SO_SNDTIMEO_NEW 67
#endif
#ifndef SO_BUF_LOCK /* 5.14 */
#define SO_PREFER_BUSY_POLL 69
#define SO_BUSY_POLL_BUDGET 70
#define SO_BUF_LOCK 72
#endif
#ifndef SO_RCVMARK /* 5.19 */
#define SO_RESERVE_MEM 73
#define SO_TXREHASH 74
#define SO_RCVMARK 75
#endif
#ifndef SO_RCVPRIORITY /* 6.14 */
#define SO_PASSPIDFD 76
#define SO_RCVPRIORITY 82
#endif
#ifndef TCP_DELACK_MAX_US /* <linux/tcp.h>, 6.15 */
#define TCP_RTO_MAX_MS 44
#define TCP_RTO_MIN_US 45
#define TCP_DELACK_MAX_US 46
#endif
#ifndef IP_LOCAL_PORT_RANGE /* <linux/in.h>, 6.3 */
#define IP_LOCAL_PORT_RANGE 51
#endif
