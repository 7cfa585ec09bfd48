/* SPDX-License-Identifier: MIT */
/* Where the page of --html goes. */
#pragma once

#include "smc_chk/smc_chk.h"

/**
 * html_save() - run a command that prints a page, and put that into the file @req->html
 *
 * A process of its own runs it, as it may give up the right to write files. A new file is private;
 * a regular one is replaced in one step and keeps its mode. Unless the page is complete, nothing
 * changes. "-" is standard output.
 *
 * Return: chk_status of @fn, or of an error that was printed.
 */
int html_save(const struct chk_request *req, int (*fn)(const struct chk_request *req));
