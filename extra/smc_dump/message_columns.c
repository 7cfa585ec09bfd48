// SPDX-License-Identifier: MIT
/* The members of messages: names in text, keys in JSON. One table per kind of message. */
#include <arpa/inet.h>

#include "smc_dump/print_event.h"

/* ---- addresses and numbers ---- */

static void text_gid(struct out_text *text, const void *value)
{
	char name[INET6_ADDRSTRLEN];

	out_str(text, inet_ntop(AF_INET6, value, name, sizeof(name)));
}

static void text_subnet(struct out_text *text, const void *value)
{
	const struct smc_clc *clc = value;
	char name[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, clc->subnet, name, sizeof(name));
	out_printf(text, "%s/%u", name, clc->subnet_len);
}

static void text_mac(struct out_text *text, const void *value)
{
	const uint8_t *mac = value;

	out_printf(text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		   mac[5]);
}

static void text_peer_id(struct out_text *text, const void *value)
{
	const uint8_t *id = value;

	out_str(text, "0x");
	for (int i = 0; i < 8; i++)
		out_hex(text, id[i], 2);
}

static void text_paths(struct out_text *text, const void *value)
{
	const struct smc_clc *clc = value;
	char paths[JUDGE_PATHS_SIZE];

	if (clc->type == SMC_CLC_PROPOSAL)
		out_str(text, judge_paths(paths, clc));
	else if (clc->type != SMC_CLC_DECLINE)
		out_str(text, clc->is_smcd ? "SMC-D" : "SMC-R");
}

static void text_os(struct out_text *text, const void *value)
{
	const char *name = smc_clc_os_name(*(const uint8_t *)value);

	if (name)
		out_str(text, name);
	else
		out_printf(text, "%u", *(const uint8_t *)value);
}

static void text_mtu(struct out_text *text, const void *value)
{
	uint8_t code = *(const uint8_t *)value;

	if (code >= 1 && code <= 5)
		out_printf(text, "%u B", 128U << code);
	else
		out_printf(text, "code %u", code);
}

static json_t *json_mtu(const void *value)
{
	uint8_t code = *(const uint8_t *)value;

	return code >= 1 && code <= 5 ? json_integer(128 << code) : NULL;
}

static void text_reason(struct out_text *text, const void *value)
{
	out_printf(text, "0x%08" PRIx32, *(const uint32_t *)value);
}

/* ---- lists ---- */

typedef void append_item(struct out_text *text, const void *item);

static void text_list(struct out_text *text, const void *items, size_t count, size_t size,
		      append_item *append)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			out_str(text, ", ");
		append(text, (const char *)items + i * size);
	}
}

static json_t *json_list(const void *items, size_t count, size_t size, append_item *append)
{
	json_t *array = json_array();
	struct out_text text AUTO(out_free) = { 0 };

	for (size_t i = 0; i < count; i++) {
		out_reset(&text);
		append(&text, (const char *)items + i * size);
		json_array_append_new(array, json_stringn(text.data, text.len));
	}
	return array;
}

static void append_eid(struct out_text *text, const void *item)
{
	out_escaped(text, item, SMC_CLC_EID);
}

static json_t *json_ueids(const void *value)
{
	const struct smc_clc *clc = value;
	json_t *array = json_array();

	for (size_t i = 0; i < clc->n_ueids; i++)
		json_array_append_new(array, out_json_str(clc->ueids[i]));
	return array;
}

static void append_ism(struct out_text *text, const void *item)
{
	const struct smc_clc_ism *ism = item;

	out_hex(text, ism->gid, 16);
	if (ism->has_ext) {
		out_char(text, ':');
		out_hex(text, ism->gid_ext, 16);
	}
	out_printf(text, " CHID %04x", ism->chid);
}

static json_t *json_isms(const void *value)
{
	const struct smc_clc *clc = value;
	json_t *array = json_array();

	for (size_t i = 0; i < clc->n_isms; i++) {
		const struct smc_clc_ism *ism = &clc->isms[i];
		json_t *more = ism->has_ext ? out_json_hex(ism->gid_ext, 16) : NULL;

		json_array_append_new(array, json_pack("{s:o, s:o*, s:i}", "gid",
						       out_json_hex(ism->gid, 16), "gid_ext", more,
						       "chid", ism->chid));
	}
	return array;
}

/* text_MEMBER() and json_MEMBER(), for a list in a message. */
#define TEXT_OF(member, append)                                                                    \
	static void text_##member(struct out_text *text, const void *value)                        \
	{                                                                                          \
		const struct smc_clc *in = value;                                                  \
                                                                                                   \
		text_list(text, in->member, in->n_##member, sizeof(in->member[0]), append);        \
	}
#define JSON_OF(member, append)                                                                    \
	static json_t *json_##member(const void *value)                                            \
	{                                                                                          \
		const struct smc_clc *in = value;                                                  \
                                                                                                   \
		return json_list(in->member, in->n_##member, sizeof(in->member[0]), append);       \
	}

static void append_prefix(struct out_text *text, const void *item)
{
	const struct smc_clc_prefix *prefix = item;

	text_gid(text, prefix->addr);
	out_printf(text, "/%u", prefix->len);
}

TEXT_OF(ueids, append_eid)
TEXT_OF(isms, append_ism)
TEXT_OF(prefixes, append_prefix)
JSON_OF(prefixes, append_prefix)
TEXT_OF(gids, text_gid)
JSON_OF(gids, text_gid)

static void text_diagnosis(struct out_text *text, const void *value)
{
	const uint32_t *words = value;

	if (!(words[0] | words[1] | words[2] | words[3]))
		return;
	for (int i = 0; i < 4; i++)
		out_printf(text, "%s%08" PRIx32, i ? " " : "", words[i]);
}

static json_t *json_diagnosis(const void *value)
{
	return json_list(value, 4, sizeof(uint32_t), text_reason);
}

/* ---- the tables ---- */

static const struct out_names no_yes = OUT_NAMES(NULL, NULL, { "", NULL }, { "yes", NULL });
static const struct out_names cut =
	OUT_NAMES(NULL, NULL, { "", NULL }, { "the capture lacks part of it", NULL });

#define CLC_IF(bits) OUT_IF(smc_clc, has, bits)
#define CLC_HEX(member, digits) OUT_HEX_0X(smc_clc, member, digits)
#define CLC_DEC(member) OUT_DEC(smc_clc, member, 0)
#define WHOLE .offset = 0

const struct out_col clc_columns[] = {
	{ "paths", "kinds", "paths", WHOLE, OUT_TEXT(text_paths) },
	{ "length", "length", "length", OUT_BYTES(smc_clc, len) },
	{ "cut", "cut", "is_cut", OUT_FLAG(smc_clc, is_cut, cut) },
	{ "damage", "damaged", "damage", OUT_PTR(smc_clc, damage), OUT_OPTIONAL },
	{ "peer_id", "peer ID", "peer_id", OUT_TEXT(text_peer_id), OUT_ODD(smc_clc, peer_id),
	  CLC_IF(SMC_CLC_HAS_PEER_ID) },
	{ "gid", "GID", "gid", OUT_TEXT(text_gid), OUT_ODD(smc_clc, gid), CLC_IF(SMC_CLC_HAS_GID) },
	{ "mac", "MAC", "mac", OUT_TEXT(text_mac), OUT_ODD(smc_clc, mac), CLC_IF(SMC_CLC_HAS_GID) },
	{ "subnet", "subnet", "subnet", OUT_TEXT(text_subnet), WHOLE, CLC_IF(SMC_CLC_HAS_SUBNET) },
	{ "prefixes", "prefixes", "prefixes", WHOLE, .text = text_prefixes, .json = json_prefixes,
	  CLC_IF(SMC_CLC_HAS_SUBNET) },
	{ "ism_gid", "ISM GID", "ism_gid", CLC_HEX(ism_gid, 16), CLC_IF(SMC_CLC_HAS_ISM_GID) },
	{ "ism_gid_ext", "more of it", "ism_gid_ext", CLC_HEX(ism_gid_ext, 16),
	  CLC_IF(SMC_CLC_HAS_GID_EXT) },
	{ "chid", "CHID", "chid", OUT_HEX(smc_clc, chid, 4), CLC_IF(SMC_CLC_HAS_CHID) },
	{ "ueids", "EIDs", "ueids", WHOLE, .text = text_ueids, .json = json_ueids,
	  CLC_IF(SMC_CLC_HAS_V2) },
	{ "seid", "system EID", "seid", OUT_STR(smc_clc, seid), OUT_OPTIONAL,
	  CLC_IF(SMC_CLC_HAS_SEID) },
	{ "has_seid", "with it", "has_seid", OUT_FLAG(smc_clc, has_seid, no_yes),
	  CLC_IF(SMC_CLC_HAS_V2) },
	{ "isms", "ISM", "isms", WHOLE, .text = text_isms, .json = json_isms,
	  CLC_IF(SMC_CLC_HAS_SEID) },
	{ "v2_gid", "RoCEv2 GID", "v2_gid", OUT_TEXT(text_gid), OUT_ODD(smc_clc, v2_gid),
	  CLC_IF(SMC_CLC_HAS_V2_GID) },
	{ "qp", "QP", "qp", CLC_HEX(qp, 6), CLC_IF(SMC_CLC_HAS_RDMA) },
	{ "psn", "PSN", "psn", CLC_HEX(psn, 6), CLC_IF(SMC_CLC_HAS_RDMA) },
	{ "path_mtu", "MTU", "path_mtu", OUT_ODD(smc_clc, mtu_code), .text = text_mtu,
	  .json = json_mtu, CLC_IF(SMC_CLC_HAS_RDMA) },
	{ "rkey", "RKey", "rkey", CLC_HEX(rkey, 8), CLC_IF(SMC_CLC_HAS_RDMA) },
	{ "address", "address", "address", CLC_HEX(address, 16), CLC_IF(SMC_CLC_HAS_RDMA) },
	{ "alert_token", "token", "alert_token", CLC_HEX(alert_token, 8),
	  CLC_IF(SMC_CLC_HAS_RDMA) },
	{ "dmb_token", "DMB token", "dmb_token", CLC_HEX(dmb_token, 16), CLC_IF(SMC_CLC_HAS_DMB) },
	{ "link_group", "link group", "link_group", CLC_HEX(link_id, 8), CLC_IF(SMC_CLC_HAS_DMB) },
	{ "index", "index", "index", CLC_DEC(index), CLC_IF(SMC_CLC_HAS_RDMA | SMC_CLC_HAS_DMB) },
	{ "buffer", "buffer", "buffer", OUT_BYTES(smc_clc, buffer),
	  CLC_IF(SMC_CLC_HAS_RDMA | SMC_CLC_HAS_DMB) },
	{ "eid", "EID", "eid", OUT_STR(smc_clc, eid), CLC_IF(SMC_CLC_HAS_EID) },
	{ "host", "host", "host", OUT_STR(smc_clc, host), CLC_IF(SMC_CLC_HAS_FIRST) },
	{ "os", "system", "os", OUT_ODD(smc_clc, os), OUT_TEXT(text_os),
	  CLC_IF(SMC_CLC_HAS_FIRST | SMC_CLC_HAS_REASON) },
	{ "release", "release", "release", CLC_DEC(release), CLC_IF(SMC_CLC_HAS_RELEASE) },
	{ "is_direct", "direct", "is_direct", OUT_FLAG(smc_clc, is_direct, no_yes),
	  CLC_IF(SMC_CLC_HAS_FIRST) },
	{ "max_conns", "max conns", "max_conns", CLC_DEC(max_conns), CLC_IF(SMC_CLC_HAS_LIMITS) },
	{ "max_links", "max links", "max_links", CLC_DEC(max_links), CLC_IF(SMC_CLC_HAS_LIMITS) },
	{ "features", "features", "features", OUT_HEX(smc_clc, features, 4),
	  CLC_IF(SMC_CLC_HAS_LIMITS) },
	{ "gids", "GIDs", "gids", WHOLE, .text = text_gids, .json = json_gids,
	  CLC_IF(SMC_CLC_HAS_GIDS) },
	{ "reason", "reason", "reason", OUT_TEXT(text_reason), OUT_ODD(smc_clc, reason),
	  CLC_IF(SMC_CLC_HAS_REASON) },
	{ "diagnosis", "diagnosis", "diagnosis", OUT_ODD(smc_clc, diagnosis),
	  .text = text_diagnosis, .json = json_diagnosis, CLC_IF(SMC_CLC_HAS_DIAGNOSIS) },
	{ 0 },
};
