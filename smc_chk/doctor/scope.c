// SPDX-License-Identifier: MIT
/* Doctor: which devices count, with an interface asked for or without. */
#include <string.h>

#include "smc_chk/doctor/checks.h"

bool doctor_is_in_scope(const struct doctor *doc, const struct pnet_row *row)
{
	const struct choice *choice;

	if (!doc->req->iface)
		return true;
	choice = choice_of(&doc->facts->choices, doc->req->iface);
	if (!choice)
		return false;
	if (row->type == PNET_NET)
		return row == choice->net || !strcmp(row->name, choice->net->net->base);
	return row == choice->port || row == choice->ism_v1 || row == choice->ism_v2 ||
	       (*row->pnetid && !strcmp(row->pnetid, choice->net->pnetid)) ||
	       (row->ib_port && !strcmp(row->ib_port->netdev, choice->net->net->base));
}

enum doctor_level doctor_unusable_level(const struct doctor *doc)
{
	return choice_is_any_usable(&doc->facts->choices, doc->req->iface) ? DOCTOR_WARNING :
									     DOCTOR_PROBLEM;
}
