// SPDX-License-Identifier: MIT
/* Doctor: EIDs, the names by which systems agree on SMC version 2. */
#include <stdio.h>
#include <string.h>

#include "smc_chk/doctor/findings.h"

#define CHECK "eid"

/* Does a device wait for an EID, of those that count? */
static bool is_waiting(const struct doctor *doc)
{
	for (size_t i = 0; i < doc->facts->choices.count; i++) {
		const struct choice *choice = &doc->facts->choices.all[i];

		if ((choice->smcr == UNUSABLE_NO_EID || choice->smcd == UNUSABLE_NO_EID) &&
		    (!doc->req->iface || !strcmp(doc->req->iface, choice->net->name)))
			return true;
	}
	return false;
}

static void check_none(struct doctor *doc)
{
	bool waits = is_waiting(doc);

	doctor_say(doc, waits ? doctor_unusable_level(doc) : DOCTOR_NOTE, CHECK, NULL,
		   "smcd ueid add NAME, the same name on all systems", "no user EID: %s",
		   waits ? "soft-RoCE, loopback and devices that have only version 2 are not used" :
			   "peers beyond this subnet or machine need one");
}

void doctor_eid(struct doctor *doc)
{
	const struct choice_facts *facts = &doc->facts->choices.facts;
	char names[SMC_MAX_UEIDS * (SMC_EID_SIZE + 2)] = "";
	size_t len = 0;

	if (!facts->is_eid_known)
		return;
	if (facts->seid.has_eid && facts->seid.is_enabled)
		doctor_ok(doc, CHECK, NULL, "system EID %s", facts->seid.eid);
	else if (facts->seid.has_eid)
		doctor_say(doc, DOCTOR_NOTE, CHECK, NULL, "smcd seid enable",
			   "system EID %s is disabled", facts->seid.eid);
	if (!facts->n_ueids) {
		if (!facts->seid.has_eid || !facts->seid.is_enabled)
			check_none(doc);
		return;
	}
	for (size_t i = 0; i < facts->n_ueids; i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
					facts->ueids[i]);
	doctor_ok(doc, CHECK, NULL, "user EID%s %s%s", facts->n_ueids == 1 ? "" : "s", names,
		  facts->n_ueids == SMC_MAX_UEIDS ? ": the kernel takes no more" : "");
}
