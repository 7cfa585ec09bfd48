// SPDX-License-Identifier: MIT
/* The doctor: collect facts, run checks, print findings; as JSON, also facts for smc_setup. */
#include "smc_chk/doctor/findings.h"

#include <sys/socket.h>

#include "base/array.h"
#include "base/words.h"
#include "smc/abi.h"

/* Each explanation runs all checks. */
#define EXPLAINED_MAX 64

static void check_all(struct doctor *doc)
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
	/* Without SMC, device problems are notes; text has them on one line. */
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

/* The worst finding about kernel and devices, for one or all net devices; DOCTOR_OK for none. */
static struct doctor_finding find_why(const struct doctor_facts *facts, const char *iface)
{
	static const char about[] = "kernel module netlink soft-roce rdma ism pnetid vlan address";
	const struct chk_request req = { .iface = iface };
	struct doctor doc = { .req = &req, .facts = facts };
	struct doctor_finding why = { .level = DOCTOR_OK };

	check_all(&doc);
	for_each(at, doc.findings, doc.n_findings)
		if (at->level != DOCTOR_OK && words_have(about, at->check) &&
		    (at->level > why.level ||
		     (at->level == why.level && !*why.remedy && *at->remedy)))
			why = *at;
	free(doc.findings);
	return why;
}

/* ---- facts ---- */

static bool is_reachable(const struct netaddr *addr)
{
	if (addr->family == AF_INET)
		return addr->bytes[0] != IN_LOOPBACKNET && addr->bytes[0];
	return !IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)addr->bytes) &&
	       !IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)addr->bytes);
}

static json_t *json_addresses(const struct doctor_facts *facts, const char *netdev)
{
	const struct netaddr_table *addrs = &facts->choices.addrs;
	char text[NETADDR_TEXT_SIZE];
	json_t *array = json_array();

	for_each(addr, addrs->addrs, addrs->count)
		if (!strcmp(addr->netdev, netdev) && is_reachable(addr)) {
			netaddr_text(text, addr, false);
			json_array_append_new(array, json_string(text));
		}
	return array;
}

/* Find out why a net device has no SMC-R, or with NULL, why the host has no SMC. */
static void add_why(json_t *json, const struct doctor_facts *facts, const char *iface)
{
	struct doctor_finding why = find_why(facts, iface);

	if (why.level == DOCTOR_OK)
		return;
	json_object_set_new(json, "why",
			    json_sprintf("%s%s%s", why.object, *why.object ? ": " : "", why.text));
	if (*why.remedy)
		json_object_set_new(json, "remedy", json_string(why.remedy));
}

/* Return: NULL for a net device that no other host can reach. */
static json_t *json_net(const struct doctor_facts *facts, const struct choice *choice,
			bool is_explained)
{
	bool is_smcr = choice->smcr == USABLE || choice->smcr == UNUSABLE_NO_EID;
	const char *name = choice->net->name;
	json_t *addrs = json_addresses(facts, name), *json;

	if (!json_array_size(addrs) || facts_of_net(facts, choice->net->net)->is_off) {
		json_decref(addrs);
		return NULL;
	}
	json = json_pack("{s:o, s:o, s:b, s:b, s:o*}", "net_device", out_json_str(name),
			 "addresses", addrs, "smcr_v1", is_smcr && choice->gid_v1, "smcr_v2",
			 is_smcr && choice->gid_v2, "smcd_v1_chid",
			 choice->ism_v1 ? json_integer(choice->ism_v1->ism->chid) : NULL);
	if (!is_smcr && facts->has_smc && is_explained)
		add_why(json, facts, name);
	return json;
}

static void add_nets(json_t *json, const struct doctor_facts *facts)
{
	json_t *nets = json_array(), *net;
	bool has_loopback = false;

	for_each(choice, facts->choices.all, facts->choices.count) {
		has_loopback |= choice->is_loopback;
		net = json_net(facts, choice, json_array_size(nets) < EXPLAINED_MAX);
		if (net)
			json_array_append_new(nets, net);
	}
	json_object_set_new(json, "net_devices", nets);
	json_object_set_new(json, "smcd_loopback", json_boolean(has_loopback));
}

static void add_isms(json_t *json, const struct doctor_facts *facts)
{
	json_t *chids = json_array();
	const struct pnet_row *row;
	bool has_ism = false;
	size_t at = 0;

	for_each(ism, facts->rdma.isms, facts->rdma.n_isms)
		has_ism |= ism->chid != SMC_ABI_CHID_LOOPBACK;
	while ((row = choice_ism_v2_next(&facts->choices, &at)))
		json_array_append_new(chids, json_integer(row->ism->chid));
	json_object_set_new(json, "has_ism", json_boolean(has_ism));
	json_object_set_new(json, "smcd_v2_chids", chids);
}

static void add_eids(json_t *json, const struct choices *choices)
{
	json_t *ueids = json_array();

	for (size_t i = 0; i < choices->n_ueids; i++)
		json_array_append_new(ueids, out_json_str(choices->ueids[i]));
	if (choices->is_eid_known)
		json_object_set(json, "ueids", ueids);
	json_decref(ueids);
	if (choices->seid.has_eid) {
		json_object_set_new(json, "seid", out_json_str(choices->seid.eid));
		json_object_set_new(json, "seid_enabled", json_boolean(choices->seid.is_enabled));
	}
}

/* Facts that decide how other hosts can connect; NULL if some are unread. */
static json_t *json_facts(const struct doctor_facts *facts)
{
	long long cookies = 0, links = 0;
	json_t *json;

	if (facts->unread.code)
		return NULL;
	knob_number(&cookies, facts, "net.ipv4.tcp_syncookies");
	knob_number(&links, facts, "net.smc.smcr_max_links_per_lgr");
	json = json_pack("{s:o, s:o*, s:b, s:i, s:b, s:b, s:I, s:o*}", "kernel",
			 out_json_str(facts->release), "boot_id", chk_json_optional(facts->boot),
			 "has_smc", facts->has_smc, "release", (int)facts->info.release,
			 "limits_handshakes", facts->is_limited, "shows_loopback_pnetid",
			 !facts->is_inner, "tcp_syncookies", (json_int_t)cookies, "max_links",
			 links ? json_integer(links) : NULL);
	if (!facts->has_smc)
		add_why(json, facts, NULL);
	add_eids(json, &facts->choices);
	add_isms(json, facts);
	add_nets(json, facts);
	return json;
}

int chk_doctor(const struct chk_request *req)
{
	struct doctor_facts facts AUTO(facts_free);
	struct doctor doc = { .req = req, .facts = &facts };
	struct smc_err err = { 0 };
	int status = facts_load(&facts, req, &err);

	if (!status && req->iface && !netdev_find(&facts.netdevs, req->iface))
		status = smc_err_say(&err, ENODEV, "no net device '%s'", req->iface);
	if (status)
		cli_note(&chk_tool, "%s", err.text);
	if (status)
		return req->is_monitor ? DOCTOR_UNKNOWN : CHK_ERROR;
	facts_load_rest(&facts);
	check_all(&doc);
	status = doctor_print(&doc, req->is_json ? json_facts(&facts) : NULL);
	free(doc.findings);
	return status;
}
