// SPDX-License-Identifier: MIT
/* Reading single netlink attributes. */
#include "smc/attr.h"

#include <string.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

bool smc_attr_u8(const struct nlattr *attr, uint8_t *value)
{
	if (mnl_attr_get_payload_len(attr) < sizeof(*value))
		return false;
	*value = *(const uint8_t *)mnl_attr_get_payload(attr);
	return true;
}

bool smc_attr_bool(const struct nlattr *attr, bool *value)
{
	uint8_t byte;

	if (!smc_attr_u8(attr, &byte))
		return false;
	*value = byte;
	return true;
}

/* A number of @size bytes, which some kernels send with half of them. */
static bool read_number(const struct nlattr *attr, size_t size, uint64_t *value)
{
	size_t len = mnl_attr_get_payload_len(attr);
	union {
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} number;

	if (len < size && 2 * len != size)
		return false;
	len = len < size ? len : size;
	memcpy(&number, mnl_attr_get_payload(attr), len);
	*value = len == 2 ? number.u16 : len == 4 ? number.u32 : number.u64;
	return true;
}

bool smc_attr_u32(const struct nlattr *attr, uint32_t *value)
{
	uint64_t number;

	if (!read_number(attr, sizeof(*value), &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

bool smc_attr_u64(const struct nlattr *attr, uint64_t *value)
{
	return read_number(attr, sizeof(*value), value);
}

bool smc_attr_str(const struct nlattr *attr, char *str, size_t size)
{
	size_t len = mnl_attr_get_payload_len(attr);
	const char *data = mnl_attr_get_payload(attr);

	if (!len)
		return false;
	len = strnlen(data, len);
	if (len >= size)
		len = size - 1;
	while (len && data[len - 1] == ' ')
		len--;
	memcpy(str, data, len);
	str[len] = '\0';
	return true;
}

const struct nlattr *smc_attr_nest(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr;

	if (mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
		return NULL;
	mnl_attr_for_each(attr, nlh, GENL_HDRLEN)
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}
