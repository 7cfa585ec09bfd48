// SPDX-License-Identifier: MIT
/* Doctor: PNET IDs: useless entries, the result for each net device; and EIDs. */
#include <stdarg.h>
#include <sys/socket.h>

#include "smc_chk/doctor/findings.h"

#define CHECK "pnetid"

/*
 * Command to remove one entry, and to add another one. The kernel deletes whole PNET IDs, so the
 * other entries are added again.
 */
static const char *replacement(struct doctor *doc, const struct smc_pnet *entry,
			       const struct smc_pnet *better)
{
	struct out_text text = { 0 };
	bool is_typable;

	out_str(&text, "smc_pnet -d ");
	is_typable = out_shell_word(&text, entry->name);
	for_each(other, doc->facts->pnet.entries, doc->facts->pnet.count) {
		if (other == entry || strcmp(other->name, entry->name))
			continue;
		out_str(&text, "; ");
		is_typable &= pnet_command(&text, other);
	}
	if (better) {
		out_str(&text, "; ");
		is_typable &= pnet_command(&text, better);
	}
	return doctor_take(doc, &text, is_typable);
}

static const char *removal(struct doctor *doc, const struct smc_pnet *entry)
{
	return replacement(doc, entry, NULL);
}

static bool is_port_of(const struct pnet_row *row, const char *netdev)
{
	return row->ib_port && !strcmp(row->ib_port->netdev, netdev);
}

/* Suggestion of smc_pnet --suggest for the RDMA port of a net device; NULL for none. */
static const char *suggested(struct doctor *doc, const char *netdev)
{
	const struct pnet_world world = { doc->facts->netdevs, doc->facts->rdma };
	struct smc_pnet_table entries AUTO(smc_pnet_free) = { 0 };
	const struct pnet_rows *rows = &doc->facts->choices.rows;
	struct out_text text = { 0 };

	pnet_suggest_make(&entries, &doc->facts->pnet, &world);
	for_each(entry, entries.entries, entries.count)
		for_each(row, rows->rows, rows->count)
			if (is_port_of(row, netdev) && row->port == entry->port &&
			    !strcmp(row->name, entry->ib))
				return doctor_take(doc, &text, pnet_command(&text, entry));
	return NULL;
}

static void check_absent(struct doctor *doc, const struct pnet_row *row)
{
	const struct choices *choices = &doc->facts->choices;
	const char *remedy = removal(doc, row->entry);
	int level = DOCTOR_WARNING;

	/* A net device with the same PNET ID and no RDMA port needs the absent device. */
	for_each(choice, choices->all, choices->count)
		if (!strcmp(choice->net->pnetid, row->pnetid) && !choice->port)
			level = doctor_unusable_level(doc);
	if (row->type == PNET_NET)
		doctor_say(doc, level, CHECK, row->name, remedy,
			   "PNET ID %s waits for a net device that does not exist", row->pnetid);
	else
		doctor_say(doc, level, CHECK, row->name, remedy,
			   "PNET ID %s waits for port %u of an RDMA device that does not exist",
			   row->pnetid, row->port);
}

static void check_upper(struct doctor *doc, const struct pnet_row *row)
{
	const struct choice *base = choice_of(&doc->facts->choices, row->net->base);
	struct smc_pnet better = { .has = SMC_PNET_HAS_NET };
	const char *remedy;

	memcpy(better.name, row->entry->name, sizeof(better.name));
	memcpy(better.eth, row->net->base, sizeof(better.eth));
	remedy = replacement(doc, row->entry, base && !*base->net->pnetid ? &better : NULL);
	if (row->source == PNET_FROM_BASE)
		doctor_say(doc, DOCTOR_WARNING, CHECK, row->name, remedy,
			   "its PNET ID %s has no effect: SMC uses %s of %s, its lower device",
			   row->entry->name, row->pnetid, row->net->base);
	else
		doctor_say(doc, DOCTOR_WARNING, CHECK, row->name, remedy,
			   "PNET ID %s belongs on %s, its lower device: SMC looks there first, and "
			   "older kernels look only there",
			   row->pnetid, row->net->base);
}

/* The kernel knows a device by its own name and by that of its PCI function. */
static void check_twice(struct doctor *doc, const struct pnet_row *row)
{
	const char *bus_id = row->ib ? row->ib->bus_id : row->ism->bus_id;

	for_each(other, doc->facts->pnet.entries, doc->facts->pnet.count) {
		if (other == row->entry || !(other->has & SMC_PNET_HAS_IB) ||
		    (row->ib && other->port != row->port) ||
		    (strcmp(other->ib, row->name) && (!*bus_id || strcmp(other->ib, bus_id))))
			continue;
		doctor_say(doc, DOCTOR_WARNING, CHECK, row->name, removal(doc, other),
			   "has two entries, PNET ID %s as %s and %s as %s: one is enough",
			   row->entry->name, row->entry->ib, other->name, other->ib);
	}
}

static void check_entry(struct doctor *doc, const struct pnet_row *row)
{
	bool has_loopback = doc->facts->choices.has_loopback;

	if (row->type == PNET_ISM && choice_is_loopback(row))
		doctor_say(doc, has_loopback ? doctor_unusable_level(doc) : DOCTOR_WARNING, CHECK,
			   row->name, removal(doc, row->entry),
			   "loopback with a PNET ID (%s) is not used", row->pnetid);
	else if (!row->net && !row->ib && !row->ism)
		check_absent(doc, row);
	else if (row->source == PNET_FROM_HARDWARE)
		doctor_say(doc, DOCTOR_WARNING, CHECK, row->name, removal(doc, row->entry),
			   "its PNET ID %s has no effect: the hardware has %s", row->entry->name,
			   row->pnetid);
	else if (row->net && strcmp(row->net->base, row->name))
		check_upper(doc, row);
	if (row->ib || row->ism)
		check_twice(doc, row);
}

/* A port and its own net device are in the same network, so they need the same PNET ID. */
static void check_pair(struct doctor *doc, const struct pnet_row *port)
{
	const struct choice *net = choice_of(&doc->facts->choices, port->ib_port->netdev);
	const struct smc_pnet *entry;
	const char *remedy = NULL;
	struct smc_pnet better;

	if (!net || !*port->pnetid || !*net->net->pnetid || !strcmp(port->pnetid, net->net->pnetid))
		return;
	entry = net->net->entry ? net->net->entry : port->entry;
	if (entry) {
		better = *entry;
		memcpy(better.name, entry == port->entry ? net->net->pnetid : port->pnetid,
		       sizeof(better.name));
		remedy = replacement(doc, entry, &better);
	}
	doctor_say(doc, doctor_unusable_level(doc), CHECK, net->net->name, remedy,
		   "has PNET ID %s, but port %u of %s, its RDMA device, has %s", net->net->pnetid,
		   port->port, port->name, port->pnetid);
}

/* A PNET ID that a user gave to a net device, but to no port and no ISM device. */
static void check_lonely(struct doctor *doc, const struct choice *choice)
{
	const struct pnet_rows *rows = &doc->facts->choices.rows;
	const char *remedy;

	if (!choice->net->entry || choice->net->source != PNET_FROM_TABLE ||
	    strcmp(choice->net->net->base, choice->net->name))
		return;
	for_each(row, rows->rows, rows->count) {
		bool is_partner = !row->net && strcmp(row->name, choice->net->name) &&
				  !strcmp(row->pnetid, choice->net->pnetid);

		/* check_pair() reports ports with another PNET ID. */
		if (is_partner || (*row->pnetid && is_port_of(row, choice->net->name)))
			return;
	}
	remedy = suggested(doc, choice->net->name);
	doctor_say(doc, doctor_unusable_level(doc), CHECK, choice->net->name,
		   remedy ? remedy : removal(doc, choice->net->entry),
		   "has PNET ID %s, but no RDMA port and no ISM device has it, so none is used",
		   choice->net->pnetid);
}

static void __attribute__((format(printf, 2, 3)))
append(struct out_text *text, const char *fmt, ...)
{
	va_list ap;

	if (text->len)
		out_str(text, ", ");
	va_start(ap, fmt);
	out_vprintf(text, fmt, ap);
	va_end(ap);
}

/* Words around the name of the port: why SMC-R cannot use it. */
static const char *const unusable[][2] = {
	[UNUSABLE_NO_EID] = { " without an EID: ", " has version 2 only" },
	[UNUSABLE_NO_SUBNET] = { ": its IPv4 addresses are in no subnet of ", "" },
	[UNUSABLE_NO_VLAN] = { ": ", " has no GID of its VLAN" },
	[UNUSABLE_NO_GID] = { ": ", " has no GID for it" },
	[UNUSABLE_PORT_DOWN] = { ": ", " is down" },
	[UNUSABLE_V2_ONLY] = { ": ", " has RoCE v2 only" },
	[UNUSABLE_HANGS] = { ": ", " is soft-RoCE, which hangs on this kernel" },
	[UNUSABLE_NOT_ROCE] = { ": ", " is not RoCE" },
};

static void append_port(struct out_text *text, const struct choice *choice, bool has_eid)
{
	const char *both = choice->gid_v2 && has_eid ? "v1 and v2" : "v1";
	const char *const *words = unusable[choice->smcr];

	if (choice->smcr == USABLE)
		append(text, "SMC-R%s over %s port %u", choice->gid_v1 ? both : "v2",
		       choice->port->name, choice->port->port);
	else
		append(text, "no SMC-R%s%s port %u%s", words[0], choice->port->name,
		       choice->port->port, words[1]);
}

static void say_choice(struct doctor *doc, const struct choice *choice)
{
	static const char *const sources[] = { "", " from the table", " from the hardware",
					       " of the lower device" };
	bool is_any = choice->smcr == USABLE || choice->smcd == USABLE;
	bool has_eid = choice_has_eid(&doc->facts->choices);
	const char *no = has_eid ? "" : "no ", *why = has_eid ? "" : " without an EID";
	struct out_text text AUTO(out_free) = { 0 };

	if (choice->port)
		append_port(&text, choice, has_eid);
	if (choice->ism_v1)
		append(&text, "SMC-Dv1 over ISM device %s", choice->ism_v1->name);
	if (choice->ism_v2)
		append(&text, "%sSMC-Dv2 over ISM device %s%s", no, choice->ism_v2->name, why);
	if (choice->is_loopback)
		append(&text, "%sSMC-Dv2 within this host%s", no, why);
	if (!text.len)
		append(&text, "neither an RDMA port nor an ISM device for it");
	if (*choice->net->pnetid)
		out_printf(&text, "; PNET ID %s%s", choice->net->pnetid,
			   sources[choice->net->source]);
	else
		out_str(&text, "; no PNET ID");
	doctor_say(doc, is_any ? DOCTOR_OK : DOCTOR_NOTE, CHECK, choice->net->name, NULL, "%.*s",
		   (int)text.len, text.data);
}

/* Report a net device whose RDMA port, found by PNET ID, has no GID in the net device's network. */
static void check_address(struct doctor *doc, const struct choice *choice)
{
	const struct netaddr_table *addrs = &doc->facts->choices.addrs;
	const struct pnet_row *port = choice->port;
	bool is_vlan = choice->smcr == UNUSABLE_NO_VLAN;

	if ((choice->smcr != UNUSABLE_NO_SUBNET && !is_vlan) || !*choice->net->pnetid ||
	    !addrs->is_known || !netaddr_has(addrs, choice->net->name, AF_INET))
		return;
	if (is_vlan) {
		doctor_say(doc, doctor_unusable_level(doc), "vlan", choice->net->name,
			   "add the same VLAN to the RDMA port's net device",
			   "no GID of %s port %u (%s), which has the same PNET ID, is in its VLAN",
			   port->name, port->port, port->ib_port->netdev);
		return;
	}
	doctor_say(doc, doctor_unusable_level(doc), "address", choice->net->name,
		   "give the RDMA port's net device an address in the same subnet",
		   "has no address in a subnet of %s port %u (%s), which has the same PNET ID",
		   port->name, port->port, port->ib_port->netdev);
}

/* Net devices without SMC are reported in one line: there may be hundreds. */
static void say_choices(struct doctor *doc)
{
	const char *iface = doc->req->iface;
	struct out_text rest AUTO(out_free) = { 0 };
	size_t more = 0;

	for_each(choice, doc->facts->choices.all, doc->facts->choices.count) {
		bool is_bare = !choice->port && choice->smcd == UNUSABLE_NO_DEVICE &&
			       !*choice->net->pnetid;

		if (!doctor_is_in_scope(doc, choice->net))
			continue;
		if (!is_bare || (iface && !strcmp(iface, choice->net->name)))
			say_choice(doc, choice);
		else if (rest.len < 160)
			append(&rest, "%s", choice->net->name);
		else
			more++;
		check_address(doc, choice);
		check_lonely(doc, choice);
	}
	if (more)
		append(&rest, "and %zu more", more);
	if (rest.len)
		doctor_note(doc, CHECK, NULL, "neither an RDMA port nor an ISM device for %.*s",
			    (int)rest.len, rest.data);
}

static void check_row(struct doctor *doc, const struct pnet_row *row)
{
	if (row->entry)
		check_entry(doc, row);
	if (row->ib_port)
		check_pair(doc, row);
}

void doctor_pnet(struct doctor *doc)
{
	say_choices(doc);
	doctor_each(doc, check_row);
}

/* ---- EIDs: the names by which systems agree on SMC version 2 ---- */

void doctor_eid(struct doctor *doc)
{
	const struct choices *facts = &doc->facts->choices;
	char names[CHOICE_UEIDS_SIZE];
	bool waits = false;

	for_each(choice, facts->all, facts->count)
		waits |= (choice->smcr == UNUSABLE_NO_EID || choice->smcd == UNUSABLE_NO_EID) &&
			 (!doc->req->iface || !strcmp(doc->req->iface, choice->net->name));
	if (!facts->is_eid_known)
		return;
	if (facts->seid.has_eid && facts->seid.is_enabled)
		doctor_ok(doc, "eid", NULL, "system EID %s", facts->seid.eid);
	else if (facts->seid.has_eid)
		doctor_say(doc, DOCTOR_NOTE, "eid", NULL, "smcd seid enable",
			   "system EID %s is disabled", facts->seid.eid);
	if (!facts->n_ueids && facts->seid.has_eid && facts->seid.is_enabled)
		return;
	if (!facts->n_ueids)
		doctor_say(doc, waits ? doctor_unusable_level(doc) : DOCTOR_NOTE, "eid", NULL,
			   "smcd ueid add NAME, the same name on all systems", "no user EID: %s",
			   waits ? "soft-RoCE, loopback and devices that have only version 2 are "
				   "not used" :
				   "peers beyond this subnet or machine need one");
	else
		doctor_ok(doc, "eid", NULL, "user EID%s %s%s", facts->n_ueids == 1 ? "" : "s",
			  choice_ueids(names, facts),
			  facts->n_ueids == SMC_MAX_UEIDS ? ": the kernel takes no more" : "");
}
