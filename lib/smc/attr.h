/* SPDX-License-Identifier: MIT */
/*
 * Reading netlink attributes, of whatever length the kernel gave them: by a table, or one by one.
 *
 * An attribute that is too short counts as not sent, as a zero-length one does: some architectures
 * pad with those. One that is too long is read as far as known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/*
 * What an attribute is; SMC_ATTR() takes it from the type of the member that receives the value.
 * Bytes are the same on each machine.
 */
enum smc_kind {
	SMC_ATTR_END,
	SMC_ATTR_NUMBER,
	SMC_ATTR_BOOL,
	SMC_ATTR_BYTES,
	SMC_ATTR_STR,
	SMC_ATTR_NEST,
};

/**
 * struct smc_attr - where an attribute's value goes: a row of a table that one of zeros ends
 * @type: the attribute's number
 * @offset, @size: of the member; of a nest, offset of the structure that takes what is in it
 * @has: bit for the structure's first member, a uint32_t, when the kernel sent it
 * @seen: of a nest, offset of a bool that becomes true for it, 0 for none
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
 * smc_attr_decode() - read an answer by a table
 * @object: of @size bytes, filled with zeros first
 * @type: of the nest that the answer is in; @rows: of that nest
 *
 * Return: 0, -EBADMSG when the message is too short or has no such nest.
 */
int smc_attr_decode(void *object, size_t size, const struct nlmsghdr *nlh, uint16_t type,
		    const struct smc_attr *rows);

/**
 * smc_attr_number() - a number of 1, 2, 4 or 8 bytes, or of half as many
 *
 * Headers and kernels disagree, and "uint" attributes are as long as their value needs.
 * Return: false, leaving @value, when the attribute is too short.
 */
#define smc_attr_number(attr, value) smc_attr_sized(attr, value, sizeof(*(value)))
bool smc_attr_sized(const struct nlattr *attr, void *value, size_t size);

/** smc_attr_bool() - a u8 that means yes or no. Return: as above */
bool smc_attr_bool(const struct nlattr *attr, bool *value);

/**
 * smc_attr_str() - a string without the blanks that pad it, cut to @size
 *
 * Return: false, leaving @str, for an empty attribute; a string of no characters is a string.
 */
bool smc_attr_str(const struct nlattr *attr, char *str, size_t size);

/** smc_attr_nest() - the attribute of a type in a generic netlink message; NULL if it has none */
const struct nlattr *smc_attr_nest(const struct nlmsghdr *nlh, uint16_t type);
