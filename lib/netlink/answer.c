// SPDX-License-Identifier: MIT
#include "netlink/answer.h"

#include <libmnl/libmnl.h>

static void end(struct answer *answer, int code, const char *text)
{
	answer->is_done = true;
	answer->code = code;
	snprintf(answer->text, sizeof(answer->text), "%s", text);
}

/* An errno is at most 4095: MAX_ERRNO in include/linux/err.h. */
static int errno_of(int error)
{
	return error < 0 && error >= -4095 ? -error : EBADMSG;
}

/* The kernel's own sentence among the attributes at @offset, "" if there is none. */
static const char *ext_ack_text(const struct nlmsghdr *nlh, size_t offset)
{
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return "";
	mnl_attr_for_each(attr, nlh, offset) {
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
			return mnl_attr_get_str(attr);
	}
	return "";
}

/* An acknowledgement is an error of 0. The attributes come after the request, if it is quoted. */
static void take_error(struct answer *answer, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *msg = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh), offset = sizeof(*msg);

	if (len < sizeof(*msg)) {
		end(answer, EBADMSG, "short error message");
		return;
	}
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && msg->msg.nlmsg_len > NLMSG_HDRLEN)
		offset += NLMSG_ALIGN((size_t)msg->msg.nlmsg_len - NLMSG_HDRLEN);
	if (!msg->error)
		end(answer, 0, "");
	else
		end(answer, errno_of(msg->error), ext_ack_text(nlh, offset < len ? offset : len));
}

static void take_done(struct answer *answer, const struct nlmsghdr *nlh)
{
	int code;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(code)) {
		end(answer, EBADMSG, "short end of dump");
		return;
	}
	memcpy(&code, mnl_nlmsg_get_payload(nlh), sizeof(code));
	if (code < 0)
		end(answer, errno_of(code), ext_ack_text(nlh, sizeof(code)));
	else
		end(answer, 0, "");
}

static void hand_over(struct answer *answer, const struct nlmsghdr *nlh)
{
	int ret = answer->is_interrupted ? 0 : answer->fn(nlh, answer->arg);

	if (!ret)
		return;
	end(answer, -ret, "");
	answer->is_ended = true;
}

static void take_message(struct answer *answer, const struct nlmsghdr *nlh)
{
	/* Skip answers to another request, perhaps one that timed out. */
	if (nlh->nlmsg_seq != answer->seq || !mnl_nlmsg_portid_ok(nlh, answer->port))
		return;
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		answer->is_interrupted = true;
	switch (nlh->nlmsg_type) {
	case NLMSG_NOOP: break;
	case NLMSG_ERROR: take_error(answer, nlh); break;
	case NLMSG_DONE: take_done(answer, nlh); break;
	case NLMSG_OVERRUN: end(answer, ENOBUFS, "messages were lost"); break;
	default: hand_over(answer, nlh);
	}
}

/* NLMSG_DONE comes last; anything after it is damage. */
static void take_rest(struct answer *answer, const struct nlmsghdr *nlh, int left)
{
	for (; answer_has_message(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		if (nlh->nlmsg_seq == answer->seq && mnl_nlmsg_portid_ok(nlh, answer->port))
			end(answer, EBADMSG, "messages after the end");
}

void answer_take(struct answer *answer, const void *bytes, size_t len)
{
	const struct nlmsghdr *nlh = bytes;
	int left = (int)len;

	for (; !answer->is_done && answer_has_message(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		take_message(answer, nlh);
	if (!answer->is_done && left > 0)
		end(answer, EBADMSG, "half a message");
	else if (answer->is_done && !answer->code)
		take_rest(answer, nlh, left);
}
