/* SPDX-License-Identifier: MIT */
/* The server's side of one connection. */
#pragma once

/**
 * session_serve() - greet, and answer until the client goes or its time is over; then close when
 *	it has taken everything, or takes no more
 * @fd: a non-blocking socket
 *
 * Its time: ten seconds to the end of its first request, a minute without any progress, ten
 * minutes in all.
 */
void session_serve(int fd);

/**
 * session_refuse() - tell a client that the server is busy, and close when it has taken that, after
 *	a second at most
 * @fd: a non-blocking socket
 */
void session_refuse(int fd);
