/* SPDX-License-Identifier: MIT */
/*
 * SMC handshake messages (CLC), exchanged over TCP before data: bytes -> struct. Pure.
 *
 * Layouts: RFC 7609 appendix A for version 1, net/smc/smc_clc.h of Linux for versions 2 and 2.1.
 * All numbers are big-endian, on every machine.
 */
#pragma once

#include "base/libc.h"

/* Eye catcher at both ends, type, length, version. */
#define SMC_CLC_HEADER 8
#define SMC_CLC_TRAILER 4
/* Longer than any known message: a longer one is not CLC. */
#define SMC_CLC_MAX 2048
#define SMC_CLC_EID 33
#define SMC_CLC_MAX_LIST 8
/* As @os of struct smc_clc. */
#define SMC_CLC_LINUX 2

enum smc_clc_type { SMC_CLC_PROPOSAL = 1, SMC_CLC_ACCEPT, SMC_CLC_CONFIRM, SMC_CLC_DECLINE };

/** enum smc_clc_path - kinds of SMC, as a proposal offers them and an answer chooses one */
enum smc_clc_path { SMC_CLC_R, SMC_CLC_D, SMC_CLC_NONE, SMC_CLC_BOTH };

/** enum smc_clc_has - groups of members that were captured */
enum smc_clc_has {
	SMC_CLC_HAS_PEER_ID = 1 << 0,
	SMC_CLC_HAS_GID = 1 << 1,	 /* SMC-R: GID and MAC */
	SMC_CLC_HAS_SUBNET = 1 << 2,	 /* proposal: subnet and prefixes */
	SMC_CLC_HAS_V2 = 1 << 3,	 /* proposal: the extension of version 2 */
	SMC_CLC_HAS_LIMITS = 1 << 4,	 /* max_conns, max_links, features */
	SMC_CLC_HAS_SEID = 1 << 5,	 /* proposal: the extension of SMC-Dv2 */
	SMC_CLC_HAS_CHID = 1 << 6,	 /* ISM */
	SMC_CLC_HAS_RDMA = 1 << 7,	 /* accept, confirm of SMC-R */
	SMC_CLC_HAS_DMB = 1 << 8,	 /* accept, confirm of SMC-D */
	SMC_CLC_HAS_EID = 1 << 9,	 /* accept, confirm of version 2 */
	SMC_CLC_HAS_FIRST = 1 << 10,	 /* first contact extension */
	SMC_CLC_HAS_GIDS = 1 << 11,	 /* confirm of SMC-Rv2 */
	SMC_CLC_HAS_REASON = 1 << 12,	 /* decline */
	SMC_CLC_HAS_DIAGNOSIS = 1 << 13, /* decline of version 2 */
	SMC_CLC_HAS_GID_EXT = 1 << 14,	 /* accept, confirm: the rest of an emulated device's GID */
	SMC_CLC_HAS_RELEASE = 1 << 15,	 /* of the first contact extension, or the proposal */
	SMC_CLC_HAS_V2_GID = 1 << 16,	 /* proposal: a RoCEv2 GID */
	SMC_CLC_HAS_ISM_GID = 1 << 17,
};

/** struct smc_clc_ism - an ISM device that is offered; with CHID from 0xff00 on it is emulated */
struct smc_clc_ism {
	uint64_t gid, gid_ext;
	uint16_t chid;
	bool has_ext;
};

/** struct smc_clc_prefix - an IPv6 prefix of the client's interface */
struct smc_clc_prefix {
	uint8_t addr[16];
	uint8_t len;
};

/**
 * struct smc_clc - one message
 * @type: enum smc_clc_type; @is_smcd: its eye catcher is that of SMC-D
 * @is_cut: a part was not captured: its members have no bit in @has
 * @damage: what contradicts the layout, a clause; NULL for none; @len: from the header, in bytes
 * @path, @path_v2: enum smc_clc_path; accept and confirm have only @path
 * @is_first: accept, confirm: first contact; decline: out of sync
 * @peer_id: of the sender: 2 bytes of an instance, then a MAC
 * @gid, @mac: of the sender's RoCE port
 * @ism_gid, @ism_gid_ext, @chid: of its ISM device
 * @n_prefixes, @n_ueids, @n_isms, @n_gids: used entries of the arrays; a message that is cut or
 *	damaged may have announced more
 * @release: of SMC; version 2 with a release is called 2.1
 * @os: 1 z/OS, 2 Linux, 3 AIX; @features: bit 0: emulated ISM
 * @buffer: in bytes; @mtu_code: 1 for 256 to 5 for 4096; @is_direct: the RoCE path has no gateway
 * @reason: as in smc/reason.h, if the sender is Linux
 *
 * Blank padding of strings is removed; they may contain any other byte.
 */
struct smc_clc {
	const char *damage;
	uint32_t has;
	uint16_t len;
	uint8_t type, version, path, path_v2;
	bool is_smcd, is_cut, is_first;

	uint8_t peer_id[8];
	uint8_t gid[16], mac[6];
	uint64_t ism_gid, ism_gid_ext;
	uint16_t chid;

	uint8_t subnet[4], subnet_len, n_prefixes;
	struct smc_clc_prefix prefixes[SMC_CLC_MAX_LIST];
	uint8_t n_ueids, n_isms;
	char ueids[SMC_CLC_MAX_LIST][SMC_CLC_EID];
	struct smc_clc_ism isms[SMC_CLC_MAX_LIST];
	bool has_seid;
	char seid[SMC_CLC_EID];
	uint8_t v2_gid[16];

	uint32_t qp, rkey, alert_token, psn;
	uint64_t address;
	uint32_t buffer;
	uint8_t index, mtu_code;
	uint64_t dmb_token;
	uint32_t link_id;

	char eid[SMC_CLC_EID], host[SMC_CLC_EID];
	bool is_direct;
	uint8_t os, release, max_conns, max_links;
	uint16_t features;
	uint8_t n_gids;
	uint8_t gids[SMC_CLC_MAX_LIST][16];

	uint32_t reason;
	uint32_t diagnosis[4];
};

/**
 * smc_clc_length() - length of the CLC message that begins here; 0 for another protocol;
 *	SMC_CLC_HEADER if @len is less than that and nothing contradicts CLC
 */
size_t smc_clc_length(const void *data, size_t len);

/**
 * smc_clc_decode() - decode a message; @len: captured bytes, may be less or more than the message
 *
 * Return: 0, even if the message is cut or damaged (see @clc); -EBADMSG if it is not CLC.
 */
int smc_clc_decode(struct smc_clc *clc, const void *data, size_t len);

/** smc_clc_type_name() - "proposal"; NULL for no type */
const char *smc_clc_type_name(uint8_t type);

/** smc_clc_os_name() - "z/OS", "Linux", "AIX"; NULL for an unknown one */
const char *smc_clc_os_name(uint8_t os);

/** smc_clc_offers() - true if a proposal offers SMC_CLC_R or SMC_CLC_D in this version */
bool smc_clc_offers(const struct smc_clc *clc, enum smc_clc_path path, int version);
