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

/* Attributes that decoders must skip: unknown, without payload, padding. */
static inline void genl_noise(struct message *m)
{
	message_attr(m, 0x3ff, "noise", 6);
	for (uint16_t type = 0; type < 14; type++)
		message_attr(m, type, "", 0);
}

/* Attributes up to the end of text or nest, see genl_make(). Return: the rest of the text. */
static inline const char *genl_put(struct message *m, const char *text)
{
	for (char *at; *(text += strspn(text, " ")) && *text != '}'; text = at + 1) {
		uint16_t type = (uint16_t)strtoul(text, &at, 10);

		if (*at == '~') {
			genl_noise(m);
		} else if (*at == '{') {
			size_t nest = genl_nest(m, type);

			at = (char *)(uintptr_t)genl_put(m, at + 1);
			genl_end(m, nest);
		} else if (*at == '\'') {
			char value[256];
			size_t len = strcspn(++at, "'");

			snprintf(value, sizeof(value), "%.*s", (int)len, at);
			message_attr(m, type, value, len + 1);
			at += len;
		} else {
			size_t size = strtoul(at + 1, &at, 10);
			uint64_t number = strtoull(at + 1, &at, 0);
			const uint32_t word = (uint32_t)number;
			const uint16_t half = (uint16_t)number;
			const uint8_t byte = (uint8_t)number;

			assert_true(size == 1 || size == 2 || size == 4 || size == 8);
			if (size == 8)
				message_attr(m, type, &number, size);
			else if (size == 4)
				message_attr(m, type, &word, size);
			else if (size == 2)
				message_attr(m, type, &half, size);
			else
				message_attr(m, type, &byte, size);
			at -= !*at || *at == '}';
		}
	}
	return text;
}

/* A message: a command, and attributes by type, as "1:4=0x100 2'text' 3{1:1=2}"; ~ is noise. */
static inline void genl_make(struct message *m, uint8_t cmd, const char *text)
{
	genl_start(m, cmd);
	assert_int_equal(*genl_put(m, text), '\0');
}
