/* SPDX-License-Identifier: MIT */
/*
 * Answers that a machine of the other byte order recorded.
 *
 * Where messages and attributes begin and end is turned once, when a record is read; what is in
 * them stays as it was, and is marked. Decoders alone know what is a number, and turn it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/* No flag of <linux/netlink.h>; and one that no family has that these tools ask. */
#define SMC_ORDER_MESSAGE 0x8000
#define SMC_ORDER_ATTR NLA_F_NET_BYTEORDER

/** struct smc_order_run - @bytes are numbers of @width each; the last one is of zeros */
struct smc_order_run {
	uint8_t bytes, width;
};

/**
 * smc_order_headers() - turn the headers of a machine of the other byte order, and mark them
 * @bytes: messages, each at NLMSG_ALIGN, as far as they make sense: the rest stays what it is
 * @body: of each message, bytes before its attributes
 */
void smc_order_headers(void *bytes, size_t len, size_t body);

/** smc_order_is_other() - are the numbers of an attribute in the other byte order? */
static inline bool smc_order_is_other(const struct nlattr *attr)
{
	return attr->nla_type & SMC_ORDER_ATTR;
}

/** smc_order_turn() - turn the numbers among the first @len bytes of a structure */
void smc_order_turn(void *data, size_t len, const struct smc_order_run *runs);

/** smc_order_number() - turn a number of @size bytes */
void smc_order_number(void *number, size_t size);
