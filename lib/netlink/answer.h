/* SPDX-License-Identifier: MIT */
/* What the bytes of a netlink answer say, whichever library received them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/**
 * struct answer - what has come back for one request so far
 * @seq: sequence number of the request; @port: of the socket. Other messages are passed over
 * @fn: takes a message that is neither error nor end; returns 0 to go on, -errno to end
 * @is_done: by an acknowledgement, an error, the end of the dump, or @fn; @is_ended: by @fn
 * @is_interrupted: the table changed during the dump: @fn gets no more of it
 * @code: positive errno of the kernel or @fn, EBADMSG for what cannot be read; 0 for none
 * @text: the kernel's own words (NETLINK_EXT_ACK), "" for none
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
 * answer_has_message() - is there a whole message within the @left bytes?
 *
 * libmnl's mnl_nlmsg_ok() takes a length from 2^31 on for a negative one, which fits.
 */
static inline bool answer_has_message(const struct nlmsghdr *nlh, int left)
{
	return left >= NLMSG_HDRLEN && nlh->nlmsg_len >= NLMSG_HDRLEN &&
	       nlh->nlmsg_len <= (uint32_t)left;
}

/**
 * answer_take() - interpret @bytes, aligned for struct nlmsghdr, of one system call
 *
 * Both libraries call it success when NLMSG_DONE carries an error, and hand out what comes before
 * an interrupted dump's end; here neither happens. Bytes that are no message, and messages after
 * the end, are EBADMSG: rows may be missing.
 */
void answer_take(struct answer *answer, const void *bytes, size_t len);
