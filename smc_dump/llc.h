/* SPDX-License-Identifier: MIT */
/*
 * Messages that the two ends of an SMC-R link group exchange over RDMA, about links and keys (LLC)
 * and about the cursors of connections (CDC): bytes -> struct. Pure.
 *
 * Layouts: RFC 7609 appendix A.2 and A.3 for version 1; net/smc/smc_llc.h of Linux for version 2,
 * which has a 2 in the upper half of the first byte and a 16-bit length. All numbers are
 * big-endian.
 */
#pragma once

#include "base/libc.h"

/* Size of all messages of version 1, and of the shortest of version 2. */
#define SMC_LLC_SIZE 44
#define SMC_LLC_MAX_KEYS 8

enum smc_llc_type {
	SMC_LLC_CONFIRM_LINK = 1,
	SMC_LLC_ADD_LINK,
	SMC_LLC_ADD_LINK_CONT,
	SMC_LLC_DELETE_LINK,
	SMC_LLC_REQ_ADD_LINK, /* version 2 */
	SMC_LLC_CONFIRM_RKEY,
	SMC_LLC_TEST_LINK,
	SMC_LLC_CONFIRM_RKEY_CONT,
	SMC_LLC_DELETE_RKEY,
	SMC_LLC_CDC = 0xfe,
};

/** enum smc_llc_has - groups of members in the message */
enum smc_llc_has {
	SMC_LLC_HAS_LINK = 1 << 0,    /* @link */
	SMC_LLC_HAS_PATH = 1 << 1,    /* @gid, @mac, @qp */
	SMC_LLC_HAS_UID = 1 << 2,     /* @uid, @max_links */
	SMC_LLC_HAS_NEW = 1 << 3,     /* @psn, @mtu_code */
	SMC_LLC_HAS_REASON = 1 << 4,  /* @reason, @is_all, @is_orderly: DELETE LINK */
	SMC_LLC_HAS_KEYS = 1 << 5,    /* @keys */
	SMC_LLC_HAS_CURSORS = 1 << 6, /* CDC */
	SMC_LLC_HAS_REJECT = 1 << 7,  /* @reject: why a link is not added */
	SMC_LLC_HAS_TARGET = 1 << 8,  /* @target: GID that the server of version 2 is to use */
};

/** struct smc_llc_cursor - where a ring buffer is written or read */
struct smc_llc_cursor {
	uint16_t wrap;
	uint32_t count;
};

/**
 * struct smc_llc - one message
 * @type: enum smc_llc_type, without the version
 * @is_response, @is_rejected: for messages that have a response
 * @is_failover: CDC: first message on another link, the connection was moved
 * @conn_flags, @prod_flags: CDC, bits as in RFC 7609
 * @token, @sequence: CDC: the connection, and a growing number
 * @keys: RDMA keys that are announced or deleted; @n_keys: their number
 */
struct smc_llc {
	uint32_t has;
	uint16_t len;
	uint8_t type, version;
	bool is_response, is_rejected, is_all, is_orderly, is_failover;
	uint8_t link, max_links, mtu_code, reject, n_keys;
	uint8_t gid[16], mac[6], target[16];
	uint32_t qp, uid, psn, reason;
	uint32_t keys[SMC_LLC_MAX_KEYS];
	uint16_t sequence;
	uint32_t token;
	struct smc_llc_cursor produced, consumed;
	uint8_t prod_flags, conn_flags;
};

/* Bits of @conn_flags in CDC. */
#define SMC_LLC_SENDING_DONE 0x80
#define SMC_LLC_CLOSED 0x40
#define SMC_LLC_ABORTED 0x20

/**
 * smc_llc_decode() - decode a message; @len: captured bytes; @full: length on the wire
 *
 * Return: 0; -EBADMSG if it is another protocol over RDMA. Version 1 is recognized by its type and
 * its length, 44.
 */
int smc_llc_decode(struct smc_llc *llc, const void *data, size_t len, size_t full);

/** smc_llc_type_name() - "add link"; NULL for no type */
const char *smc_llc_type_name(uint8_t type);

/** smc_llc_delete_text() - why a link was deleted, a clause; NULL if unknown */
const char *smc_llc_delete_text(uint32_t reason);

/** smc_llc_reject_text() - why the peer adds no link, a clause; NULL if unknown */
const char *smc_llc_reject_text(uint8_t reject);
