/* SPDX-License-Identifier: MIT */
/* Build generic netlink messages with nests, for tests of decoders. */
#pragma once

#include "test.h"

#include <linux/genetlink.h>

static inline void genl_start(struct message *m, uint8_t cmd)
{
	const struct genlmsghdr head = { .cmd = cmd, .version = 1 };

	message_start(m, 0x1c);
	message_put(m, &head, sizeof(head));
}

/* Returns the offset of the nest, for genl_end(). */
static inline size_t genl_nest(struct message *m, uint16_t type)
{
	size_t at = NLMSG_ALIGN(m->nlh.nlmsg_len);

	message_attr(m, type | NLA_F_NESTED, "", 0);
	return at;
}

static inline void genl_end(struct message *m, size_t at)
{
	struct nlattr *attr = (struct nlattr *)(m->bytes + at);

	attr->nla_len = (uint16_t)(m->nlh.nlmsg_len - at);
	m->nlh.nlmsg_len = NLMSG_ALIGN(m->nlh.nlmsg_len);
}

/* A message with a command and the nest of the same number, as usual; for genl_end(). */
static inline size_t genl_begin(struct message *m, uint16_t number)
{
	genl_start(m, (uint8_t)number);
	return genl_nest(m, number);
}

static inline void genl_u8(struct message *m, uint16_t type, uint8_t value)
{
	message_attr(m, type, &value, sizeof(value));
}

static inline void genl_u16(struct message *m, uint16_t type, uint16_t value)
{
	message_attr(m, type, &value, sizeof(value));
}

static inline void genl_u32(struct message *m, uint16_t type, uint32_t value)
{
	message_attr(m, type, &value, sizeof(value));
}

static inline void genl_u64(struct message *m, uint16_t type, uint64_t value)
{
	message_attr(m, type, &value, sizeof(value));
}

static inline void genl_str(struct message *m, uint16_t type, const char *value)
{
	message_attr(m, type, value, strlen(value) + 1);
}

/* Attributes that decoders must skip: unknown, without payload, padding. */
static inline void genl_noise(struct message *m)
{
	message_attr(m, 0x3ff, "noise", 6);
	for (uint16_t type = 0; type < 14; type++)
		message_attr(m, type, "", 0);
}
