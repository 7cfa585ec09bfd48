// SPDX-License-Identifier: MIT
/* sock_diag dumps over libmnl. */
#include "netlink/diag.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <libmnl/libmnl.h>
#include <linux/sock_diag.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include "host/record.h"
#include "netlink/replay.h"

/*
 * The kernel fills one buffer of the reader's size, up to 32 KiB, per system call. A smaller one
 * does not merely cost calls: rows that did not fit have been seen to vanish.
 */
#define RECV_SIZE 32768
/* Room for answers in flight; the kernel caps it at net.core.rmem_max. */
#define SOCKET_RCVBUF (1024 * 1024)
/* A kernel that answers at all answers a dump at once; without a limit a lost answer hangs us. */
#define RECV_TIMEOUT_SECONDS 20

/** struct dump - @type: of the request, and of what answers it */
struct dump {
	uint16_t type;
	smc_diag_fn fn;
	void *arg;
	struct smc_err *err;
	int code; /* errno that the kernel or fn gave: not one of libmnl's own */
	bool is_ended;	  /* by fn, not by the kernel */
	bool is_recorded; /* on this: */
	struct replay_tape tape;
};

static int on_message(const struct nlmsghdr *nlh, void *data)
{
	struct dump *dump = data;
	int ret;

	if (nlh->nlmsg_type != dump->type)
		return MNL_CB_OK;
	if (dump->is_recorded)
		replay_add(&dump->tape, nlh);
	ret = dump->fn(nlh, dump->arg);
	if (!ret)
		return MNL_CB_OK;
	dump->code = -ret;
	dump->is_ended = true;
	return MNL_CB_ERROR;
}

static int refuse(struct dump *dump, int code, const char *text)
{
	if (text)
		smc_err_say(dump->err, code, "the kernel refused to list sockets: %s: %s",
			    strerror(code), text);
	else
		smc_err_set(dump->err, code, "the kernel refused to list sockets");
	dump->code = code;
	return MNL_CB_ERROR;
}

/* The kernel's own sentence, if NETLINK_EXT_ACK brought one. */
static const char *ext_ack_text(const struct nlmsghdr *nlh, size_t offset)
{
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	mnl_attr_for_each(attr, nlh, offset) {
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
			return mnl_attr_get_str(attr);
	}
	return NULL;
}

static int on_error(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *msg = mnl_nlmsg_get_payload(nlh);
	size_t skip = sizeof(*msg);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return refuse(data, EBADMSG, "short error message");
	if (!msg->error)
		return MNL_CB_STOP;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && msg->msg.nlmsg_len > NLMSG_HDRLEN)
		skip += MNL_ALIGN(msg->msg.nlmsg_len - NLMSG_HDRLEN);
	if (skip > mnl_nlmsg_get_payload_len(nlh))
		skip = mnl_nlmsg_get_payload_len(nlh);
	return refuse(data, -msg->error, ext_ack_text(nlh, skip));
}

/* Both netlink libraries call this success, whatever the kernel wrote into it. */
static int on_done(const struct nlmsghdr *nlh, void *data)
{
	struct dump *dump = data;
	int code;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(code))
		return refuse(dump, EBADMSG, "short end of dump");
	memcpy(&code, mnl_nlmsg_get_payload(nlh), sizeof(code));
	if (code < 0)
		return refuse(dump, -code, ext_ack_text(nlh, sizeof(code)));
	return MNL_CB_STOP;
}

static int on_overrun(const struct nlmsghdr *nlh, void *data)
{
	(void)nlh;
	return refuse(data, ENOBUFS, "messages were lost");
}

static int receive(struct mnl_socket *nl, unsigned int seq, struct dump *dump)
{
	mnl_cb_t control[] = {
		[NLMSG_ERROR] = on_error,
		[NLMSG_DONE] = on_done,
		[NLMSG_OVERRUN] = on_overrun,
	};
	unsigned int portid = mnl_socket_get_portid(nl);
	_Alignas(struct nlmsghdr) char buf[RECV_SIZE];
	int ret = MNL_CB_OK;
	ssize_t len;

	while (ret > MNL_CB_STOP) {
		len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return smc_err_set(dump->err, errno == EAGAIN ? ETIMEDOUT : errno,
					   "cannot receive the list of sockets");
		ret = mnl_cb_run2(buf, (size_t)len, seq, portid, on_message, dump, control,
				  sizeof(control) / sizeof(control[0]));
		/* A wrong sequence number or port: an answer, but not to this request. */
		if (ret < 0 && !dump->code && (errno == EPROTO || errno == ESRCH))
			ret = MNL_CB_OK;
	}
	if (ret >= 0)
		return 0;
	if (!dump->code && errno == EINTR) /* libmnl's answer to NLM_F_DUMP_INTR */
		return smc_err_say(dump->err, EINTR,
				   "the table of sockets changed while it was read");
	if (!dump->code)
		dump->code = errno;
	if (dump->err && !dump->err->code)
		smc_err_set(dump->err, dump->code, "cannot read the list of sockets");
	return -dump->code;
}

static int send_request(struct mnl_socket *nl, unsigned int seq, uint16_t type, const void *req,
			size_t len)
{
	_Alignas(struct nlmsghdr) char buf[256];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	nlh->nlmsg_seq = seq;
	if (len)
		memcpy(mnl_nlmsg_put_extra_header(nlh, len), req, len);
	return mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0 ? -errno : 0;
}

static void tune(struct mnl_socket *nl)
{
	const struct timeval limit = { .tv_sec = RECV_TIMEOUT_SECONDS };
	int fd = mnl_socket_get_fd(nl), on = 1, rcvbuf = SOCKET_RCVBUF;

	/* Each is a comfort: an old kernel without one still answers. */
	mnl_socket_setsockopt(nl, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

static int ask(struct dump *dump, int bus, const void *req, size_t len)
{
	unsigned int seq = (unsigned int)time(NULL);
	struct smc_err *err = dump->err;
	struct mnl_socket *nl;
	int ret;

	nl = mnl_socket_open2(bus, SOCK_CLOEXEC);
	if (!nl)
		return smc_err_set(err, errno, "cannot open a netlink socket");
	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0) {
		ret = smc_err_set(err, errno, "cannot bind a netlink socket");
		goto out;
	}
	tune(nl);
	ret = send_request(nl, seq, dump->type, req, len);
	if (ret)
		smc_err_set(err, -ret, "cannot ask the kernel for its sockets");
	else
		ret = receive(nl, seq, dump);
out:
	mnl_socket_close(nl);
	return ret;
}

int smc_diag_dump(const void *req, size_t len, smc_diag_fn fn, void *arg, struct smc_err *err)
{
	struct dump dump = { .type = SOCK_DIAG_BY_FAMILY, .fn = fn, .arg = arg, .err = err,
			     .is_recorded = record_dir() };
	struct replay_request request = { .bytes = req, .len = len };
	char name[32];
	int ret;

	if (err)
		err->code = 0;
	snprintf(name, sizeof(name), "sock_diag/%u", *(const unsigned char *)req);
	request.name = name;
	if (record_root())
		return replay(&request, fn, arg, err);
	ret = ask(&dump, NETLINK_SOCK_DIAG, req, len);
	if (dump.is_recorded && !dump.is_ended)
		replay_keep(&dump.tape, &request, ret, err);
	free(dump.tape.bytes);
	return ret;
}

int smc_rdma_dump(uint8_t command, const void *req, size_t len, smc_diag_fn fn, void *arg)
{
	struct dump dump = { .type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), .fn = fn, .arg = arg };

	return ask(&dump, NETLINK_RDMA, req, len);
}
