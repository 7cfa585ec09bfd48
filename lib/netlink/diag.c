// SPDX-License-Identifier: MIT
/* Dumps over libmnl: sockets; RDMA devices, IPsec policies, tables of nftables. */
#include "netlink/diag.h"

#include <time.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/sock_diag.h>
#include <linux/xfrm.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include "host/record.h"
#include "netlink/ahead.h"
#include "netlink/answer.h"
#include "netlink/replay.h"

/* Start the reader thread, see ahead.h, after this many parts. */
#define FEW_PARTS 4
/* Receive buffer for answers in flight; the kernel caps it at net.core.rmem_max. */
#define SOCKET_RCVBUF (1024 * 1024)
/* The kernel answers a dump at once; without a timeout a lost reply would hang us. */
#define RECV_TIMEOUT_SECONDS 20

/** struct dump - @type: message type of the request; @answer: message type of the rows */
struct dump {
	uint16_t type, answer;
	smc_diag_fn fn;
	void *arg;
	struct smc_err *err;
	bool is_recorded; /* on @tape */
	struct replay_tape tape;
};

static int on_message(const struct nlmsghdr *nlh, void *data)
{
	struct dump *dump = data;

	if (nlh->nlmsg_type != dump->answer)
		return 0;
	if (dump->is_recorded)
		replay_add(&dump->tape, nlh);
	return dump->fn(nlh, dump->arg);
}

/* Only smc_diag_dump() passes an error object, so each sentence is about sockets. */
static int conclude(const struct dump *dump, const struct answer *answer)
{
	if (answer->is_interrupted && !answer->code)
		return smc_err_say(dump->err, EINTR,
				   "the table of sockets changed while it was being read");
	if (answer->text[0])
		return smc_err_say(dump->err, answer->code,
				   "the kernel refused to list sockets: %s: %s",
				   strerror(answer->code), answer->text);
	if (answer->code && !answer->is_ended)
		return smc_err_set(dump->err, answer->code, "the kernel refused to list sockets");
	if (answer->code && dump->err && !dump->err->code)
		smc_err_set(dump->err, answer->code, "cannot read the list of sockets");
	return -answer->code;
}

static int receive(struct mnl_socket *nl, struct dump *dump, struct answer *answer)
{
	_Alignas(struct nlmsghdr) char buf[AHEAD_PART];
	struct ahead *ahead = NULL;
	int ret = 0;

	for (size_t i = 0; !ret && !answer->is_done && !answer->is_interrupted; i++) {
		const void *part = buf;
		ssize_t len;

		if (i == FEW_PARTS)
			ahead = ahead_start(nl);
		len = ahead ? ahead_next(ahead, &part) : mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (len >= 0) {
			answer_take(answer, part, (size_t)len);
		} else if (ahead && errno == EAGAIN) {
			ahead_end(ahead);
			ahead = NULL;
		} else if (errno != EINTR) {
			ret = smc_err_set(dump->err, errno == EAGAIN ? ETIMEDOUT : errno,
					  "cannot receive the list of sockets");
		}
	}
	ahead_end(ahead);
	return ret ? ret : conclude(dump, answer);
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

static void set_options(struct mnl_socket *nl)
{
	const struct timeval limit = { .tv_sec = RECV_TIMEOUT_SECONDS };
	int fd = mnl_socket_get_fd(nl), on = 1, rcvbuf = SOCKET_RCVBUF;

	/* Both options are optional: old kernels lack them and still answer. */
	mnl_socket_setsockopt(nl, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

static int ask(struct dump *dump, struct answer *answer, int bus, const void *req, size_t len)
{
	struct mnl_socket *nl = mnl_socket_open2(bus, SOCK_CLOEXEC);
	struct smc_err *err = dump->err;
	int ret;

	if (!nl)
		return smc_err_set(err, errno, "cannot open a netlink socket");
	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0) {
		ret = smc_err_set(err, errno, "cannot bind a netlink socket");
		goto out;
	}
	set_options(nl);
	*answer = (struct answer){ .seq = (uint32_t)time(NULL),
				   .fn = on_message,
				   .arg = dump,
				   .port = mnl_socket_get_portid(nl) };
	ret = send_request(nl, answer->seq, dump->type, req, len);
	if (ret)
		smc_err_set(err, -ret, "cannot ask the kernel for its sockets");
	else
		ret = receive(nl, dump, answer);
out:
	mnl_socket_close(nl);
	return ret;
}

int smc_diag_dump(const void *req, size_t len, size_t body, smc_diag_fn fn, void *arg,
		  struct smc_err *err)
{
	struct dump dump = { .type = SOCK_DIAG_BY_FAMILY,
			     .answer = SOCK_DIAG_BY_FAMILY,
			     .fn = fn,
			     .arg = arg,
			     .err = err,
			     .is_recorded = record_dir() };
	char name[32];
	struct replay_request request = { .name = name, .bytes = req, .len = len, .body = body };
	struct answer answer = { .seq = 0 };
	int ret;

	if (err)
		err->code = 0;
	snprintf(name, sizeof(name), "sock_diag/%u", *(const unsigned char *)req);
	if (record_root())
		return replay(&request, fn, arg, err);
	ret = ask(&dump, &answer, NETLINK_SOCK_DIAG, req, len);
	if (dump.is_recorded && !answer.is_ended)
		replay_keep(&dump.tape, &request, ret, err);
	free(dump.tape.bytes);
	return ret;
}

int smc_rdma_dump(uint8_t command, const void *req, size_t len, smc_diag_fn fn, void *arg)
{
	const uint16_t type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
	struct dump dump = { type, type, fn, arg };
	struct answer answer;

	return ask(&dump, &answer, NETLINK_RDMA, req, len);
}

int smc_xfrm_dump(smc_diag_fn fn, void *arg)
{
	const struct xfrm_userpolicy_id all = { .index = 0 };
	struct dump dump = { XFRM_MSG_GETPOLICY, XFRM_MSG_NEWPOLICY, fn, arg };
	struct answer answer;

	return ask(&dump, &answer, NETLINK_XFRM, &all, sizeof(all));
}

static int on_table(const struct nlmsghdr *nlh, void *arg)
{
	const char **name = arg;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct nfgenmsg))
		if (*name && mnl_attr_get_type(attr) == NFTA_TABLE_NAME &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0 &&
		    !strcmp(mnl_attr_get_str(attr), *name))
			*name = NULL;
	return 0;
}

int smc_nft_has_table(const char *name)
{
	const struct nfgenmsg inet = { .nfgen_family = NFPROTO_INET };
	struct dump dump = { .type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETTABLE,
			     .answer = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE,
			     .fn = on_table,
			     .arg = &name };
	struct answer answer;
	int ret = -EINTR;

	for (int tries = 0; ret == -EINTR && tries < 10; tries++)
		ret = ask(&dump, &answer, NETLINK_NETFILTER, &inet, sizeof(inet));
	return ret ? ret : !name;
}
