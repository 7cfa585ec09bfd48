/* SPDX-License-Identifier: MIT */
/* The options of smc_chk, and what of them goes together. */
#ifndef SMC_CHK_OPTIONS_H
#define SMC_CHK_OPTIONS_H

#include "smc_chk/smc_chk.h"

#define CHK_OPT_DOCTOR CLI_LONG_ONLY

/**
 * chk_parse() - read the command line. Pure
 * @req: all zero before
 *
 * Return: -1 to go on; or the exit status: after a message, or after --help or --version.
 */
int chk_parse(struct chk_request *req, int argc, char **argv);

#endif
