// SPDX-License-Identifier: MIT
/* Generic netlink requests over libnl. */
#include "netlink/genl.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "host/record.h"
#include "host/smc.h"
#include "netlink/replay.h"

#define FAMILY_VERSION 1
#define TRIES 3
/* A kernel that answers at all answers at once; without a limit a lost answer hangs us. */
#define RECV_TIMEOUT_SECONDS 20

/** struct smc_genl - @sock: NULL when a recorded host answers */
struct smc_genl {
	struct nl_sock *sock;
	uint16_t family;
	char name[GENL_NAMSIZ];
};

/* One request and what came back for it. */
struct answer {
	uint32_t seq;
	bool is_done;
	bool is_interrupted;
	int code;	/* positive errno: the kernel's, or ours for an answer that cannot be read */
	char text[200]; /* the kernel's own words; "" for none */
	struct replay_tape tape;
};

static void fail(struct answer *answer, int code)
{
	if (!answer->code)
		answer->code = code;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct answer *answer = arg;

	/* A command's name needs the header of generic netlink: nothing shorter is an answer. */
	if (nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN) {
		fail(answer, EBADMSG);
		return NL_OK;
	}
	replay_add(&answer->tape, nlh);
	if (answer->tape.is_failed)
		fail(answer, ENOMEM);
	return NL_OK;
}

/* The kernel's own sentence, if NETLINK_EXT_ACK brought one. */
static void note_text(struct answer *answer, const struct nlmsghdr *nlh, size_t offset)
{
	const char *data = (const char *)nlh + NLMSG_HDRLEN;
	size_t len = nlh->nlmsg_len - NLMSG_HDRLEN;
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || offset > len)
		return;
	attr = nla_find((const struct nlattr *)(data + offset), (int)(len - offset),
			NLMSGERR_ATTR_MSG);
	if (!attr || nla_len(attr) < 1)
		return;
	nla_strlcpy(answer->text, attr, sizeof(answer->text));
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	const struct nlmsghdr *nlh = (const void *)((const char *)error - NLMSG_HDRLEN);
	struct answer *answer = arg;
	size_t skip = sizeof(*error);

	(void)from;
	if (nlh->nlmsg_seq != answer->seq)
		return NL_SKIP;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && error->msg.nlmsg_len > NLMSG_HDRLEN)
		skip += NLMSG_ALIGN((size_t)error->msg.nlmsg_len - NLMSG_HDRLEN);
	fail(answer, error->error < 0 ? -error->error : EBADMSG);
	note_text(answer, nlh, skip);
	answer->is_done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	(void)msg;
	((struct answer *)arg)->is_done = true;
	return NL_STOP;
}

/* libnl calls this success, whatever the kernel wrote into it. */
static int on_done(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct answer *answer = arg;
	int code;

	answer->is_done = true;
	if (nlh->nlmsg_len < NLMSG_HDRLEN + sizeof(code)) {
		fail(answer, EBADMSG);
		return NL_STOP;
	}
	memcpy(&code, NLMSG_DATA(nlh), sizeof(code));
	if (code < 0) {
		fail(answer, -code);
		note_text(answer, nlh, sizeof(code));
	}
	return NL_STOP;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	(void)msg;
	((struct answer *)arg)->is_interrupted = true;
	return NL_OK;
}

static int on_overrun(struct nl_msg *msg, void *arg)
{
	(void)msg;
	fail(arg, ENOBUFS);
	((struct answer *)arg)->is_done = true;
	return NL_STOP;
}

/* An answer to another request, one that timed out perhaps, is no error of this one. */
static int on_seq_check(struct nl_msg *msg, void *arg)
{
	return nlmsg_hdr(msg)->nlmsg_seq == ((struct answer *)arg)->seq ? NL_OK : NL_SKIP;
}

static int receive(struct smc_genl *nl, struct answer *answer)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_CUSTOM);
	int ret = 0;

	if (!cb)
		return ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, answer);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, answer);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_done, answer);
	nl_cb_set(cb, NL_CB_OVERRUN, NL_CB_CUSTOM, on_overrun, answer);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, answer);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_seq_check, answer);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, answer);
	while (!answer->is_done && ret >= 0)
		ret = nl_recvmsgs(nl->sock, cb);
	nl_cb_put(cb);
	if (ret >= 0 || answer->code)
		return answer->code;
	switch (-ret) {
	case NLE_AGAIN: return ETIMEDOUT;
	case NLE_NOMEM: return errno == ENOBUFS ? ENOBUFS : ENOMEM;
	case NLE_DUMP_INTR: return EINTR;
	case NLE_MSG_TRUNC:
	case NLE_MSG_TOOSHORT: return EBADMSG;
	default: return errno ? errno : EIO;
	}
}

static int put_attr(struct nl_msg *msg, const struct smc_genl_attr *attr)
{
	if (attr->kind == SMC_GENL_STR)
		return nla_put_string(msg, attr->type, attr->str);
	return nla_put_u8(msg, attr->type, attr->u8);
}

/* Send one request and take in all that comes back. Return: positive errno, 0 for none. */
static int transact(struct smc_genl *nl, uint8_t cmd, int flags, const struct smc_genl_attr *attrs,
		    size_t n, struct answer *answer)
{
	struct nl_msg *msg = nlmsg_alloc();
	int ret = -NLE_NOMEM;

	free(answer->tape.bytes);
	*answer = (struct answer){ .seq = nl_socket_use_seq(nl->sock) };
	if (msg && genlmsg_put(msg, nl_socket_get_local_port(nl->sock), answer->seq, nl->family, 0,
			       flags, cmd, FAMILY_VERSION))
		ret = 0;
	for (size_t i = 0; !ret && i < n; i++)
		ret = put_attr(msg, &attrs[i]);
	if (!ret) {
		errno = 0;
		ret = nl_send_auto(nl->sock, msg);
		ret = ret < 0 && errno ? errno : ret < 0 ? EIO : 0;
	} else {
		ret = ENOMEM;
	}
	nlmsg_free(msg);
	return ret ? ret : receive(nl, answer);
}

static void describe(struct smc_err *err, int code, const struct answer *answer)
{
	if (answer->text[0])
		smc_err_say(err, code, "%s: %s", strerror(code), answer->text);
	else if (code == EPERM)
		smc_err_say(err, code, "%s: needs CAP_NET_ADMIN in the initial user namespace",
			    strerror(code));
	else
		smc_err_say(err, code, "%s", strerror(code));
}

/* libnl's own look-up loses the errno. */
static int resolve(struct smc_genl *nl, const char *family, struct answer *answer)
{
	const struct smc_genl_attr name = { CTRL_ATTR_FAMILY_NAME, SMC_GENL_STR, family, 0 };
	const struct nlmsghdr *nlh;
	const struct nlattr *id;
	int code;

	nl->family = GENL_ID_CTRL;
	code = transact(nl, CTRL_CMD_GETFAMILY, NLM_F_REQUEST | NLM_F_ACK, &name, 1, answer);
	if (code)
		return code;
	if (!answer->tape.len)
		return EBADMSG;
	nlh = (const struct nlmsghdr *)answer->tape.bytes;
	id = nlmsg_find_attr((struct nlmsghdr *)nlh, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID);
	if (!id || nla_len(id) < (int)sizeof(uint16_t))
		return EBADMSG;
	nl->family = nla_get_u16(id);
	return 0;
}

static int find_family(struct smc_genl *nl, const char *family, struct smc_err *err)
{
	struct answer answer = { 0 };
	int code = resolve(nl, family, &answer);

	if (code == ENOENT && host_af_smc() != -EAFNOSUPPORT)
		code = resolve(nl, family, &answer);
	free(answer.tape.bytes);
	if (!code)
		return 0;
	if (code == ENOENT)
		return smc_err_say(err, ENOENT, SMC_MISSING);
	return smc_err_set(err, code, "cannot find netlink family %s", family);
}

#define RECORD_NAME (GENL_NAMSIZ + 16)

static struct replay_request name_request(char file[RECORD_NAME], const struct smc_genl *nl,
					  const char *what)
{
	snprintf(file, RECORD_NAME, "%s/%.10s", nl->name, what);
	return (struct replay_request){ .name = file, .body = GENL_HDRLEN };
}

static int connect_socket(struct nl_sock *sock, struct smc_err *err)
{
	const struct timeval limit = { .tv_sec = RECV_TIMEOUT_SECONDS };
	int on = 1, ret, fd;

	errno = 0;
	ret = genl_connect(sock);
	if (ret)
		return smc_err_set(err, errno ? errno : EIO, "cannot open a netlink socket");
	fd = nl_socket_get_fd(sock);
	/* Each is a comfort: an old kernel without one still answers. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	nl_socket_disable_auto_ack(sock);
	return 0;
}

static int ignore(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	(void)arg;
	return 0;
}

/* The look-up of a family is the first question that a record answers. */
static int open_family(struct smc_genl *nl, struct smc_err *err)
{
	const struct replay_tape none = { .len = 0 };
	struct replay_request request;
	char file[RECORD_NAME];
	int ret;

	request = name_request(file, nl, "family");
	if (record_root())
		return replay(&request, ignore, NULL, err);
	nl->sock = nl_socket_alloc();
	if (!nl->sock)
		return smc_err_set(err, ENOMEM, "cannot open a netlink socket");
	ret = connect_socket(nl->sock, err);
	if (!ret)
		ret = find_family(nl, nl->name, err);
	replay_keep(&none, &request, ret, err);
	return ret;
}

int smc_genl_open(struct smc_genl **result, const char *family, struct smc_err *err)
{
	struct smc_genl *nl = calloc(1, sizeof(*nl));
	int ret;

	*result = NULL;
	if (err)
		err->code = 0;
	if (!nl)
		return smc_err_set(err, ENOMEM, "cannot open a netlink socket");
	snprintf(nl->name, sizeof(nl->name), "%s", family);
	ret = open_family(nl, err);
	if (ret)
		smc_genl_close(nl);
	else
		*result = nl;
	return ret;
}

void smc_genl_close(struct smc_genl *nl)
{
	if (!nl)
		return;
	nl_socket_free(nl->sock);
	free(nl);
}

static int hand_over(const struct replay_tape *tape, smc_genl_fn fn, void *arg)
{
	size_t offset = 0;
	int ret = 0;

	while (!ret && offset < tape->len) {
		const struct nlmsghdr *nlh = (const void *)(tape->bytes + offset);

		ret = fn(nlh, arg);
		offset += NLMSG_ALIGN(nlh->nlmsg_len);
	}
	return ret;
}

/* Ask until the table stands still. */
static int collect(struct smc_genl *nl, uint8_t cmd, struct answer *answer, struct smc_err *err)
{
	int code, tries = 0;

	do {
		code = transact(nl, cmd, NLM_F_REQUEST | NLM_F_DUMP, NULL, 0, answer);
		if (!code && answer->is_interrupted)
			code = EINTR;
	} while (code == EINTR && ++tries < TRIES);
	if (code == EINTR)
		return smc_err_say(err, EINTR, "the table changed while it was read");
	if (code == EOPNOTSUPP)
		return smc_err_say(err, code, "this kernel does not know the request");
	if (code)
		describe(err, code, answer);
	return -code;
}

int smc_genl_dump(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, struct smc_err *err)
{
	struct replay_request request;
	struct answer answer = { 0 };
	char file[RECORD_NAME], number[8];
	int ret;

	if (err)
		err->code = 0;
	snprintf(number, sizeof(number), "%u", cmd);
	request = name_request(file, nl, number);
	if (!nl->sock)
		return replay(&request, fn, arg, err);
	ret = collect(nl, cmd, &answer, err);
	if (ret)
		answer.tape.len = 0; /* half of an answer is none */
	replay_keep(&answer.tape, &request, ret, err);
	if (!ret)
		ret = hand_over(&answer.tape, fn, arg);
	free(answer.tape.bytes);
	return ret;
}

int smc_genl_do(struct smc_genl *nl, uint8_t cmd, const struct smc_genl_attr *attrs, size_t n,
		struct smc_err *err)
{
	struct answer answer = { 0 };
	int code;

	if (!nl->sock)
		return record_refuse(err);
	code = transact(nl, cmd, NLM_F_REQUEST | NLM_F_ACK, attrs, n, &answer);
	if (err)
		err->code = 0;
	if (code)
		describe(err, code, &answer);
	free(answer.tape.bytes);
	return -code;
}
