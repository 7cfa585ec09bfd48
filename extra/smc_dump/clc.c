// SPDX-License-Identifier: MIT
/* SMC handshake messages (CLC). All reads go through struct bytes, which checks the bounds. */
#include "smc_dump/clc.h"

#include "base/array.h"

#define EYE_SMCR 0xe2d4c3d9U
#define EYE_SMCD 0xe2d4c3c4U
/* Emulated ISM devices have CHIDs from here on, and 128-bit GIDs. */
#define CHID_EMULATED 0xff00
/* Offsets in a proposal count from here. */
#define AREA_FROM 40
#define V2_FROM 52
#define V2_SIZE 40
#define FIRST_SIZE 36
#define FIRST_MORE 16
/* Buffer size: this, doubled as often as the upper half of the byte says. */
#define BUFFER_LEAST 16384U

/** struct bytes - a message; @len: captured bytes, without the trailer */
struct bytes {
	const uint8_t *data;
	size_t len;
};

static bool has_bytes(const struct bytes *in, size_t at, size_t len)
{
	return at <= in->len && len <= in->len - at;
}

static uint64_t get(const struct bytes *in, size_t at, size_t len)
{
	uint64_t value = 0;

	if (!has_bytes(in, at, len))
		return 0;
	while (len--)
		value = value << 8 | in->data[at++];
	return value;
}

#define GET8(in, at) ((uint8_t)get(in, at, 1))
#define GET16(in, at) ((uint16_t)get(in, at, 2))
#define GET24(in, at) ((uint32_t)get(in, at, 3))
#define GET32(in, at) ((uint32_t)get(in, at, 4))
#define GET64(in, at) get(in, at, 8)

static void copy(void *out, const struct bytes *in, size_t at, size_t len)
{
	if (has_bytes(in, at, len))
		memcpy(out, in->data + at, len);
}

/* 32 bytes, padded with blanks that are dropped. */
static void copy_name(char out[SMC_CLC_EID], const struct bytes *in, size_t at)
{
	size_t len = SMC_CLC_EID - 1;

	memset(out, 0, SMC_CLC_EID);
	copy(out, in, at, len);
	while (len && (!out[len - 1] || out[len - 1] == ' '))
		out[--len] = '\0';
}

/* ---- header ---- */

size_t smc_clc_length(const void *data, size_t len)
{
	static const uint8_t eye[] = { 0xe2, 0xd4, 0xc3 };
	const struct bytes in = { data, len };
	uint32_t word = GET32(&in, 0);
	uint8_t type = GET8(&in, 4);
	uint16_t length = GET16(&in, 5);

	if (memcmp(data, eye, len < 3 ? len : 3))
		return 0;
	if (len >= 4 && word != EYE_SMCR && word != EYE_SMCD)
		return 0;
	if (len > 4 && (type < SMC_CLC_PROPOSAL || type > SMC_CLC_DECLINE))
		return 0;
	if (len < SMC_CLC_HEADER)
		return SMC_CLC_HEADER;
	return length < SMC_CLC_HEADER + SMC_CLC_TRAILER || length > SMC_CLC_MAX ? 0 : length;
}

static void damage(struct smc_clc *clc, const char *what)
{
	if (!clc->damage && !clc->is_cut)
		clc->damage = what;
}

/* Set a bit of @has if the message has all fields of a group. With a part, it is damaged. */
static bool claim(struct smc_clc *clc, const struct bytes *in, size_t at, size_t len, uint32_t bits)
{
	if (!has_bytes(in, at, len)) {
		damage(clc, "it is too short for what it announces");
		return false;
	}
	clc->has |= bits;
	return true;
}

/* ---- proposal ---- */

/* Number of complete entries of a list of @count; a message holds up to 8. */
static uint8_t entries(struct smc_clc *clc, const struct bytes *in, size_t at, size_t size,
		       size_t count, const char *too_many)
{
	uint8_t n = 0;

	if (count > SMC_CLC_MAX_LIST)
		damage(clc, too_many);
	while (n < count && n < SMC_CLC_MAX_LIST && claim(clc, in, at + n * size, size, 0))
		n++;
	return n;
}

static void read_subnet(struct smc_clc *clc, const struct bytes *in, size_t at)
{
	if (!claim(clc, in, at, 8, SMC_CLC_HAS_SUBNET))
		return;
	copy(clc->subnet, in, at, 4);
	clc->subnet_len = GET8(in, at + 4);
	clc->n_prefixes =
		entries(clc, in, at + 8, 17, GET8(in, at + 7), "it has more than 8 IPv6 prefixes");
	for (size_t i = 0; i < clc->n_prefixes; i++) {
		copy(clc->prefixes[i].addr, in, at + 8 + 17 * i, 16);
		clc->prefixes[i].len = GET8(in, at + 24 + 17 * i);
	}
}

/* ISM entries. An emulated device takes two: the second has the CHID again, and half the GID. */
static void read_isms(struct smc_clc *clc, const struct bytes *in, size_t at, size_t count)
{
	for (; count--; at += 10) {
		struct smc_clc_ism *ism = &clc->isms[clc->n_isms];
		struct smc_clc_ism *last = clc->n_isms ? ism - 1 : NULL;

		if (!claim(clc, in, at, 10, 0))
			return;
		if (last && !last->has_ext && last->chid >= CHID_EMULATED &&
		    last->chid == GET16(in, at + 8)) {
			last->gid_ext = GET64(in, at);
			last->has_ext = true;
			continue;
		}
		if (clc->n_isms == SMC_CLC_MAX_LIST) {
			damage(clc, "it has more than 8 ISM devices");
			return;
		}
		*ism = (struct smc_clc_ism){ .gid = GET64(in, at), .chid = GET16(in, at + 8) };
		clc->n_isms++;
	}
}

static void read_v2(struct smc_clc *clc, const struct bytes *in, size_t at)
{
	size_t offset;

	if (!claim(clc, in, at, V2_SIZE, SMC_CLC_HAS_V2 | SMC_CLC_HAS_LIMITS | SMC_CLC_HAS_RELEASE))
		return;
	clc->release = GET8(in, at + 3) >> 4;
	clc->has_seid = GET8(in, at + 3) & 1;
	copy(clc->v2_gid, in, at + 8, 16);
	if (clc->path_v2 == SMC_CLC_R || clc->path_v2 == SMC_CLC_BOTH)
		clc->has |= SMC_CLC_HAS_V2_GID;
	clc->max_conns = GET8(in, at + 24);
	clc->max_links = GET8(in, at + 25);
	clc->features = GET16(in, at + 26);
	clc->n_ueids = entries(clc, in, at + V2_SIZE, SMC_CLC_EID - 1, GET8(in, at),
			       "it has more than 8 EIDs");
	for (size_t i = 0; i < clc->n_ueids; i++)
		copy_name(clc->ueids[i], in, at + V2_SIZE + i * (SMC_CLC_EID - 1));
	offset = GET16(in, at + 6);
	/* The offset counts from the end of its field. */
	if (!offset || !claim(clc, in, at + 8 + offset, 48, SMC_CLC_HAS_SEID))
		return;
	copy_name(clc->seid, in, at + 8 + offset);
	read_isms(clc, in, at + 8 + offset + 48, GET8(in, at + 1));
}

static void read_proposal(struct smc_clc *clc, const struct bytes *in)
{
	size_t offset;

	clc->path_v2 = in->data[7] >> 2 & 3;
	if (claim(clc, in, 8, 8, SMC_CLC_HAS_PEER_ID))
		copy(clc->peer_id, in, 8, 8);
	if (!claim(clc, in, 16, 24, 0))
		return;
	copy(clc->gid, in, 16, 16);
	copy(clc->mac, in, 32, 6);
	offset = GET16(in, 38);
	if (clc->path != SMC_CLC_NONE) {
		clc->has |= SMC_CLC_HAS_GID;
		read_subnet(clc, in, AREA_FROM + offset);
	}
	/* A version 1 host may leave out the rest. */
	if (clc->version < 2 && offset < 40)
		return;
	if (!claim(clc, in, 40, 12, 0))
		return;
	clc->ism_gid = GET64(in, 40);
	if (clc->ism_gid)
		clc->has |= SMC_CLC_HAS_ISM_GID;
	if (clc->version < 2)
		return;
	clc->chid = GET16(in, 48);
	if (clc->ism_gid)
		clc->has |= SMC_CLC_HAS_CHID;
	offset = GET16(in, 50);
	if (offset)
		read_v2(clc, in, V2_FROM + offset);
}

/* ---- accept, confirm ---- */

static void read_gids(struct smc_clc *clc, const struct bytes *in, size_t at)
{
	if (!claim(clc, in, at, 4, SMC_CLC_HAS_GIDS))
		return;
	clc->n_gids = entries(clc, in, at + 4, 16, GET8(in, at), "it has more than 8 GIDs");
	copy(clc->gids, in, at + 4, 16 * clc->n_gids);
}

/* Return: offset of the end, 0 if it is not all there. */
static size_t read_first(struct smc_clc *clc, const struct bytes *in, size_t at)
{
	if (!claim(clc, in, at, FIRST_SIZE, SMC_CLC_HAS_FIRST | SMC_CLC_HAS_RELEASE))
		return 0;
	clc->is_direct = GET8(in, at) >> 7;
	clc->os = GET8(in, at + 1) >> 4;
	clc->release = GET8(in, at + 1) & 15;
	copy_name(clc->host, in, at + 4);
	at += FIRST_SIZE;
	/* SMC-D of release 0 ends here; SMC-R of release 0 sends zeros. */
	if (clc->is_smcd && !clc->release)
		return at;
	if (!claim(clc, in, at, FIRST_MORE, clc->release ? SMC_CLC_HAS_LIMITS : 0))
		return 0;
	clc->max_conns = GET8(in, at);
	clc->max_links = GET8(in, at + 1);
	clc->features = GET16(in, at + 2);
	return at + FIRST_MORE;
}

static void read_rdma(struct smc_clc *clc, const struct bytes *in)
{
	size_t end = 0;

	if (claim(clc, in, 8, 8, SMC_CLC_HAS_PEER_ID))
		copy(clc->peer_id, in, 8, 8);
	if (claim(clc, in, 16, 22, SMC_CLC_HAS_GID)) {
		copy(clc->gid, in, 16, 16);
		copy(clc->mac, in, 32, 6);
	}
	if (!claim(clc, in, 38, 26, SMC_CLC_HAS_RDMA))
		return;
	clc->qp = GET24(in, 38);
	clc->rkey = GET32(in, 41);
	clc->index = GET8(in, 45);
	clc->alert_token = GET32(in, 46);
	clc->buffer = BUFFER_LEAST << (GET8(in, 50) >> 4);
	clc->mtu_code = GET8(in, 50) & 15;
	clc->address = GET64(in, 52);
	clc->psn = GET24(in, 61);
	if (clc->version < 2 || !claim(clc, in, 64, 40, SMC_CLC_HAS_EID))
		return;
	copy_name(clc->eid, in, 64);
	if (clc->is_first)
		end = read_first(clc, in, 104);
	if (end && clc->type == SMC_CLC_CONFIRM)
		read_gids(clc, in, end);
}

static void read_dmb(struct smc_clc *clc, const struct bytes *in)
{
	if (!claim(clc, in, 8, 24, SMC_CLC_HAS_DMB | SMC_CLC_HAS_ISM_GID))
		return;
	clc->ism_gid = GET64(in, 8);
	clc->dmb_token = GET64(in, 16);
	clc->index = GET8(in, 24);
	clc->buffer = BUFFER_LEAST << (GET8(in, 25) >> 4);
	clc->link_id = GET32(in, 28);
	if (clc->version < 2) {
		claim(clc, in, 32, 12, 0); /* reserved */
		return;
	}
	if (!claim(clc, in, 32, 42, SMC_CLC_HAS_EID | SMC_CLC_HAS_CHID))
		return;
	clc->chid = GET16(in, 32);
	copy_name(clc->eid, in, 34);
	if (clc->chid >= CHID_EMULATED)
		clc->has |= SMC_CLC_HAS_GID_EXT;
	clc->ism_gid_ext = GET64(in, 66);
	if (clc->is_first)
		read_first(clc, in, 74);
}

/* ---- decline ---- */

static void read_decline(struct smc_clc *clc, const struct bytes *in)
{
	if (!claim(clc, in, 8, 16, SMC_CLC_HAS_PEER_ID | SMC_CLC_HAS_REASON))
		return;
	copy(clc->peer_id, in, 8, 8);
	clc->reason = GET32(in, 16);
	clc->os = GET8(in, 20) >> 4;
	/* Linux 5.10 to 5.15 sends version 2 as short as version 1. */
	if (clc->version < 2 || clc->len == SMC_CLC_HEADER + 16 + SMC_CLC_TRAILER ||
	    !claim(clc, in, 24, 16, SMC_CLC_HAS_DIAGNOSIS))
		return;
	for (size_t i = 0; i < 4; i++)
		clc->diagnosis[i] = GET32(in, 24 + 4 * i);
}

int smc_clc_decode(struct smc_clc *clc, const void *data, size_t len)
{
	const struct bytes all = { data, len };
	size_t length = len < SMC_CLC_HEADER ? 0 : smc_clc_length(data, len);
	struct bytes in = { data, len };
	uint8_t flags;

	*clc = (struct smc_clc){ .len = (uint16_t)length };
	if (!length)
		return -EBADMSG;
	if (in.len > length - SMC_CLC_TRAILER)
		in.len = length - SMC_CLC_TRAILER;
	flags = GET8(&all, 7);
	clc->type = GET8(&all, 4);
	clc->version = flags >> 4;
	clc->path = flags & 3;
	clc->is_smcd = GET32(&all, 0) == EYE_SMCD;
	clc->is_cut = len < length;
	clc->is_first = clc->type != SMC_CLC_PROPOSAL && flags & 8;
	if (GET32(&all, length - SMC_CLC_TRAILER) != GET32(&all, 0))
		damage(clc, "its last four bytes differ from its first four");
	if (clc->type == SMC_CLC_PROPOSAL)
		read_proposal(clc, &in);
	else if (clc->type == SMC_CLC_DECLINE)
		read_decline(clc, &in);
	else if (clc->is_smcd)
		read_dmb(clc, &in);
	else
		read_rdma(clc, &in);
	return 0;
}

/* ---- words ---- */

const char *smc_clc_type_name(uint8_t type)
{
	static const char *const names[] = { "proposal", "accept", "confirm", "decline" };

	return type >= SMC_CLC_PROPOSAL && type <= SMC_CLC_DECLINE ? names[type - 1] : NULL;
}

const char *smc_clc_os_name(uint8_t os)
{
	static const char *const names[] = { NULL, "z/OS", "Linux", "AIX" };

	return os < ARRAY_SIZE(names) ? names[os] : NULL;
}

bool smc_clc_offers(const struct smc_clc *clc, enum smc_clc_path path, int version)
{
	uint8_t offered = version == 1 ? clc->path : clc->path_v2;

	if (clc->type != SMC_CLC_PROPOSAL || (version == 2 && clc->version < 2))
		return false;
	return offered == path || offered == SMC_CLC_BOTH;
}
