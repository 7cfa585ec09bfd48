// SPDX-License-Identifier: MIT
/* sock_diag's messages about the end of TCP sockets, over libmnl. */
#include "netlink/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <libmnl/libmnl.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "netlink/answer.h"

#define GROUP(number) (1U << ((number)-1))
#define RECV_SIZE 32768
/* Some ten thousand ends between two reads; users without rights get net.core.rmem_max. */
#define ENDS_RCVBUF (16 * 1024 * 1024)
/* At a time: whoever reads has other things to do, even if ends come faster than they are read. */
#define MESSAGES_MAX 65536

struct smc_diag_ends {
	struct mnl_socket *nl;
};

static int refuse(struct smc_diag_ends *ends, int code, const char *what, struct smc_err *err)
{
	smc_diag_ends_close(ends);
	return smc_err_set(err, code, "cannot %s", what);
}

int smc_diag_ends_open(struct smc_diag_ends **result, struct smc_err *err)
{
	struct smc_diag_ends *ends = xcalloc(1, sizeof(*ends));
	int rcvbuf = ENDS_RCVBUF;

	ends->nl = mnl_socket_open2(NETLINK_SOCK_DIAG, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!ends->nl)
		return refuse(ends, errno, "open a netlink socket", err);
	if (mnl_socket_bind(ends->nl,
			    GROUP(SKNLGRP_INET_TCP_DESTROY) | GROUP(SKNLGRP_INET6_TCP_DESTROY),
			    MNL_SOCKET_AUTOPID) < 0)
		return refuse(ends, errno, "listen to the ends of TCP sockets", err);
	if (setsockopt(smc_diag_ends_fd(ends), SOL_SOCKET, SO_RCVBUFFORCE, &rcvbuf, sizeof(rcvbuf)))
		setsockopt(smc_diag_ends_fd(ends), SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	*result = ends;
	return 0;
}

int smc_diag_ends_fd(const struct smc_diag_ends *ends)
{
	return mnl_socket_get_fd(ends->nl);
}

/* Messages of the kernel, which has port 0, only. */
static int hand_over(const void *buf, size_t len, smc_diag_fn fn, void *arg)
{
	const struct nlmsghdr *nlh = buf;
	int left = (int)len, ret = 0;

	for (; !ret && answer_has_message(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		if (nlh->nlmsg_type == SOCK_DIAG_BY_FAMILY && !nlh->nlmsg_pid)
			ret = fn(nlh, arg);
	return ret;
}

int smc_diag_ends_read(struct smc_diag_ends *ends, smc_diag_fn fn, void *arg, bool *lost,
		       struct smc_err *err)
{
	_Alignas(struct nlmsghdr) char buf[RECV_SIZE];
	int ret = 0;

	for (int i = 0; !ret && i < MESSAGES_MAX; i++) {
		ssize_t len = mnl_socket_recvfrom(ends->nl, buf, sizeof(buf));

		if (len >= 0)
			ret = hand_over(buf, (size_t)len, fn, arg);
		else if (errno == EAGAIN)
			break;
		else if (errno == ENOBUFS)
			*lost = true;
		else if (errno != EINTR)
			ret = smc_err_set(err, errno, "cannot read the ends of TCP sockets");
	}
	return ret;
}

void smc_diag_ends_close(struct smc_diag_ends *ends)
{
	if (ends && ends->nl)
		mnl_socket_close(ends->nl);
	free(ends);
}
