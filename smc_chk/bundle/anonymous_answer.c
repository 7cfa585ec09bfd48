// SPDX-License-Identifier: MIT
/* Recorded answers of netlink, without names and addresses; see netlink/replay.h. */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "smc/abi.h"
#include "base/memory.h"
#include "smc_chk/bundle/collect.h"

/* Attributes with a name: the file's, the nest that they are in, 0 for none. */
static const struct {
	const char *file;
	int nest, type;
} names[] = {
	{ "SMC_GEN_NETLINK/1", 1, 4 }, { "SMC_GEN_NETLINK/1", 1, 5 },
	{ "SMC_GEN_NETLINK/2", 2, 4 }, { "SMC_GEN_NETLINK/2", 7, 3 },
	{ "SMC_GEN_NETLINK/2", 7, 4 }, { "SMC_GEN_NETLINK/3", 2, 4 },
	{ "SMC_GEN_NETLINK/3", 7, 3 }, { "SMC_GEN_NETLINK/3", 7, 4 },
	{ "SMC_GEN_NETLINK/4", 4, 6 }, { "SMC_GEN_NETLINK/4", 9, 3 },
	{ "SMC_GEN_NETLINK/4", 9, 4 }, { "SMC_GEN_NETLINK/5", 8, 2 },
	{ "SMC_GEN_NETLINK/6", 8, 2 }, { "SMC_GEN_NETLINK/6", 9, 2 },
	{ "SMC_GEN_NETLINK/9", 0, 1 }, { "SMC_GEN_NETLINK/13", 0, 1 },
	{ "SMC_PNETID/1", 0, 1 },
};

static bool is_name(const char *file, int nest, int type)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(file, names[i].file) && nest == names[i].nest && type == names[i].type)
			return true;
	return false;
}

/* GIDs of SMC-D, in link groups of it. */
static bool is_number(const char *file, int nest, int type)
{
	return !strcmp(file, "SMC_GEN_NETLINK/4") && nest == 4 &&
	       (type == SMC_ABI_LGR_D_GID || type == SMC_ABI_LGR_D_PEER_GID ||
		type == SMC_ABI_LGR_D_EXT_GID || type == SMC_ABI_LGR_D_PEER_EXT_GID);
}

/* A GID as text, in a field of its own; it stays as long as it is, in the kernel's form. */
static void replace_gid(const struct pseudonyms *all, char *field, size_t size)
{
	struct out_text text = { 0 };
	size_t len = strnlen(field, size);

	pseudonym_text(all, &text, field, len);
	if (text.len == len && text.data)
		memcpy(field, text.data, len);
	else if (len)
		memset(field, '?', len);
	out_free(&text);
}

static void replace_attrs(const struct pseudonyms *all, const char *file, int nest, char *at,
			  size_t len)
{
	while (len >= NLA_HDRLEN) {
		struct nlattr *attr = (struct nlattr *)at;
		int type = attr->nla_type & NLA_TYPE_MASK;
		char *data = at + NLA_HDRLEN;
		size_t size = attr->nla_len - NLA_HDRLEN, step = NLA_ALIGN(attr->nla_len);

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > len)
			return;
		if (attr->nla_type & NLA_F_NESTED)
			replace_attrs(all, file, type, data, size);
		else if (is_name(file, nest, type))
			pseudonym_name(all, data, size);
		else if (is_number(file, nest, type) && size == sizeof(uint64_t))
			pseudonym_number(all, data);
		else if (size == SMC_GID_TEXT_LEN)
			replace_gid(all, data, size);
		if (step >= len)
			return;
		at += step;
		len -= step;
	}
}

/* Addresses in network order, of IPv4 if only the first word is there. */
static void replace_socket_address(const struct pseudonyms *all, uint32_t words[4])
{
	if (words[1] || words[2] || words[3])
		pseudonym_ipv6(all, (uint8_t *)words);
	else
		pseudonym_ipv4(all, (uint8_t *)words);
}

/* Its GIDs; the halves that came later may not be there. */
static void replace_dmb(const struct pseudonyms *all, char *info, size_t size)
{
	static const size_t gids[] = {
		offsetof(struct smc_abi_dmbinfo, peer_gid),
		offsetof(struct smc_abi_dmbinfo, my_gid),
		offsetof(struct smc_abi_dmbinfo, peer_gid_ext),
		offsetof(struct smc_abi_dmbinfo, my_gid_ext),
	};

	for (size_t i = 0; i < sizeof(gids) / sizeof(gids[0]); i++)
		if (gids[i] + sizeof(uint64_t) <= size)
			pseudonym_number(all, info + gids[i]);
}

static void replace_socket(const struct pseudonyms *all, char *body, size_t len)
{
	struct smc_abi_diag_msg *msg = (struct smc_abi_diag_msg *)body;
	size_t at = NLMSG_ALIGN(sizeof(*msg));

	if (len < sizeof(*msg))
		return;
	replace_socket_address(all, msg->id.src);
	replace_socket_address(all, msg->id.dst);
	while (at + NLA_HDRLEN <= len) {
		const struct nlattr *attr = (const struct nlattr *)(body + at);
		struct smc_abi_lgrinfo *info = (struct smc_abi_lgrinfo *)(body + at + NLA_HDRLEN);

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > len - at)
			return;
		if (attr->nla_type == SMC_ABI_DIAG_LGRINFO &&
		    attr->nla_len >= NLA_HDRLEN + sizeof(*info)) {
			replace_gid(all, info->gid, sizeof(info->gid));
			replace_gid(all, info->peer_gid, sizeof(info->peer_gid));
		}
		if (attr->nla_type == SMC_ABI_DIAG_DMBINFO)
			replace_dmb(all, (char *)info, attr->nla_len - NLA_HDRLEN);
		at += NLA_ALIGN(attr->nla_len);
	}
}

/* The messages of this machine, in order; what is damaged stays for those who read it to refuse. */
static void replace_messages(const struct pseudonyms *all, const char *file, char *at, size_t len)
{
	bool is_socket = !strncmp(file, "sock_diag/", 10);
	size_t head = is_socket ? NLMSG_HDRLEN : NLMSG_HDRLEN + GENL_HDRLEN, step;

	for (; len >= NLMSG_HDRLEN; at += step, len -= step) {
		struct nlmsghdr *nlh = (struct nlmsghdr *)at;

		step = NLMSG_ALIGN(nlh->nlmsg_len);
		if (nlh->nlmsg_len < head || step > len)
			return;
		/* Of the process, and the time when it asked. */
		nlh->nlmsg_pid = nlh->nlmsg_seq = 1;
		if (is_socket)
			replace_socket(all, at + head, nlh->nlmsg_len - head);
		else
			replace_attrs(all, file, 0, at + head, nlh->nlmsg_len - head);
	}
}

void anonymous_answer(const struct pseudonyms *all, const char *file, char *data, size_t len)
{
	char *line = memchr(data, '\n', len), *messages;
	size_t rest = line ? len - (size_t)(line + 1 - data) : 0;

	if (!rest)
		return;
	/* After a line of text they need not be aligned. */
	messages = xcalloc(rest, 1);
	memcpy(messages, line + 1, rest);
	replace_messages(all, file, messages, rest);
	memcpy(line + 1, messages, rest);
	free(messages);
}
