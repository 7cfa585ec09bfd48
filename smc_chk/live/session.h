/* SPDX-License-Identifier: MIT */
/* The server's side of one connection. */
#ifndef SMC_CHK_SESSION_H
#define SMC_CHK_SESSION_H

#include <stdint.h>

#define SESSION_BUFFER_SIZE 65536

/** struct session - @fd: a blocking socket */
struct session {
	int fd;
	uint8_t buf[SESSION_BUFFER_SIZE];
};

/** session_run() - greet, and answer until the client goes, or is idle too long */
void session_run(struct session *session);

/** session_close() - close when the client has taken everything, or takes no more */
void session_close(const struct session *session);

#endif
