/* SPDX-License-Identifier: MIT */
/* Link groups, SMC-R and SMC-D: bytes -> struct smc_lgr. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "smc/abi.h"

enum {
	SMC_LGR_HAS_ID = 1 << 0,
	SMC_LGR_HAS_ROLE = 1 << 1, /* this one and the next: SMC-R only */
	SMC_LGR_HAS_TYPE = 1 << 2,
	SMC_LGR_HAS_VLAN = 1 << 3,
	SMC_LGR_HAS_CONNS = 1 << 4,
	SMC_LGR_HAS_PNETID = 1 << 5,
	SMC_LGR_HAS_VERSION = 1 << 6, /* up to PEER_HOST: version 2 only */
	SMC_LGR_HAS_RELEASE = 1 << 7,
	SMC_LGR_HAS_OS = 1 << 8,
	SMC_LGR_HAS_EID = 1 << 9,
	SMC_LGR_HAS_PEER_HOST = 1 << 10,
	SMC_LGR_HAS_DIRECT = 1 << 11, /* up to BUF_TYPE: SMC-R only */
	SMC_LGR_HAS_MAX_CONNS = 1 << 12,
	SMC_LGR_HAS_MAX_LINKS = 1 << 13,
	SMC_LGR_HAS_NET_COOKIE = 1 << 14,
	SMC_LGR_HAS_BUF_TYPE = 1 << 15,
	SMC_LGR_HAS_SNDBUF = 1 << 16,
	SMC_LGR_HAS_RCVBUF = 1 << 17,
	SMC_LGR_HAS_GID = 1 << 18, /* from here on: SMC-D only */
	SMC_LGR_HAS_PEER_GID = 1 << 19,
	SMC_LGR_HAS_EXT_GID = 1 << 20,
	SMC_LGR_HAS_PEER_EXT_GID = 1 << 21,
	SMC_LGR_HAS_CHID = 1 << 22,
};

/**
 * struct smc_lgr - one link group
 * @has: SMC_LGR_HAS_* bits: what the kernel sent
 * @role: 0 client, 1 server
 * @type: 0 none, 1 single, 2 symmetric, 3 asymmetric peer, 4 asymmetric local
 * @vlan: low 8 bits of the VLAN id, all that the kernel tells; 0 for none
 * @conns: connections now; 0 for a group that lingers, up to ten minutes
 * @pnetid: empty for none
 * @is_v2: the kernel sent what it has of version 2 groups
 * @os: of the peer: 0 unknown, 1 z/OS, 2 Linux, 3 AIX
 * @eid: EID on which both sides agreed; @peer_host: the peer's words
 * @is_direct: the peer is on the same network, not behind a router
 * @net_cookie: of the network namespace (SO_NETNS_COOKIE)
 * @buf_type: 0 physically contiguous, 1 virtually contiguous, 2 mixed
 * @sndbuf, @rcvbuf: bytes allocated in the group: send buffers; RMBs or DMBs
 * @chid: channel id of the ISM network; SMC_ABI_CHID_LOOPBACK
 */
struct smc_lgr {
	uint32_t has;
	uint32_t id, conns;
	uint8_t role, type, vlan;
	char pnetid[SMC_MAX_PNETID_LEN + 1];
	bool is_v2, is_direct;
	uint8_t version, release, os;
	char eid[SMC_MAX_EID_LEN + 1];
	char peer_host[SMC_MAX_EID_LEN + 1];
	uint8_t max_conns, max_links, buf_type;
	uint64_t net_cookie, sndbuf, rcvbuf;
	uint64_t gid, peer_gid, ext_gid, peer_ext_gid;
	uint32_t chid;
};

/**
 * smc_lgr_decode() - read one answer about an SMC-R or an SMC-D link group
 *
 * Return: 0, -EBADMSG when the message has neither nest.
 */
int smc_lgr_decode(struct smc_lgr *lgr, const struct nlmsghdr *nlh);
