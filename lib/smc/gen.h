/* SPDX-License-Identifier: MIT */
/* Decode answers of SMC_GEN_NETLINK: capabilities, devices, link groups, links. Pure. */
#pragma once

#include <linux/netlink.h>

#include "base/libc.h"
#include "smc/genl_abi.h"

enum {
	SMC_SYSINFO_HAS_VERSION = 1 << 0,
	SMC_SYSINFO_HAS_RELEASE = 1 << 1,
	SMC_SYSINFO_HAS_HOST = 1 << 2,
	SMC_SYSINFO_HAS_ISM_V2 = 1 << 3,
};

/**
 * struct smc_sysinfo - answer of SMC_NETLINK_GET_SYS_INFO
 * @is_ism_v2: an ISM device of version 2, or loopback-ism, was present
 * @host: name that the kernel sends to peers, from the time when the module was loaded
 * @seid: system EID; empty if there is none (not IBM Z)
 */
struct smc_sysinfo {
	uint32_t has;
	uint8_t version, release;
	bool is_ism_v2, is_smcr_v2;
	char host[SMC_MAX_EID_LEN + 1];
	char seid[SMC_MAX_EID_LEN + 1];
};

/** smc_sysinfo_decode() - smc_genl_fn: decode the answer. Return: 0, -EBADMSG without the nest */
int smc_sysinfo_decode(const struct nlmsghdr *nlh, void *info);

#define SMC_DEVICE_PORTS 2

enum {
	SMC_DEVICE_HAS_USE_COUNT = 1 << 0, /* ISM only */
	SMC_DEVICE_HAS_CRIT = 1 << 1,
	SMC_DEVICE_HAS_FID = 1 << 2, /* up to PCI_ID: only with a PCI function, unlike rxe */
	SMC_DEVICE_HAS_PCHID = 1 << 3,
	SMC_DEVICE_HAS_VENDOR = 1 << 4,
	SMC_DEVICE_HAS_DEVICE = 1 << 5,
	SMC_DEVICE_HAS_PCI_ID = 1 << 6,
	SMC_DEVICE_HAS_IB_NAME = 1 << 7, /* RDMA only */
};

enum {
	SMC_PORT_HAS_USER = 1 << 0,
	SMC_PORT_HAS_PNETID = 1 << 1,
	SMC_PORT_HAS_IFINDEX = 1 << 2, /* from here on: RDMA only */
	SMC_PORT_HAS_STATE = 1 << 3,
	SMC_PORT_HAS_LINKS = 1 << 4,
};

/**
 * struct smc_port - one port of a device @is_there: the kernel sent it and did not mark it as
 * invalid
 * @is_user: the PNET ID, empty for none, was set by software
 * @ifindex: net device, in its own network namespace, which may be any; 0 for none
 * @links: number of SMC-R links on it
 */
struct smc_port {
	uint32_t has;
	bool is_there, is_user, is_active;
	char pnetid[SMC_MAX_PNETID_LEN + 1];
	uint32_t ifindex, links;
};

/**
 * struct smc_device - one device
 * @use_count: link groups on an ISM device
 * @is_crit: ISM: in use; RDMA: carries a link of a group that has no other one on this side
 * @fid, @pchid: of IBM Z, 0 elsewhere
 */
struct smc_device {
	uint32_t has;
	uint32_t use_count, fid, pchid, vendor, device;
	bool is_crit;
	char pci_id[SMC_MAX_PNETID_LEN + 1];
	char ib_name[SMC_IB_NAME_LEN];
	struct smc_port ports[SMC_DEVICE_PORTS];
};

/** smc_device_decode() - decode one answer. Return: 0, -EBADMSG if it is not about a device */
int smc_device_decode(struct smc_device *device, const struct nlmsghdr *nlh);

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
 * @has: SMC_LGR_HAS_* bits: attributes that the kernel sent
 * @role: 0 client, 1 server
 * @type: 0 none, 1 single, 2 symmetric, 3 asymmetric peer, 4 asymmetric local
 * @vlan: low 8 bits of the VLAN id, the only ones in the answer; 0 for none
 * @conns: connections now; 0 for a lingering group, for up to ten minutes
 * @pnetid: empty for none; @is_v2: the kernel sent the attributes of version 2 groups
 * @os: of the peer: 0 unknown, 1 z/OS, 2 Linux, 3 AIX
 * @eid: negotiated EID; @peer_host: name sent by the peer
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

/** smc_lgr_decode() - decode an SMC-R or SMC-D link group. Return: 0, -EBADMSG */
int smc_lgr_decode(struct smc_lgr *lgr, const struct nlmsghdr *nlh);

enum {
	SMC_LINK_HAS_ID = 1 << 0,
	SMC_LINK_HAS_IB_DEV = 1 << 1,
	SMC_LINK_HAS_IB_PORT = 1 << 2,
	SMC_LINK_HAS_CONNS = 1 << 3,
	SMC_LINK_HAS_UID = 1 << 4,
	SMC_LINK_HAS_PEER_UID = 1 << 5,
	SMC_LINK_HAS_STATE = 1 << 6,
};

/**
 * struct smc_link - one link
 * @id: number in its group, from 1; @gid, @peer_gid: text, 8 groups of 4 digits
 * @ifindex: net device, in its own network namespace, which may be any; 0 unknown
 * @uid, @peer_uid: in network byte order on each machine
 * @state: 0 unused, 1 inactive, 2 activating, 3 active
 */
struct smc_link {
	uint32_t has;
	uint8_t id, ib_port;
	char ib_dev[SMC_IB_NAME_LEN];
	char gid[SMC_GID_TEXT_LEN], peer_gid[SMC_GID_TEXT_LEN];
	uint32_t conns, ifindex, state;
	uint8_t uid[4], peer_uid[4];
};

/** smc_link_decode() - decode one answer. Return: 0, -EBADMSG if it is not about a link */
int smc_link_decode(struct smc_link *link, const struct nlmsghdr *nlh);
