// SPDX-License-Identifier: MIT
#include "smc_dump/llc.h"

#include "base/array.h"
#include "smc_dump/packet.h"

/* Offset after the first 44 bytes of version 2. */
#define TARGET_AT 46

static void read_path(struct smc_llc *llc, const uint8_t *mac, const uint8_t *gid)
{
	memcpy(llc->mac, mac, 6);
	memcpy(llc->gid, gid, 16);
	llc->qp = big24(gid + 16);
	llc->link = gid[19];
	llc->has |= SMC_LLC_HAS_PATH | SMC_LLC_HAS_LINK;
}

static void read_confirm_link(struct smc_llc *llc, const uint8_t *data)
{
	read_path(llc, data + 4, data + 10);
	llc->uid = big32(data + 30);
	llc->max_links = data[34];
	llc->has |= SMC_LLC_HAS_UID;
}

static void read_add_link(struct smc_llc *llc, const uint8_t *data, size_t len)
{
	read_path(llc, data + 4, data + 12);
	llc->mtu_code = data[32] & 15;
	llc->psn = big24(data + 33);
	llc->has |= SMC_LLC_HAS_NEW;
	llc->is_rejected = llc->is_response && data[3] & 0x40;
	/* The bits above the flags: in version 2 these are the lower half of the length. */
	if (llc->is_rejected && llc->version < 2) {
		llc->reject = data[2] & 15;
		llc->has |= SMC_LLC_HAS_REJECT;
	}
	if (llc->version >= 2 && len >= TARGET_AT + 16) {
		memcpy(llc->target, data + TARGET_AT, 16);
		llc->has |= SMC_LLC_HAS_TARGET;
	}
}

static void read_delete_link(struct smc_llc *llc, const uint8_t *data)
{
	llc->is_all = data[3] & 0x40;
	llc->is_orderly = data[3] & 0x20;
	llc->link = data[4];
	llc->reason = big32(data + 5);
	llc->has |= SMC_LLC_HAS_REASON | (llc->is_all ? 0 : SMC_LLC_HAS_LINK);
}

static void add_key(struct smc_llc *llc, const uint8_t *at)
{
	llc->keys[llc->n_keys++] = big32(at);
	llc->has |= SMC_LLC_HAS_KEYS;
}

static void read_cdc(struct smc_llc *llc, const uint8_t *data)
{
	llc->is_response = false;
	llc->sequence = big16(data + 2);
	llc->token = big32(data + 4);
	llc->produced = (struct smc_llc_cursor){ big16(data + 10), big32(data + 12) };
	llc->consumed = (struct smc_llc_cursor){ big16(data + 18), big32(data + 20) };
	llc->prod_flags = data[24];
	llc->conn_flags = data[25];
	llc->is_failover = llc->prod_flags & 0x08;
	llc->has |= SMC_LLC_HAS_CURSORS;
}

/* Return: false for another protocol. */
static bool read_header(struct smc_llc *llc, const uint8_t *data, size_t len, size_t full)
{
	*llc = (struct smc_llc){ .version = 1 };
	if (len < SMC_LLC_SIZE || full < SMC_LLC_SIZE)
		return false;
	llc->type = data[0];
	llc->len = data[1];
	if (llc->type != SMC_LLC_CDC && llc->type >> 4 == 2) {
		llc->version = 2;
		llc->type &= 15;
		/* 16 bits, which Linux writes in host byte order: x86 sends 58 00 for 88. */
		llc->len = big16(data + 1);
		if (llc->len < SMC_LLC_SIZE || llc->len > full)
			llc->len = (uint16_t)(data[2] << 8 | data[1]);
	}
	llc->is_response = data[3] & 0x80;
	/* Some messages of version 2 are longer; padding is not counted. */
	return smc_llc_type_name(llc->type) && llc->len >= SMC_LLC_SIZE && llc->len <= full &&
	       (llc->version == 2 || (llc->len == SMC_LLC_SIZE && full == SMC_LLC_SIZE));
}

int smc_llc_decode(struct smc_llc *llc, const void *data, size_t len, size_t full)
{
	const uint8_t *bytes = data;

	if (!read_header(llc, data, len, full))
		return -EBADMSG;
	switch (llc->type) {
	case SMC_LLC_CONFIRM_LINK: read_confirm_link(llc, data); break;
	case SMC_LLC_ADD_LINK: read_add_link(llc, data, len); break;
	case SMC_LLC_DELETE_LINK: read_delete_link(llc, data); break;
	case SMC_LLC_CONFIRM_RKEY:
		/* The first byte is the number of further keys; a message has room for two. */
		llc->is_rejected = llc->is_response && bytes[3] & 0x20;
		add_key(llc, bytes + 5);
		break;
	case SMC_LLC_DELETE_RKEY:
		llc->is_rejected = llc->is_response && bytes[3] & 0x20;
		for (size_t i = 0; i < bytes[4] && i < SMC_LLC_MAX_KEYS; i++)
			add_key(llc, bytes + 8 + 4 * i);
		break;
	case SMC_LLC_CDC: read_cdc(llc, data); break;
	default: break;
	}
	return 0;
}

const char *smc_llc_type_name(uint8_t type)
{
	static const char *const names[] = {
		NULL,
		"confirm link",
		"add link",
		"add link continuation",
		"delete link",
		"request add link",
		"confirm rkey",
		"test link",
		"confirm rkey continuation",
		"delete rkey",
	};

	if (type == SMC_LLC_CDC)
		return "cdc";
	return type < ARRAY_SIZE(names) ? names[type] : NULL;
}

/* Linux: SMC_LLC_DEL_* in net/smc/smc_llc.h. */
const char *smc_llc_delete_text(uint32_t reason)
{
	switch (reason) {
	case 0x00010000: return "the path is lost";
	case 0x00020000: return "requested by an operator";
	case 0x00030000: return "requested by a program, or no longer used";
	case 0x00040000: return "the peer broke the protocol";
	case 0x00050000: return "an asymmetric link is no longer needed";
	default: return NULL;
	}
}

const char *smc_llc_reject_text(uint8_t reject)
{
	switch (reject) {
	case 1: return "no other path";
	case 2: return "the MTU is not valid";
	default: return NULL;
	}
}
