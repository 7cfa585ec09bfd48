/* SPDX-License-Identifier: MIT */
/*
 * Read netlink attributes of any length, by a table or one by one.
 *
 * An attribute that is too short counts as missing; some architectures pad with empty ones. One
 * that is too long is read as far as known.
 */
#pragma once

#include <linux/netlink.h>

#include "base/libc.h"

/* Type of an attribute; SMC_ATTR() derives it from the type of the destination member. */
enum smc_kind {
	SMC_ATTR_END,
	SMC_ATTR_NUMBER,
	SMC_ATTR_BOOL,
	SMC_ATTR_BYTES,
	SMC_ATTR_STR,
	SMC_ATTR_NEST,
};

/**
 * struct smc_attr - destination of an attribute's value; tables end with a row of zeros
 * @type: the attribute's number
 * @offset, @size: of the member; for a nest, offset of the structure for its attributes
 * @has: bit to set in the structure's first member, a uint32_t, if the kernel sent it
 * @seen: for a nest, offset of a bool that is set to true, 0 for none
 * @nest: rows of a nest
 */
struct smc_attr {
	uint16_t type;
	enum smc_kind kind;
	size_t offset, size;
	uint32_t has;
	size_t seen;
	const struct smc_attr *nest;
};

/* clang-format off */
#define SMC_ATTR(number, object, member, bit)                                                      \
	{ .type = number, .offset = offsetof(object, member), .has = bit,                          \
	  .size = sizeof(((object *)0)->member),                                                   \
	  .kind = _Generic(((object *)0)->member, char *: SMC_ATTR_STR, bool: SMC_ATTR_BOOL,       \
			   uint8_t *: SMC_ATTR_BYTES, default: SMC_ATTR_NUMBER) }
/* clang-format on */

/**
 * smc_attr_decode() - decode an answer by a table
 * @object: of @size bytes, zeroed first
 * @type: of the outer nest; @rows: of that nest
 *
 * Return: 0, -EBADMSG if the message is too short or has no such nest.
 */
int smc_attr_decode(void *object, size_t size, const struct nlmsghdr *nlh, uint16_t type,
		    const struct smc_attr *rows);

/**
 * smc_attr_number() - a number of 1, 2, 4 or 8 bytes, or of half as many
 *
 * Headers and kernels disagree on sizes, and "uint" attributes are as long as their value needs.
 * Return: false, with @value unchanged, if the attribute is too short.
 */
#define smc_attr_number(attr, value) smc_attr_sized(attr, value, sizeof(*(value)))
bool smc_attr_sized(const struct nlattr *attr, void *value, size_t size);

/** smc_attr_bool() - a u8 used as a boolean. Return: like smc_attr_number() */
bool smc_attr_bool(const struct nlattr *attr, bool *value);

/**
 * smc_attr_str() - a string without padding blanks, truncated to @size
 *
 * Return: false, with @str unchanged, for an empty attribute; a string of length 0 is valid.
 */
bool smc_attr_str(const struct nlattr *attr, char *str, size_t size);

/** smc_attr_nest() - find a nest by type in a generic netlink message; NULL if there is none */
const struct nlattr *smc_attr_nest(const struct nlmsghdr *nlh, uint16_t type);

/* ---- answers recorded on a machine of the other byte order ---- */

/* Flags unused in <linux/netlink.h>, and by all families that these tools query. */
#define SMC_ORDER_MESSAGE 0x8000
#define SMC_ORDER_ATTR NLA_F_NET_BYTEORDER

/** struct smc_order_run - @bytes of numbers of @width each; a run of zeros is the last */
struct smc_order_run {
	uint8_t bytes, width;
};

/**
 * smc_order_headers() - convert the headers from the other byte order, and mark them
 * @bytes: messages, each at NLMSG_ALIGN; conversion stops at the first malformed one
 * @body: size of a message's fixed part, before its attributes
 */
void smc_order_headers(void *bytes, size_t len, size_t body);

/** smc_order_is_other() - true if the numbers of an attribute are in the other byte order */
static inline bool smc_order_is_other(const struct nlattr *attr)
{
	return attr->nla_type & SMC_ORDER_ATTR;
}

/** smc_order_turn() - convert the numbers among the first @len bytes of a structure */
void smc_order_turn(void *data, size_t len, const struct smc_order_run *runs);
