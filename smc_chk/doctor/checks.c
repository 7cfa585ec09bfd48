// SPDX-License-Identifier: MIT
/* The checks of the doctor. */
#include "smc_chk/doctor/findings.h"

#include "base/array.h"
#include "base/words.h"

void doctor_check(struct doctor *doc)
{
	static void (*const checks[])(struct doctor * doc) = {
		doctor_shim, doctor_rdma,   doctor_ism,	    doctor_pnet,     doctor_eid,
		doctor_net,  doctor_sysctl, doctor_traffic, doctor_services,
	};
	size_t first;

	doctor_kernel(doc);
	first = doc->n_findings;
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		checks[i](doc);
	/* Without SMC on the host, problems of its devices are notes, for people one line. */
	if (!doc->facts->has_smc && doc->req->width && !doc->req->is_verbose) {
		doctor_note(doc, "devices", NULL,
			    "%zu checks do not matter without SMC (smc_chk doctor -v)",
			    doc->n_findings - first);
		doc->findings[first] = doc->findings[--doc->n_findings];
		doc->n_findings = first + 1;
	}
	for (size_t i = first; i < doc->n_findings && !doc->facts->has_smc; i++) {
		if (doc->findings[i].level > DOCTOR_NOTE)
			doc->findings[i].level = DOCTOR_NOTE;
		doc->findings[i].remedy[0] = '\0';
	}
}

void doctor_why(const struct doctor_facts *facts, const char *iface, struct doctor_finding *why)
{
	static const char about[] = "kernel module netlink soft-roce rdma ism pnetid vlan address";
	const struct chk_request req = { .iface = iface };
	struct doctor doc = { .req = &req, .facts = facts };
	const struct doctor_finding *worst = NULL;

	doctor_check(&doc);
	for_each(at, doc.findings, doc.n_findings)
		if (at->level != DOCTOR_OK && words_have(about, at->check) &&
		    (!worst || at->level > worst->level ||
		     (at->level == worst->level && !*worst->remedy && *at->remedy)))
			worst = at;
	*why = worst ? *worst : (struct doctor_finding){ .level = DOCTOR_OK };
	free(doc.findings);
}
