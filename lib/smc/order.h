/* SPDX-License-Identifier: MIT */
/*
 * Answers recorded on a machine of the other byte order.
 *
 * Headers of messages and attributes are converted once, when a record is read; the content is left
 * unchanged, and marked. Only decoders know the numbers in it, and convert them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

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

/** smc_order_is_other() - are the numbers of an attribute in the other byte order? */
static inline bool smc_order_is_other(const struct nlattr *attr)
{
	return attr->nla_type & SMC_ORDER_ATTR;
}

/** smc_order_turn() - convert the numbers among the first @len bytes of a structure */
void smc_order_turn(void *data, size_t len, const struct smc_order_run *runs);

/** smc_order_number() - convert a number of @size bytes */
void smc_order_number(void *number, size_t size);
