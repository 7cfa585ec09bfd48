// SPDX-License-Identifier: MIT
/* Generic netlink requests over libnl. */
#include "netlink/genl.h"

#include <linux/genetlink.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/memory.h"
#include "host/record.h"
#include "host/smc.h"
#include "netlink/answer.h"
#include "netlink/replay.h"
#include "smc/genl_abi.h"

#define FAMILY_VERSION 1
#define TRIES 3
/* Kernels answer at once; without a timeout a lost reply would hang us. */
#define RECV_TIMEOUT_SECONDS 20

/** struct smc_genl - @sock: NULL for a recorded host */
struct smc_genl {
	struct nl_sock *sock;
	uint16_t family;
	char name[GENL_NAMSIZ];
};

/* Replies to one request */
struct reply {
	struct answer answer;
	struct replay_tape tape;
};

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct replay_tape *tape = arg;

	/* Shorter messages have no generic netlink header, so they are not a reply. */
	if (nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return -EBADMSG;
	replay_add(tape, nlh);
	return 0;
}

/* Return: positive errno, 0 for none. */
static int receive(struct smc_genl *nl, struct answer *answer)
{
	struct sockaddr_nl from;
	unsigned char *bytes;
	int len;

	while (!answer->is_done) {
		errno = 0;
		len = nl_recv(nl->sock, &from, &bytes, NULL);
		if (!len || len == -NLE_AGAIN)
			return ETIMEDOUT;
		if (len < 0)
			return errno ? errno : EBADMSG;
		answer_take(answer, bytes, (size_t)len);
		free(bytes);
	}
	if (answer->code)
		return answer->code;
	return answer->is_interrupted ? EINTR : 0;
}

/* Send one request and collect the replies. Return: positive errno, 0 for none. */
static int transact(struct smc_genl *nl, uint8_t cmd, int flags, const struct smc_genl_attr *attrs,
		    size_t n, struct reply *reply)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct answer *answer = &reply->answer;
	int ret = -NLE_NOMEM;

	free(reply->tape.bytes);
	*reply = (struct reply){ .answer = { .seq = nl_socket_use_seq(nl->sock),
					     .fn = on_message,
					     .port = nl_socket_get_local_port(nl->sock),
					     .arg = &reply->tape } };
	if (msg &&
	    genlmsg_put(msg, answer->port, answer->seq, nl->family, 0, flags, cmd, FAMILY_VERSION))
		ret = 0;
	for (size_t i = 0; !ret && i < n; i++)
		ret = attrs[i].kind == SMC_GENL_STR ?
			      nla_put_string(msg, attrs[i].type, attrs[i].str) :
			      nla_put_u8(msg, attrs[i].type, attrs[i].u8);
	if (!ret) {
		errno = EIO; /* errors of libnl itself set no errno */
		ret = nl_send_auto(nl->sock, msg) < 0 ? errno : 0;
	} else {
		ret = ENOMEM;
	}
	nlmsg_free(msg);
	return ret ? ret : receive(nl, answer);
}

static bool is_general(const struct smc_genl *nl)
{
	return !strcmp(nl->name, SMC_GENL_FAMILY_NAME);
}

/* Kernel version of a command: <linux/smc.h> grew with Linux 5.11, 5.14, 5.16 and 5.18. */
static const char *since(uint8_t cmd)
{
	if (cmd <= SMC_NETLINK_GET_DEV_SMCR)
		return "5.11";
	if (cmd <= SMC_NETLINK_GET_FBACK_STATS)
		return "5.14";
	return cmd <= SMC_NETLINK_DISABLE_SEID ? "5.16" : "5.18";
}

static void describe(struct smc_err *err, int code, const struct smc_genl *nl, uint8_t cmd,
		     const struct answer *answer)
{
	if (answer->text[0])
		smc_err_say(err, code, "%s: %s", strerror(code), answer->text);
	else if (code == EOPNOTSUPP && is_general(nl))
		smc_err_say(err, code,
			    "this kernel does not support the request, which came with Linux %s",
			    since(cmd));
	else if (code == EPERM)
		smc_err_say(err, code, "%s: needs CAP_NET_ADMIN in the initial user namespace",
			    strerror(code));
	else
		smc_err_say(err, code, "%s", strerror(code));
}

/* libnl's look-up of a family loses the errno. */
static int resolve(struct smc_genl *nl, const char *family, struct reply *reply)
{
	const struct smc_genl_attr name = { CTRL_ATTR_FAMILY_NAME, SMC_GENL_STR, family, 0 };
	const struct nlmsghdr *nlh;
	const struct nlattr *id;
	int code;

	nl->family = GENL_ID_CTRL;
	code = transact(nl, CTRL_CMD_GETFAMILY, NLM_F_REQUEST | NLM_F_ACK, &name, 1, reply);
	if (code)
		return code;
	if (!reply->tape.len)
		return EBADMSG;
	nlh = (const struct nlmsghdr *)reply->tape.bytes;
	id = nlmsg_find_attr((struct nlmsghdr *)nlh, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID);
	if (!id || nla_len(id) < (int)sizeof(uint16_t))
		return EBADMSG;
	nl->family = nla_get_u16(id);
	return 0;
}

static int find_family(struct smc_genl *nl, const char *family, struct smc_err *err)
{
	struct reply reply = { .tape = { 0 } };
	int code = resolve(nl, family, &reply), smc = 0;

	if (code == ENOENT) {
		smc = host_af_smc();
		if (smc != -EAFNOSUPPORT)
			code = resolve(nl, family, &reply);
	}
	free(reply.tape.bytes);
	if (!code)
		return 0;
	if (code == ENOENT && smc)
		return smc_err_say(err, ENOENT, "%s", smc == -EACCES ? SMC_DENIED : smc_missing());
	if (code == ENOENT)
		return smc_err_say(err, ENOENT, "this kernel's SMC has no netlink family %s%s",
				   family, is_general(nl) ? ", which came with Linux 5.11" : "");
	return smc_err_set(err, code, "cannot find netlink family %s", family);
}

#define RECORD_NAME (GENL_NAMSIZ + 16)

static struct replay_request name_request(char file[RECORD_NAME], const struct smc_genl *nl,
					  const char *what)
{
	snprintf(file, RECORD_NAME, "%s/%.10s", nl->name, what);
	return (struct replay_request){ .name = file, .body = GENL_HDRLEN };
}

static int open_socket(struct smc_genl *nl, struct smc_err *err)
{
	const struct timeval limit = { .tv_sec = RECV_TIMEOUT_SECONDS };
	int on = 1, fd;

	errno = 0;
	nl->sock = nl_socket_alloc();
	if (!nl->sock || genl_connect(nl->sock))
		return smc_err_set(err, errno ? errno : EIO, "cannot open a netlink socket");
	fd = nl_socket_get_fd(nl->sock);
	/* These are optional: an old kernel without one of them still answers. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	nl_socket_disable_auto_ack(nl->sock);
	return 0;
}

static int ignore(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	(void)arg;
	return 0;
}

/* Replays start with the look-up of the family. */
static int open_family(struct smc_genl *nl, struct smc_err *err)
{
	const struct replay_tape none = { .len = 0 };
	struct replay_request request;
	char file[RECORD_NAME];
	int ret;

	request = name_request(file, nl, "family");
	if (record_root())
		return replay(&request, ignore, NULL, err);
	ret = open_socket(nl, err) ?: find_family(nl, nl->name, err);
	replay_keep(&none, &request, ret, err);
	return ret;
}

int smc_genl_open(struct smc_genl **result, const char *family, struct smc_err *err)
{
	struct smc_genl *nl = xcalloc(1, sizeof(*nl));
	int ret;

	*result = NULL;
	if (err)
		err->code = 0;
	snprintf(nl->name, sizeof(nl->name), "%s", family);
	ret = open_family(nl, err);
	if (ret)
		smc_genl_close(nl);
	else
		*result = nl;
	return ret;
}

int smc_genl_follow(struct smc_genl **result, const char *family, struct smc_err *err)
{
	int ret;

	if (!*result)
		return smc_genl_open(result, family, err);
	nl_socket_free((*result)->sock);
	ret = open_socket(*result, err);
	if (ret) {
		smc_genl_close(*result);
		*result = NULL;
	}
	return ret;
}

void smc_genl_close(struct smc_genl *nl)
{
	if (!nl)
		return;
	nl_socket_free(nl->sock);
	free(nl);
}

/* Retry until the table did not change meanwhile. */
static int collect(struct smc_genl *nl, uint8_t cmd, struct reply *reply, struct smc_err *err)
{
	int code, tries = 0;

	do
		code = transact(nl, cmd, NLM_F_REQUEST | NLM_F_DUMP, NULL, 0, reply);
	while (code == EINTR && ++tries < TRIES);
	if (code == EINTR)
		return smc_err_say(err, EINTR, "the table changed while it was being read");
	if (code)
		describe(err, code, nl, cmd, &reply->answer);
	return -code;
}

int smc_genl_dump(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, struct smc_err *err)
{
	struct replay_request request;
	struct reply reply = { .tape = { 0 } };
	char file[RECORD_NAME], number[8];
	int ret;

	if (err)
		err->code = 0;
	snprintf(number, sizeof(number), "%u", cmd);
	request = name_request(file, nl, number);
	if (!nl->sock)
		return replay(&request, fn, arg, err);
	ret = collect(nl, cmd, &reply, err);
	if (ret)
		reply.tape.len = 0; /* drop partial replies */
	replay_keep(&reply.tape, &request, ret, err);
	if (!ret)
		ret = replay_each(reply.tape.bytes, reply.tape.len, &request, fn, arg, err);
	free(reply.tape.bytes);
	return ret;
}

int smc_genl_do(struct smc_genl *nl, uint8_t cmd, const struct smc_genl_attr *attrs, size_t n,
		struct smc_err *err)
{
	struct reply reply = { .tape = { 0 } };
	int code;

	if (!nl->sock)
		return record_refuse(err);
	code = transact(nl, cmd, NLM_F_REQUEST | NLM_F_ACK, attrs, n, &reply);
	if (err)
		err->code = 0;
	if (code)
		describe(err, code, nl, cmd, &reply.answer);
	free(reply.tape.bytes);
	return -code;
}

int smc_genl_read(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, const char *what,
		  struct smc_err *err)
{
	struct smc_err inner = { 0 };
	int ret = smc_genl_dump(nl, cmd, fn, arg, &inner);

	if (!ret)
		return 0;
	if (ret == -EBADMSG && !inner.code)
		return smc_err_say(err, EBADMSG,
				   "cannot read %s: unexpected kind of answer from the kernel",
				   what);
	if (!inner.code)
		return smc_err_set(err, -ret, "cannot read %s", what);
	return smc_err_say(err, -ret, "cannot read %s: %s", what, inner.text);
}
