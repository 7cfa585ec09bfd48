// SPDX-License-Identifier: MIT
#include "smc/sock.h"

#include <arpa/inet.h>
#include <strings.h>
#include <libmnl/libmnl.h>

#include "base/array.h"
#include "smc/attr.h"

/* Names of states, by number; some numbers are unused. */
static const struct {
	const char *name;
	const char *alias; /* spelling in man pages of smc-tools */
} states[] = {
	[SMC_ABI_ACTIVE] = { "ACTIVE", "ACTIVE" },
	[SMC_ABI_INIT] = { "INIT", "INIT" },
	[SMC_ABI_CLOSED] = { "CLOSED", "CLOSED" },
	[SMC_ABI_LISTEN] = { "LISTEN", "LISTENING" },
	[SMC_ABI_PEERCLOSEWAIT1] = { "PEERCLOSEWAIT1", "PEERCLW1" },
	[SMC_ABI_PEERCLOSEWAIT2] = { "PEERCLOSEWAIT2", "PEERCLW2" },
	[SMC_ABI_APPCLOSEWAIT1] = { "APPCLOSEWAIT1", "APPLCLW1" },
	[SMC_ABI_APPCLOSEWAIT2] = { "APPCLOSEWAIT2", "APPLCLW2" },
	[SMC_ABI_APPFINCLOSEWAIT] = { "APPFINCLOSEWAIT1", "APPLFINCLW" },
	[SMC_ABI_PEERFINCLOSEWAIT] = { "PEERFINCLOSEWAIT", "PEERFINCLW" },
	[SMC_ABI_PEERABORTWAIT] = { "PEERABORTWAIT", "PEERABORTW" },
	[SMC_ABI_PROCESSABORT] = { "PROCESSABORT", "PROCESSABORT" },
};

const char *smc_state_name(uint8_t state)
{
	return state < ARRAY_SIZE(states) ? states[state].name : NULL;
}

int smc_state_parse(const char *name)
{
	if (!strcasecmp(name, "APPFINCLOSEWAIT"))
		return SMC_ABI_APPFINCLOSEWAIT;
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i].name &&
		    (!strcasecmp(states[i].name, name) || !strcasecmp(states[i].alias, name)))
			return (int)i;
	return -EINVAL;
}

const char *smc_mode_name(enum smc_mode mode)
{
	static const char *const names[] = { "-", "SMCR", "SMCD", "TCP" };

	return names[mode];
}

struct smc_abi_diag_req smc_sock_request(uint8_t ext)
{
	return (struct smc_abi_diag_req){ .family = AF_SMC, .ext = ext };
}

/* Sizes of the numbers in each structure, for records of the other byte order. */
/* clang-format off */
#define CURSOR { 4, 2 }, { 4, 4 }
/* clang-format on */
static const struct smc_order_run order_msg[] = { { 40, 1 }, { 16, 4 }, { 8, 8 }, { 0 } };
static const struct smc_order_run order_conn[] = {
	{ 16, 4 }, CURSOR, CURSOR, CURSOR, CURSOR, { 4, 1 }, CURSOR, CURSOR, CURSOR, { 0 },
};
static const struct smc_order_run order_dmb[] = { { 8, 4 }, { 48, 8 }, { 0 } };
static const struct smc_order_run order_fallback[] = { { 8, 4 }, { 0 } };
static const struct smc_order_run order_none[] = { { 0 } };

/* Attributes, each copied as a whole; older kernels may send only @least bytes. */
static const struct {
	size_t offset, least, size;
	const struct smc_order_run *order;
	uint32_t has;
} attrs[] = {
#define ATTR(member, least, order, bit)                                                            \
	{                                                                                          \
		offsetof(struct smc_sock, member), least, sizeof(((struct smc_sock *)0)->member),  \
			order, bit                                                                 \
	}
	[SMC_DIAG_CONNINFO] =
		ATTR(conn, sizeof(struct smc_diag_conninfo), order_conn, SMC_SOCK_HAS_CONN),
	[SMC_DIAG_LGRINFO] =
		ATTR(lgr, sizeof(struct smc_abi_lgrinfo), order_none, SMC_SOCK_HAS_LGR),
	[SMC_DIAG_SHUTDOWN] = ATTR(shutdown, 1, order_none, SMC_SOCK_HAS_SHUTDOWN),
	[SMC_DIAG_DMBINFO] = ATTR(dmb, SMC_ABI_DMBINFO_OLD_LEN, order_dmb, SMC_SOCK_HAS_DMB),
	[SMC_DIAG_FALLBACK] = ATTR(fallback, sizeof(struct smc_diag_fallback), order_fallback,
				   SMC_SOCK_HAS_FALLBACK),
#undef ATTR
};

static void decode_attr(struct smc_sock *sock, const struct nlattr *attr)
{
	size_t type = mnl_attr_get_type(attr), len = mnl_attr_get_payload_len(attr);
	char *to;

	if (type >= ARRAY_SIZE(attrs) || !attrs[type].size || len < attrs[type].least)
		return;
	to = (char *)sock + attrs[type].offset;
	memcpy(to, mnl_attr_get_payload(attr), len < attrs[type].size ? len : attrs[type].size);
	if (smc_order_is_other(attr))
		smc_order_turn(to, attrs[type].size, attrs[type].order);
	sock->has |= attrs[type].has;
	if (type == SMC_DIAG_LGRINFO) {
		sock->lgr.ibname[sizeof(sock->lgr.ibname) - 1] = '\0';
		sock->lgr.gid[sizeof(sock->lgr.gid) - 1] = '\0';
		sock->lgr.peer_gid[sizeof(sock->lgr.peer_gid) - 1] = '\0';
	}
	if (type == SMC_DIAG_DMBINFO && len >= sizeof(sock->dmb))
		sock->has |= SMC_SOCK_HAS_GID_EXT;
}

/*
 * True if the first word may begin an IPv6 address: the words of 32.0.0.0 to 63.255.255.255, and
 * those from 240.0.0.0 on, also begin addresses in 2000::/3, fc00::/6 and fe80::.
 */
static bool maybe_ipv6_prefix(uint32_t word)
{
	uint8_t first = (uint8_t)(ntohl(word) >> 24);

	return (first >= 0x20 && first < 0x40) || first >= 0xf0;
}

static bool words_zero(const uint32_t *words, int from)
{
	for (int i = from; i < 4; i++)
		if (words[i])
			return false;
	return true;
}

static void decode_addresses(struct smc_sock *sock, const struct smc_abi_sockid *id)
{
	bool is_v6 = !words_zero(id->src, 1) || !words_zero(id->dst, 1);
	bool is_open = !is_v6 && (maybe_ipv6_prefix(id->src[0]) || maybe_ipv6_prefix(id->dst[0]) ||
				  (!id->src[0] && !id->dst[0]));

	memcpy(sock->local.ip, id->src, sizeof(sock->local.ip));
	memcpy(sock->peer.ip, id->dst, sizeof(sock->peer.ip));
	sock->local.port = ntohs(id->sport);
	sock->peer.port = ntohs(id->dport);
	sock->local.family = is_v6 ? AF_INET6 : AF_INET;
	if (is_open)
		sock->local.family = AF_UNSPEC;
	sock->peer.family = sock->local.family;
}

int smc_sock_decode(struct smc_sock *sock, const struct nlmsghdr *nlh)
{
	struct smc_abi_diag_msg msg;
	const struct nlattr *attr;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(msg))
		return -EBADMSG;
	memcpy(&msg, mnl_nlmsg_get_payload(nlh), sizeof(msg));
	if (nlh->nlmsg_flags & SMC_ORDER_MESSAGE)
		smc_order_turn(&msg, sizeof(msg), order_msg);
	sock->has = 0;
	sock->shutdown = 0;
	sock->family = msg.family;
	sock->state = msg.state;
	sock->mode = msg.mode;
	sock->ifindex = msg.id.ifindex;
	sock->uid = msg.uid;
	memcpy(&sock->inode, msg.inode, sizeof(sock->inode));
	sock->cookie = (uint64_t)msg.id.cookie[1] << 32 | msg.id.cookie[0];
	decode_addresses(sock, &msg.id);
	mnl_attr_for_each(attr, nlh, sizeof(msg))
		decode_attr(sock, attr);
	return 0;
}
