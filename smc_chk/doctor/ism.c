// SPDX-License-Identifier: MIT
/* Doctor: devices for SMC-D: ISM of IBM Z, loopback. */
#include <stdio.h>
#include <string.h>

#include "smc/abi.h"
#include "smc_chk/doctor/checks.h"

#define CHECK "ism"

static void check_ism(struct doctor *doc, const struct pnet_row *row)
{
	if (!row->ism || row->ism->chid == SMC_ABI_CHID_LOOPBACK)
		return;
	if (!doc->facts->isms[row->ism - doc->facts->rdma.isms].has_driver)
		doctor_say(doc, doctor_unusable_level(doc), CHECK, row->name, "modprobe ism",
			   "ISM device without a driver");
	else if (*row->pnetid)
		doctor_ok(doc, CHECK, row->name, "ISM device, PNET ID %s%s", row->pnetid,
			  doc->facts->info.is_ism_v2 ? ", SMC-Dv1 and SMC-Dv2" : "");
	else if (doc->facts->info.is_ism_v2)
		doctor_ok(doc, CHECK, row->name, "ISM device without PNET ID: SMC-Dv2 only");
	else
		doctor_say(doc, doctor_unusable_level(doc), CHECK, row->name,
			   "set a PNET ID in the IOCDS, or smc_pnet -a PNETID -D DEVICE",
			   "ISM device without PNET ID: SMC-Dv1 cannot use it");
}

/* A slot without power hides what is in it: an ISM device or anything else. */
static void check_slots(struct doctor *doc)
{
	const struct host_names *slots = &doc->facts->slots;

	for (size_t i = 0; i < slots->count; i++)
		doctor_say(doc, DOCTOR_NOTE, CHECK, slots->names[i],
			   doctor_command(doc, "smc_rnics -e ", slots->names[i], ""),
			   "PCI function without power: an ISM or RoCE device may be behind it");
}

void doctor_ism(struct doctor *doc)
{
	const struct rdma_table *rdma = &doc->facts->rdma;
	bool has_ism = false;

	for (size_t i = 0; i < rdma->n_isms; i++)
		has_ism |= rdma->isms[i].chid != SMC_ABI_CHID_LOOPBACK;
	doctor_each(doc, check_ism);
	if (doc->facts->choices.facts.has_loopback)
		doctor_ok(doc, CHECK, "loopback",
			  "SMC-D between sockets of this host, if there is an EID");
	else if (!has_ism)
		doctor_note(doc, CHECK, NULL,
			    "no ISM device (IBM Z has them) and no loopback, so no SMC-D");
	if (!doc->req->iface)
		check_slots(doc);
}
