/* SPDX-License-Identifier: MIT */
/* The server's side of one connection. */
#ifndef SMC_CHK_SESSION_H
#define SMC_CHK_SESSION_H

/**
 * session_serve() - greet, and answer until the client goes, or is idle too long; then close when
 *	it has taken everything, or takes no more
 * @fd: a blocking socket
 */
void session_serve(int fd);

#endif
