/* SPDX-License-Identifier: MIT */
/* The doctor, and the static analysis beside it: facts of a host in, text or JSON out. */
#pragma once

#include "smc_chk/smc_chk.h"

/** chk_doctor() - --doctor, and the static analysis of -s, or one error. Return: chk_status */
int chk_doctor(const struct chk_request *req);

struct doctor_facts;
struct doctor_finding;

/** static_print() - what SMC could use on each net device, or one error. Return: chk_status */
int static_print(const struct doctor_facts *facts, const struct chk_request *req);

/**
 * doctor_why() - why SMC has nothing for a net device, or nothing at all
 * @facts: after facts_load_rest()
 * @iface: NULL for the host
 * @why: receives the worst finding about kernel and devices; DOCTOR_OK if there is none
 */
void doctor_why(const struct doctor_facts *facts, const char *iface, struct doctor_finding *why);
