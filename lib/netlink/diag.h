/* SPDX-License-Identifier: MIT */
/*
 * Dumps of sock_diag and of RDMA devices. With lib/netlink/genl the only code that opens a netlink
 * socket.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "base/err.h"

/** typedef smc_diag_fn - takes a message of a dump. Return: 0; -errno ends it with that result */
typedef int (*smc_diag_fn)(const struct nlmsghdr *nlh, void *arg);

/**
 * smc_diag_dump() - ask for all sockets of a family and hand each answer to a function
 * @req: body of the request, @len bytes, of which the first is the address family
 * @body: of each answer, bytes before its attributes
 * @err: what happened, in words; the kernel's own text where it gives one
 *
 * No privilege is needed. The sockets are those of the network namespace that the calling thread is
 * in (sock_diag(7)). Answers to somebody else's request are ignored.
 *
 * Return: 0; -EINTR when the table changed during the dump (@fn has seen an inconsistent one: begin
 * again); -ENOENT when no module serves the family; another -errno of the kernel, in NLMSG_ERROR or
 * inside NLMSG_DONE; @fn's own.
 */
int smc_diag_dump(const void *req, size_t len, size_t body, smc_diag_fn fn, void *arg,
		  struct smc_err *err);

/**
 * smc_rdma_dump() - the same of RDMA devices or ports; not recorded: see host_probe()
 * @command: RDMA_NLDEV_CMD_GET or RDMA_NLDEV_CMD_PORT_GET (<rdma/rdma_netlink.h>)
 * @req: attributes, @len bytes of them; may be NULL for none
 */
int smc_rdma_dump(uint8_t command, const void *req, size_t len, smc_diag_fn fn, void *arg);

/**
 * smc_xfrm_dump() - the same of IPsec policies: needs CAP_NET_ADMIN, is not recorded
 *
 * Return: as above; -EPROTONOSUPPORT when this kernel has no IPsec.
 */
int smc_xfrm_dump(smc_diag_fn fn, void *arg);

/**
 * smc_nft_has_table() - is there a table of nftables, family inet, with this name?
 *
 * Needs CAP_NET_ADMIN, is not recorded. Return: 1, 0; -EOPNOTSUPP when this kernel has no nftables
 * (module nfnetlink or nf_tables); another -errno.
 */
int smc_nft_has_table(const char *name);
