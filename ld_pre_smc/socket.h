/* SPDX-License-Identifier: MIT */
/* socket(2). */
#ifndef SHIM_SOCKET_H
#define SHIM_SOCKET_H

#pragma GCC visibility push(hidden)

/** shim_socket_reset() - the next socket() looks at everything again */
void shim_socket_reset(void);

#pragma GCC visibility pop

#endif
