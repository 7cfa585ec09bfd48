// SPDX-License-Identifier: MIT
#include "smc/attr.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

static void turn_number(void *number, size_t size)
{
	unsigned char *bytes = number;

	for (size_t i = 0; i < size / 2; i++) {
		unsigned char byte = bytes[i];

		bytes[i] = bytes[size - 1 - i];
		bytes[size - 1 - i] = byte;
	}
}

/* A number of @size bytes, converted to this machine's byte order. */
static void read_number(void *value, const struct nlattr *attr, size_t size)
{
	memcpy(value, mnl_attr_get_payload(attr), size);
	if (smc_order_is_other(attr))
		turn_number(value, size);
}

bool smc_attr_sized(const struct nlattr *attr, void *value, size_t size)
{
	size_t len = mnl_attr_get_payload_len(attr);
	uint16_t half;
	uint32_t word;

	if (len >= size) {
		read_number(value, attr, size);
	} else if (2 * len == size && size == sizeof(uint32_t)) {
		read_number(&half, attr, sizeof(half));
		*(uint32_t *)value = half;
	} else if (2 * len == size && size == sizeof(uint64_t)) {
		read_number(&word, attr, sizeof(word));
		*(uint64_t *)value = word;
	} else {
		return false;
	}
	return true;
}

bool smc_attr_bool(const struct nlattr *attr, bool *value)
{
	uint8_t byte;

	if (!smc_attr_number(attr, &byte))
		return false;
	*value = byte;
	return true;
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

static bool read_value(void *value, const struct nlattr *attr, const struct smc_attr *row)
{
	switch (row->kind) {
	case SMC_ATTR_NUMBER: return smc_attr_sized(attr, value, row->size);
	case SMC_ATTR_BOOL: return smc_attr_bool(attr, value);
	case SMC_ATTR_BYTES:
		if (mnl_attr_get_payload_len(attr) < row->size)
			return false;
		memcpy(value, mnl_attr_get_payload(attr), row->size);
		return true;
	case SMC_ATTR_STR: return smc_attr_str(attr, value, row->size);
	default: return false;
	}
}

static void read_nest(char *object, const struct nlattr *nest, const struct smc_attr *rows)
{
	const struct smc_attr *row;
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		for (row = rows; row->kind && row->type != mnl_attr_get_type(attr); row++)
			;
		if (row->seen)
			*(bool *)(object + row->seen) = true;
		if (row->kind == SMC_ATTR_NEST)
			read_nest(object + row->offset, attr, row->nest);
		else if (read_value(object + row->offset, attr, row))
			*(uint32_t *)(void *)object |= row->has;
	}
}

int smc_attr_decode(void *object, size_t size, const struct nlmsghdr *nlh, uint16_t type,
		    const struct smc_attr *rows)
{
	const struct nlattr *nest = smc_attr_nest(nlh, type);

	memset(object, 0, size);
	if (!nest)
		return -EBADMSG;
	read_nest(object, nest, rows);
	return 0;
}

void smc_order_turn(void *data, size_t len, const struct smc_order_run *runs)
{
	char *at = data, *end = at + len;

	for (; runs->width; runs++)
		for (size_t n = runs->bytes / runs->width; n; n--, at += runs->width) {
			if (end - at < runs->width)
				return;
			turn_number(at, runs->width);
		}
}

/* The content of a nest comes right after its header, like a list of its own. */
static void turn_attrs(char *at, const char *end)
{
	while (end - at >= NLA_HDRLEN) {
		struct nlattr *attr = (void *)at;

		turn_number(&attr->nla_len, sizeof(attr->nla_len));
		turn_number(&attr->nla_type, sizeof(attr->nla_type));
		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > end - at)
			return;
		at += attr->nla_type & NLA_F_NESTED ? NLA_HDRLEN : NLA_ALIGN(attr->nla_len);
		attr->nla_type |= SMC_ORDER_ATTR;
	}
}

void smc_order_headers(void *bytes, size_t len, size_t body)
{
	static const struct smc_order_run header[] = { { 4, 4 }, { 4, 2 }, { 8, 4 }, { 0 } };

	char *at = bytes;

	while (len >= NLMSG_HDRLEN) {
		struct nlmsghdr *nlh = (void *)at;
		size_t step;

		smc_order_turn(nlh, sizeof(*nlh), header);
		if (nlh->nlmsg_len < NLMSG_HDRLEN + body || nlh->nlmsg_len > len)
			return;
		nlh->nlmsg_flags |= SMC_ORDER_MESSAGE;
		turn_attrs(at + NLMSG_HDRLEN + NLMSG_ALIGN(body), at + nlh->nlmsg_len);
		step = NLMSG_ALIGN((size_t)nlh->nlmsg_len);
		at += step;
		len -= step < len ? step : len;
	}
}
