/* SPDX-License-Identifier: MIT */
/* Sections of a host's page. */
#pragma once

#include "out/text.h"
#include "smc_chk/doctor/facts.h"

/** html_sockets() - append all SMC sockets and their state. Return: 0, -errno with @err */
int html_sockets(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err);

/**
 * html_devices() - append the devices as pictures, one for each PNET ID, and as a table
 *
 * Return: 0, -errno with @err.
 */
int html_devices(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err);
