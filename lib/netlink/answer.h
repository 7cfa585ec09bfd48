/* SPDX-License-Identifier: MIT */
/* Interpret the bytes of a netlink answer, for libmnl and libnl. */
#pragma once

#include <linux/netlink.h>

#include "base/libc.h"

/**
 * struct answer - state of the answer to one request
 * @seq: sequence number of the request; @port: of the socket. Other messages are skipped
 * @fn: takes a message that is neither error nor end; returns 0 to go on, -errno to stop
 * @is_done: by an acknowledgement, an error, the end of the dump, or @fn; @is_ended: by @fn
 * @is_interrupted: the table changed during the dump: @fn gets no further messages
 * @code: positive errno of the kernel or @fn, EBADMSG for a malformed answer; 0 for none
 * @text: the kernel's own words (NETLINK_EXT_ACK), "" if there are none
 */
struct answer {
	uint32_t seq, port;
	int (*fn)(const struct nlmsghdr *nlh, void *arg);
	void *arg;
	bool is_done, is_ended, is_interrupted;
	int code;
	char text[200];
};

/**
 * answer_has_message() - true if a whole message, padded to NLMSG_ALIGN, is within the @left bytes
 *
 * libmnl's mnl_nlmsg_ok() takes a length from 2^31 on as negative, and accepts it. The last
 * attribute of mnl_attr_for_each() may extend into the padding.
 */
static inline bool answer_has_message(const struct nlmsghdr *nlh, size_t left)
{
	return left >= NLMSG_HDRLEN && nlh->nlmsg_len >= NLMSG_HDRLEN &&
	       nlh->nlmsg_len <= left - left % NLMSG_ALIGNTO;
}

/**
 * answer_take() - interpret @bytes, aligned for struct nlmsghdr, of one system call
 *
 * Both libraries report success when NLMSG_DONE carries an error, and pass on the messages of an
 * interrupted dump; this function does neither. Bytes that are not a message, and messages after
 * the end, are EBADMSG, because rows may be missing.
 */
void answer_take(struct answer *answer, const void *bytes, size_t len);
