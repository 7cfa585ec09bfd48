/* SPDX-License-Identifier: MIT */
/*
 * Reading single netlink attributes, of whatever length the kernel gave them.
 *
 * An attribute that is too short counts as not sent, as a zero-length one does: some architectures
 * pad with those. One that is too long is read as far as known.
 */
#ifndef SMC_ATTR_H
#define SMC_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/** smc_attr_u8() - Return: false, leaving @value, when the attribute is too short */
bool smc_attr_u8(const struct nlattr *attr, uint8_t *value);

/** smc_attr_bool() - a u8 that means yes or no */
bool smc_attr_bool(const struct nlattr *attr, bool *value);

/** smc_attr_u32() - of 4 bytes, or 2 where headers and kernels disagree */
bool smc_attr_u32(const struct nlattr *attr, uint32_t *value);

/** smc_attr_u64() - of 8 bytes, or 4: "uint" attributes are as long as their value needs */
bool smc_attr_u64(const struct nlattr *attr, uint64_t *value);

/**
 * smc_attr_str() - a string without the blanks that pad it
 * @size: of @str; what does not fit is cut
 *
 * Return: false, leaving @str, for an empty attribute; a string of no characters is a string.
 */
bool smc_attr_str(const struct nlattr *attr, char *str, size_t size);

/**
 * smc_attr_nest() - the nest of a type in a generic netlink message
 *
 * Return: NULL when the message is too short or has none.
 */
const struct nlattr *smc_attr_nest(const struct nlmsghdr *nlh, uint16_t type);

#endif
