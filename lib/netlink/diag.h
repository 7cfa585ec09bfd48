/* SPDX-License-Identifier: MIT */
/* Dumps of sockets, RDMA devices, IPsec policies and nftables. Only diag and genl use netlink. */
#pragma once

#include <linux/netlink.h>

#include "base/err.h"

/** typedef smc_diag_fn - takes a message of a dump. Return: 0; -errno stops with that result */
typedef int (*smc_diag_fn)(const struct nlmsghdr *nlh, void *arg);

/**
 * smc_diag_dump() - dump all sockets of a family and pass each message to a function
 * @req: body of the request, @len bytes; the first byte is the address family
 * @body: size of a message's fixed part, before the attributes
 * @err: gets a sentence, with the kernel's own text if there is one
 *
 * No privilege is needed. The sockets are those of the calling thread's network namespace
 * (sock_diag(7)). Answers to other requests are ignored.
 *
 * Return: 0; -EINTR when the table changed during the dump (@fn saw an inconsistent one: start
 * again); -ENOENT when no module serves the family; another -errno of the kernel, in NLMSG_ERROR or
 * inside NLMSG_DONE; the result of @fn.
 */
int smc_diag_dump(const void *req, size_t len, size_t body, smc_diag_fn fn, void *arg,
		  struct smc_err *err);

/**
 * smc_rdma_dump() - dump RDMA devices or ports; not recorded: see host_probe()
 * @command: RDMA_NLDEV_CMD_GET or RDMA_NLDEV_CMD_PORT_GET (<rdma/rdma_netlink.h>)
 * @req: attributes, @len bytes; NULL for none
 */
int smc_rdma_dump(uint8_t command, const void *req, size_t len, smc_diag_fn fn, void *arg);

/**
 * smc_xfrm_dump() - dump IPsec policies; needs CAP_NET_ADMIN, is not recorded
 *
 * Return: like smc_diag_dump(); -EPROTONOSUPPORT when this kernel has no IPsec.
 */
int smc_xfrm_dump(smc_diag_fn fn, void *arg);

/**
 * smc_nft_has_table() - true if nftables has a table of family inet with this name
 *
 * Needs CAP_NET_ADMIN, is not recorded. Return: 1, 0; -EPROTONOSUPPORT when this kernel has no
 * module nfnetlink, -EINVAL when it has no nf_tables; another -errno.
 */
int smc_nft_has_table(const char *name);
