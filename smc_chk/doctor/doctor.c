// SPDX-License-Identifier: MIT
/* The doctor: collects the facts, runs the checks, prints what they found. */
#include "smc_chk/doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "smc_chk/doctor/checks.h"

/* ---- which devices count ---- */

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

void doctor_each(struct doctor *doc, void (*check)(struct doctor *doc, const struct pnet_row *row))
{
	const struct pnet_rows *rows = &doc->facts->choices.facts.rows;

	for (size_t i = 0; i < rows->count; i++)
		if (doctor_is_in_scope(doc, &rows->rows[i]))
			check(doc, &rows->rows[i]);
}

/* ---- all checks ---- */

/* A host without SMC is not told to look after its devices. */
static void soften(struct doctor *doc, size_t first)
{
	for (size_t i = first; i < doc->n_findings; i++) {
		if (doc->findings[i].level > DOCTOR_NOTE)
			doc->findings[i].level = DOCTOR_NOTE;
		doc->findings[i].remedy[0] = '\0';
	}
}

static void run_checks(struct doctor *doc)
{
	static void (*const checks[])(struct doctor * doc) = {
		doctor_shim, doctor_rdma,   doctor_ism,	   doctor_pnet,	   doctor_eid,
		doctor_net,  doctor_sysctl, doctor_memory, doctor_traffic, doctor_exposure,
	};
	size_t first;

	doctor_kernel(doc);
	first = doc->n_findings;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](doc);
	if (!doc->facts->has_smc)
		soften(doc, first);
}

static bool is_about_devices(const struct doctor_finding *finding)
{
	static const char words[] = "kernel module netlink soft-roce rdma ism pnetid vlan address";

	return doctor_has_word(words, finding->check);
}

void doctor_why(const struct doctor_facts *facts, const char *iface, struct doctor_finding *why)
{
	const struct chk_request req = { .iface = iface };
	struct doctor doc = { .req = &req, .facts = facts };
	const struct doctor_finding *worst = NULL, *at;

	run_checks(&doc);
	for (size_t i = 0; i < doc.n_findings; i++) {
		at = &doc.findings[i];
		if (at->level != DOCTOR_OK && is_about_devices(at) &&
		    (!worst || at->level > worst->level ||
		     (at->level == worst->level && !*worst->remedy && *at->remedy)))
			worst = at;
	}
	*why = worst ? *worst : (struct doctor_finding){ .level = DOCTOR_OK };
	free(doc.findings);
}

/* Return: chk_status; -errno with @err. */
static int examine(struct doctor_facts *facts, const struct chk_request *req, struct smc_err *err)
{
	struct doctor doc = { .req = req, .facts = facts };
	int ret;

	if (req->is_static && facts->unread.code)
		*err = facts->unread;
	if (req->is_static)
		return facts->unread.code ? -err->code : static_print(facts, req);
	if (req->iface && !netdev_find(&facts->netdevs, req->iface))
		return smc_err_say(err, ENODEV, "no net device '%s'", req->iface);
	facts_load_rest(facts);
	run_checks(&doc);
	ret = doctor_print(&doc);
	free(doc.findings);
	return ret;
}

int chk_doctor(const struct chk_request *req)
{
	return facts_use(req, examine);
}
