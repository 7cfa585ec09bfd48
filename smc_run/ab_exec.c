// SPDX-License-Identifier: MIT
/* --ab in smc_run: another program does it, as smc_run needs nothing but libc. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "smc_run/ab/ab.h"
#include "sys/library.h"

#define HELPER "smc_ab"

/* @argv: is in @ab->all, too. */
int ab_run(const struct request *req, const struct ab_options *ab, char **argv)
{
	const char *helper = SMC_LIBEXECDIR "/" HELPER;
	char path[PATH_MAX];

	(void)argv;
	if (self_find(HELPER, X_OK, path) || self_staged(SMC_LIBEXECDIR "/" HELPER, X_OK, path))
		helper = path;
	execv(helper, ab->all);
	return cli_error(req->tool, "cannot run '%s': %s", helper, strerror(errno));
}
