/* SPDX-License-Identifier: MIT */
/* Choose SMC or TCP for a socket by SMC_INCLUDE, SMC_EXCLUDE and learned destinations. */
#pragma once

#include <sys/socket.h>

#include "ld_pre_smc/state/fd.h"

#pragma GCC visibility push(hidden)

/**
 * shim_choose_connect() - before connect(2): replace a socket that must use TCP by a TCP socket
 *
 * The kernel has no address yet, so nothing is done twice. Rules also apply with SMC_STRICT and
 * SMC_RAW, as they are explicit. Sockets in use are unchanged. @addr can be read. Preserves errno.
 */
void shim_choose_connect(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len);

/* Before bind(2): a socket with a port is going to listen; without one, listen(2) decides. */
void shim_rules_bind(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len);

/* Before listen(2). */
void shim_rules_listen(struct shim_fd *fd);

#pragma GCC visibility pop
