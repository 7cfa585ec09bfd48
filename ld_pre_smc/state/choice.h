/* SPDX-License-Identifier: MIT */
/* SMC or TCP: SMC_INCLUDE and SMC_EXCLUDE, and what was learned, applied to sockets. */
#pragma once

#include <sys/socket.h>

#pragma GCC visibility push(hidden)

/**
 * shim_choose_connect() - before connect(2): a socket that is to use TCP becomes one of TCP
 *
 * The kernel knows no address yet, so nothing is done twice. Rules also count with SMC_STRICT and
 * SMC_RAW: they were asked for. Sockets in use stay as they are. Leaves errno as it was.
 */
void shim_choose_connect(int fd, const struct sockaddr *addr, socklen_t len);

/* Before bind(2): with a port, the socket will listen; without one, listen(2) decides. */
void shim_rules_bind(int fd, const struct sockaddr *addr, socklen_t len);

/* Before listen(2). */
void shim_rules_listen(int fd);

#pragma GCC visibility pop
