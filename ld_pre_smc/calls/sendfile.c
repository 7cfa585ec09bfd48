// SPDX-License-Identifier: MIT
/* sendfile(2) into SMC sockets. */
#include <sys/types.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/unsent_data.h"

/* @pos points to a long, or to 64 bits; it is passed on to the kernel. */
static ssize_t send_file(enum shim_fn fn, int out, int in, void *pos, size_t len)
{
	ssize_t (*next)(int, int, void *, size_t) = (__typeof__(next))shim_next(fn);
	ssize_t ret = next(out, in, pos, len);
	int null;

	if (ret > 0 && (size_t)ret < len && shim_unsent_is_ours(out) &&
	    shim_mends(out, REPAIR_SENDFILE))
		shim_push(out);
	null = ret < 0 ? shim_instead_of(out) : -1;
	if (null < 0)
		return ret;
	ret = next(null, in, pos, len);
	shim_close(null);
	return ret;
}

/*
 * sendfile() - sendfile(2) that sends everything if the file ends before @len
 *
 * TCP learns about the end of the file by splice_eof() of struct proto_ops (Linux 6.5).
 *
 * Headers may redirect sendfile() to sendfile64(). They differ on 32-bit machines.
 * Return: like sendfile(2).
 */
#define SENDFILE(name, fn)                                                                         \
	ssize_t shim_##name(int out, int in, void *pos, size_t len) __asm__(#name);                \
	ssize_t shim_##name(int out, int in, void *pos, size_t len)                                \
	{                                                                                          \
		return send_file(fn, out, in, pos, len);                                           \
	}
SENDFILE(sendfile, SHIM_SENDFILE)
SENDFILE(sendfile64, SHIM_SENDFILE64)
