/* SPDX-License-Identifier: MIT */
/* --html: commands whose result is a page, see chk_command's page. */
#pragma once

#include "out/text.h"
#include "smc_chk/doctor/facts.h"
#include "smc_chk/smc_chk.h"

int html_doctor(const struct chk_request *req);
int html_matrix(const struct chk_request *req);

/* ---- sections of a host's page ---- */

/** html_sockets() - append all SMC sockets and their state */
int html_sockets(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err);

/** html_devices() - append the devices as pictures, one for each PNET ID, and as a table */
int html_devices(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err);

/* ---- where the page goes ---- */

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
