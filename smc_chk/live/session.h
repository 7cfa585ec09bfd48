/* SPDX-License-Identifier: MIT */
/* The server's side of one connection. */
#pragma once

/**
 * session_serve() - greet, and answer until the client goes, or is idle too long; then close when
 *	it has taken everything, or takes no more
 * @fd: a blocking socket
 */
void session_serve(int fd);
