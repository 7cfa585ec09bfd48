// SPDX-License-Identifier: MIT
/* Static analysis: devices that SMC could use for each net device that is up. */
#include "smc_chk/doctor/findings.h"

#include <sys/socket.h>

#include "cli/screen.h"
#include "host/smc.h"
#include "smc_chk/smc_chk.h"

/* Function id of IBM Z, 0 for none. */
static unsigned long fid_of(const struct doctor_facts *facts, const struct choice_mode *mode)
{
	const struct pnet_row *device = mode->gid ? NULL : mode->device;

	return device ? facts->isms[device->ism - facts->rdma.isms].fid : 0;
}

/* Scope of connections: any address for version 2 with a device, the subnet for version 1. */
static const char *reach(const struct choice_mode *modes, size_t count)
{
	const char *far = NULL;

	for (size_t i = 0; i < count; i++) {
		if (modes[i].version == 2 && modes[i].device)
			return "any";
		if (modes[i].version == 1)
			far = "own";
		else if (!far)
			far = "this host";
	}
	return far ? far : "none";
}

/* Return: false for an address whose subnet is not routed. */
static bool subnet_of(char text[NETADDR_TEXT_SIZE], const struct netaddr *addr, const char *netdev)
{
	if (strcmp(addr->netdev, netdev) ||
	    (addr->family == AF_INET6 && addr->bytes[0] == 0xfe && addr->bytes[1] == 0x80))
		return false;
	netaddr_text(text, addr, true);
	return true;
}

static const char *seid_of(const struct choices *facts)
{
	return facts->seid.has_eid && facts->seid.is_enabled ? facts->seid.eid : NULL;
}

static void append_mode(struct out_text *text, const struct doctor_facts *facts,
			const struct choice_mode *mode)
{
	unsigned long fid = fid_of(facts, mode);

	out_printf(text, "%sv%u (", mode->name, mode->version);
	if (mode->is_loopback)
		out_str(text, "loopback");
	else if (fid)
		out_printf(text, "ISMv%u FID %lx", mode->version, fid);
	else
		out_escaped(text, mode->device->name, RDMA_NAME_SIZE);
	if (mode->gid)
		out_printf(text, " port %u", mode->device->port);
	out_char(text, ')');
}

static void append_subnets(struct out_text *text, const struct doctor_facts *facts,
			   const struct choice *choice, const struct choice_mode *modes,
			   size_t count)
{
	const struct netaddr_table *addrs = &facts->choices.addrs;
	const char *far = reach(modes, count), *comma = "";
	char subnet[NETADDR_TEXT_SIZE];

	if (strcmp(far, "own")) {
		out_str(text, far);
		return;
	}
	for (size_t i = 0; i < addrs->count; i++) {
		if (!subnet_of(subnet, &addrs->addrs[i], choice->net->name))
			continue;
		out_printf(text, "%s%s", comma, subnet);
		comma = ", ";
	}
	if (!*comma)
		out_str(text, addrs->is_known ? "none" : SMC_PNET_NONE);
}

static void append_eids(struct out_text *text, const struct choices *facts)
{
	const char *none = facts->is_eid_known ? "none" : SMC_PNET_NONE;
	char names[CHOICE_UEIDS_SIZE];

	out_str(text, "  Advertising SEID:   ");
	if (seid_of(facts))
		out_escaped(text, seid_of(facts), SMC_EID_SIZE);
	else
		out_str(text, none);
	out_str(text, "\n  Advertising UEIDs:  ");
	out_escaped(text, facts->n_ueids ? choice_ueids(names, facts) : none, sizeof(names));
}

static void append_choice(struct out_text *text, const struct doctor_facts *facts,
			  const struct choice *choice)
{
	struct choice_mode modes[CHOICE_MAX_MODES];
	size_t count = choice_modes(modes, &facts->choices, choice, false);

	out_escaped(text, choice->net->name, NETDEV_NAME_SIZE);
	out_str(text, "\n  Configuration:      ");
	for (size_t i = 0; i < count; i++) {
		out_str(text, i ? ", " : "");
		append_mode(text, facts, &modes[i]);
	}
	out_printf(text, "%s\n  PNET ID:            ", count ? "" : "not configured");
	if (*choice->net->pnetid)
		out_escaped(text, choice->net->pnetid, PNETID_SIZE);
	else
		out_str(text, facts->has_pnet ? "none" : SMC_PNET_NONE);
	/* A star marks software, as in smc_rnics. */
	if (*choice->net->pnetid && !pnet_row_is_hardware(choice->net, &facts->netdevs))
		out_char(text, '*');
	out_char(text, '\n');
	append_eids(text, &facts->choices);
	out_str(text, "\n  Reachable subnets:  ");
	append_subnets(text, facts, choice, modes, count);
	out_char(text, '\n');
}

static json_t *json_subnets(const struct doctor_facts *facts, const struct choice *choice)
{
	const struct netaddr_table *addrs = &facts->choices.addrs;
	json_t *array = addrs->is_known ? json_array() : NULL;
	char subnet[NETADDR_TEXT_SIZE];

	for (size_t i = 0; array && i < addrs->count; i++)
		if (subnet_of(subnet, &addrs->addrs[i], choice->net->name))
			json_array_append_new(array, json_string(subnet));
	return array;
}

static json_t *json_mode(const struct doctor_facts *facts, const struct choice_mode *mode)
{
	json_t *device = mode->device ? chk_json_optional(mode->device->name) : NULL;
	json_t *port = mode->gid ? json_integer(mode->device->port) : NULL;
	json_t *gid = mode->gid ? chk_json_optional(mode->gid->gid) : NULL;
	unsigned long fid = fid_of(facts, mode);

	return json_pack("{s:s, s:i, s:o*, s:o*, s:o*, s:o*, s:b}", "mode", mode->name, "version",
			 mode->version, "device", device, "port", port, "fid",
			 fid ? json_sprintf("%lx", fid) : NULL, "gid", gid, "is_loopback",
			 mode->is_loopback);
}

static json_t *json_choice(const struct doctor_facts *facts, const struct choice *choice)
{
	struct choice_mode modes[CHOICE_MAX_MODES];
	size_t count = choice_modes(modes, &facts->choices, choice, true), usable = 0;
	json_t *configuration = json_array(), *waiting = json_array();
	const char *source = NULL;

	for (size_t i = 0; i < count; i++) {
		json_array_append_new(modes[i].is_waiting ? waiting : configuration,
				      json_mode(facts, &modes[i]));
		if (!modes[i].is_waiting)
			modes[usable++] = modes[i];
	}
	if (*choice->net->pnetid)
		source = pnet_row_is_hardware(choice->net, &facts->netdevs) ? "hardware" : "table";
	return json_pack("{s:o, s:o, s:o, s:o*, s:s*, s:s, s:o*}", "net_device",
			 chk_json_optional(choice->net->name), "configuration", configuration,
			 "without_eid", waiting, "pnetid", chk_json_optional(choice->net->pnetid),
			 "pnetid_source", source, "reach", reach(modes, usable), "own_subnets",
			 json_subnets(facts, choice));
}

/* Print devices per net device, or one error. Return: chk_status. */
static int print(const struct doctor_facts *facts, const struct chk_request *req)
{
	const struct choices *choices = &facts->choices;
	const char *iface = req->iface;
	struct out_text text = { 0 };
	json_t *array = NULL, *ueids = NULL;
	int status;

	if (iface && !choice_of(choices, iface))
		return cli_error(&chk_tool, "no net device '%s'", iface);
	if (req->is_json) {
		array = json_array();
		ueids = choices->is_eid_known ? json_array() : NULL;
	}
	for (size_t i = 0; ueids && i < choices->n_ueids; i++)
		json_array_append_new(ueids, chk_json_optional(choices->ueids[i]));
	for_each(choice, choices->all, choices->count) {
		if (iface ? strcmp(iface, choice->net->name) != 0 :
			    facts_of_net(facts, choice->net->net)->is_off)
			continue;
		if (array) {
			json_array_append_new(array, json_choice(facts, choice));
			continue;
		}
		out_str(&text, text.len ? "\n" : "");
		append_choice(&text, facts, choice);
	}
	status = !array ? chk_print(&text, req->width, 22) :
			  chk_print_json(json_pack("{s:s, s:o, s:o*, s:o*}", "schema",
						   "smc-tools/static/1", "net_devices", array,
						   "seid", chk_json_optional(seid_of(choices)),
						   "ueids", ueids));
	if (status != CHK_OK)
		return status;
	if (!facts->has_smc) {
		cli_none("smc_chk: this kernel has no SMC" SMC_ASK);
		return CHK_UNTESTED;
	}
	return choice_is_any_usable(choices, iface) ? CHK_OK : CHK_ERROR;
}

int chk_static(const struct chk_request *req)
{
	struct doctor_facts facts AUTO(facts_free);
	struct smc_err err = { 0 };
	int ret = facts_load(&facts, req, &err);

	if (!ret && facts.unread.code) {
		err = facts.unread;
		ret = -err.code;
	}
	return ret ? cli_error(&chk_tool, "%s", err.text) : print(&facts, req);
}
