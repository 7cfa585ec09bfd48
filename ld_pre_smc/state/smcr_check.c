// SPDX-License-Identifier: MIT
/* Check whether a connection may use SMC-R. */
#include "ld_pre_smc/state/smcr_check.h"

#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/fd_query.h"

/* Minimum number of calls between two queries: a process that closes few sockets makes none. */
#define ROUND 16

static atomic_uint calls, asked_at;

/* The last answer, and its time as shim_seconds() + 1. */
static atomic_bool has_some;
static atomic_uint answered_at;

/* The query is not permitted, so do not repeat it. */
static atomic_bool is_refused;

#define DEVICES RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET)

enum answer { NO_ANSWER, SOME, NONE };

/* Dump the devices; the first message is sufficient: nldev_get_dumpit() in ib_core. */
static enum answer ask(int fd)
{
	const struct nlmsghdr request = {
		.nlmsg_len = sizeof(request),
		.nlmsg_type = DEVICES,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
	};
	struct nlmsghdr first = { 0 };

	/* An answer that does not fit is truncated. */
	if (syscall(SYS_sendto, fd, &request, sizeof(request), 0, NULL, 0) < 0 ||
	    syscall(SYS_recvfrom, fd, &first, sizeof(first), MSG_DONTWAIT, NULL, NULL) < 0)
		return NO_ANSWER;
	if (first.nlmsg_type == NLMSG_DONE)
		return NONE;
	return first.nlmsg_type == DEVICES ? SOME : NO_ANSWER;
}

/* Signal handlers must not run while the socket exists. */
static enum answer open_and_ask(void)
{
	enum answer answer = NO_ANSWER;
	struct shim_signals old;
	int fd;

	if (!shim_signals_block(&old))
		return answer;
	fd = (int)syscall(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (fd >= 0) {
		answer = ask(fd);
		shim_close(fd);
	}
	shim_signals_restore(&old);
	return answer;
}

bool shim_may_be_rdma(bool is_certain)
{
	unsigned int now = shim_seconds() + 1, seen = answered_at, call = ++calls;
	enum answer answer;
	AUTO_ERRNO();

	if (is_refused)
		return true;
	if (seen && now - seen <= 1)
		return has_some;
	if (!is_certain && call - asked_at < ROUND)
		return true;
	asked_at = call;
	answer = open_and_ask();
	has_some = answer != NONE;
	answered_at = answer == NO_ANSWER ? 0 : now;
	is_refused = answer == NO_ANSWER && errno != EMFILE && errno != ENFILE;
	return answer != NONE;
}
