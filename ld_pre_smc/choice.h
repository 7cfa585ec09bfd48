/* SPDX-License-Identifier: MIT */
/* SMC_INCLUDE and SMC_EXCLUDE at work. */
#ifndef SHIM_CHOICE_H
#define SHIM_CHOICE_H

#include "ld_pre_smc/config.h"
#include "ld_pre_smc/rules.h"

#pragma GCC visibility push(hidden)

/**
 * shim_choice_check() - see whether the two lists can be understood
 *
 * Sets @ruled, and the bits of @junk, of the configuration that is being read.
 */
void shim_choice_check(struct shim_config *cfg);

/**
 * shim_choose_connect() - before connect(2): a socket that the rules keep from SMC becomes a TCP socket
 *
 * Before the kernel knows an address, so nothing is done twice. Also with SMC_STRICT and SMC_RAW: the
 * rules were asked for. Sockets in use stay as they are. Leaves errno as it was.
 */
void shim_choose_connect(int fd, const struct sockaddr *addr, socklen_t len);

/* Before bind(2): a port says that the socket will listen, without one listen(2) decides. */
void shim_choose_bind(int fd, const struct sockaddr *addr, socklen_t len);

/* Before listen(2). */
void shim_choose_listen(int fd);

#pragma GCC visibility pop

#endif
