// SPDX-License-Identifier: MIT
/* fclose(3), which writes before it closes. */
#include <errno.h>
#include <stdio.h>

#include "ld_pre_smc/calls/close.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/unsent_data.h"

/** fclose() - fclose(3), like close() */
int fclose(FILE *file)
{
	int saved = errno, fd = fileno(file), ret;
	/* Flush SMC sockets only: on a file, fflush() would move the offset. */
	int failed = shim_unsent_is_ours(fd) && fflush(file) ? errno : 0;
	struct shim_signals signals = shim_close_begin(fd);

	/* Some libcs repeat a write that has failed, and signals must be able to end it. */
	if (failed)
		shim_signals_restore(&signals);
	errno = saved;
	ret = ((int (*)(FILE *))shim_next(SHIM_FCLOSE))(file);
	if (!failed)
		shim_signals_restore(&signals);
	if (ret || !failed)
		return ret;
	/* fclose() no longer knows that a write has failed. */
	errno = failed;
	return EOF;
}
