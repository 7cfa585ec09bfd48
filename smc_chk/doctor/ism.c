// SPDX-License-Identifier: MIT
/* Doctor: devices for SMC-D: ISM of IBM Z, loopback. */
#include <stdio.h>
#include <string.h>

#include "host/file.h"
#include "smc/abi.h"
#include "smc_chk/doctor/doctor.h"

#define CHECK "ism"

static void check_ism(struct doctor *doc, const struct pnet_row *row)
{
	char driver[32];

	if (row->ism->chid == SMC_ABI_CHID_LOOPBACK)
		return;
	if (!strcmp(row->ism->bus, "pci") &&
	    !host_link(driver, sizeof(driver), "%s/bus/pci/devices/%s/driver", doc->sys,
			row->ism->bus_id))
		doctor_say(doc, use_lack(doc), CHECK, row->name, "modprobe ism",
			   "ISM device without a driver");
	else if (*row->pnetid)
		doctor_say(doc, DOCTOR_OK, CHECK, row->name, NULL, "ISM device, PNET ID %s%s",
			   row->pnetid, doc->info.is_ism_v2 ? ", SMC-Dv1 and SMC-Dv2" : "");
	else if (doc->info.is_ism_v2)
		doctor_say(doc, DOCTOR_OK, CHECK, row->name, NULL,
			   "ISM device without PNET ID: SMC-Dv2 only");
	else
		doctor_say(doc, use_lack(doc), CHECK, row->name,
			   "set a PNET ID in the IOCDS, or smc_pnet -a PNETID -D DEVICE",
			   "ISM device without PNET ID: SMC-Dv1 cannot use it");
}

/* A slot without power hides what is in it: an ISM device or anything else. */
static void check_slots(struct doctor *doc)
{
	struct host_names names;
	char remedy[DOCTOR_WORD_SIZE + 32], word[DOCTOR_WORD_SIZE];

	if (host_list(&names, "%s/bus/pci/slots", doc->sys))
		return;
	for (size_t i = 0; i < names.count; i++) {
		unsigned long power;

		/* The slots of IBM Z are named by the function, in eight digits. */
		if (strlen(names.names[i]) != 8 ||
		    !host_number(&power, "%s/bus/pci/slots/%s/power", doc->sys, names.names[i]) ||
		    power)
			continue;
		snprintf(remedy, sizeof(remedy), "smc_rnics -e %s",
			 doctor_word(word, names.names[i]));
		doctor_say(doc, DOCTOR_NOTE, CHECK, names.names[i], remedy,
			   "PCI function without power: an ISM or RoCE device may be behind it");
	}
	host_names_free(&names);
}

void doctor_ism(struct doctor *doc)
{
	const struct pnet_rows *rows = &doc->uses.facts.rows;
	bool has_ism = false;

	for (size_t i = 0; i < rows->count; i++) {
		has_ism |= rows->rows[i].ism && rows->rows[i].ism->chid != SMC_ABI_CHID_LOOPBACK;
		if (rows->rows[i].ism && use_in_scope(doc, &rows->rows[i]))
			check_ism(doc, &rows->rows[i]);
	}
	if (doc->uses.facts.has_loopback)
		doctor_say(doc, DOCTOR_OK, CHECK, "loopback", NULL,
			   "SMC-D between sockets of this host, given an EID");
	else if (!has_ism)
		doctor_say(doc, DOCTOR_NOTE, CHECK, NULL, NULL,
			   "no ISM device (IBM Z has them) and no loopback, so no SMC-D");
	if (!doc->req->iface)
		check_slots(doc);
}
