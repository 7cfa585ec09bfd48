// SPDX-License-Identifier: MIT
#include "smc/order.h"

void smc_order_number(void *number, size_t size)
{
	unsigned char *bytes = number;

	for (size_t i = 0; i < size / 2; i++) {
		unsigned char byte = bytes[i];

		bytes[i] = bytes[size - 1 - i];
		bytes[size - 1 - i] = byte;
	}
}

void smc_order_turn(void *data, size_t len, const struct smc_order_run *runs)
{
	char *at = data, *end = at + len;

	for (; runs->width; runs++)
		for (size_t n = runs->bytes / runs->width; n; n--, at += runs->width) {
			if (end - at < runs->width)
				return;
			smc_order_number(at, runs->width);
		}
}

/* The content of a nest comes right after its header, like a list of its own. */
static void turn_attrs(char *at, const char *end)
{
	while (end - at >= NLA_HDRLEN) {
		struct nlattr *attr = (void *)at;

		smc_order_number(&attr->nla_len, sizeof(attr->nla_len));
		smc_order_number(&attr->nla_type, sizeof(attr->nla_type));
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
