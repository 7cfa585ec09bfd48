// SPDX-License-Identifier: MIT
/* Static analysis: what SMC could use on each net device that is switched on. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <net/if.h>
#include <sys/socket.h>

#include "host/file.h"
#include "smc_chk/doctor/doctor.h"
#include "smc_chk/print.h"

#define MAX_MODES 5

/**
 * struct mode - one way that SMC proposes
 * @device: RDMA or ISM device, NULL for loopback
 * @port: of an RDMA device, 0 for none
 * @fid: function id of IBM Z, 0 for none
 * @gid: of an RDMA port, NULL for none
 */
struct mode {
	char family;
	unsigned int version;
	const char *device;
	unsigned int port;
	unsigned long fid;
	const char *gid;
};

/* ---- what there is ---- */

static unsigned long fid_of(const struct doctor *doc, const struct pnet_row *row)
{
	unsigned long fid = 0;

	host_number(&fid, "%s/bus/pci/devices/%s/function_id", doc->sys, row->ism->bus_id);
	return fid;
}

static size_t find_modes(struct mode modes[MAX_MODES], const struct doctor *doc,
			 const struct use *use)
{
	bool is_r = use->r_gap == USE_FITS, is_v2 = use_has_eid(&doc->uses.facts);
	size_t count = 0;

	if (use->ism_v1)
		modes[count++] = (struct mode){ 'D', 1, use->ism_v1->name, 0,
						fid_of(doc, use->ism_v1), NULL };
	if (is_v2 && use->ism_v2)
		modes[count++] = (struct mode){ 'D', 2, use->ism_v2->name, 0,
						fid_of(doc, use->ism_v2), NULL };
	if (is_v2 && use->is_loopback)
		modes[count++] = (struct mode){ .family = 'D', .version = 2 };
	if (is_r && use->v1)
		modes[count++] = (struct mode){ 'R', 1, use->port->name, use->port->port, 0,
						use->v1->gid };
	if (is_r && use->v2 && is_v2)
		modes[count++] = (struct mode){ 'R', 2, use->port->name, use->port->port, 0,
						use->v2->gid };
	return count;
}

/* How far connections reach: version 2 with a device goes anywhere, version 1 stays in the subnet. */
static const char *reach(const struct mode *modes, size_t count)
{
	const char *far = NULL;

	for (size_t i = 0; i < count; i++) {
		if (modes[i].version == 2 && modes[i].device)
			return "any";
		far = modes[i].version == 1 ? "own" : far ? far : "this host";
	}
	return far ? far : "none";
}

/* Return: false for an address whose subnet nobody routes to. */
static bool subnet_of(char text[NETADDR_TEXT_SIZE], const struct netaddr *addr, const char *netdev)
{
	if (strcmp(addr->netdev, netdev) ||
	    (addr->family == AF_INET6 && addr->bytes[0] == 0xfe && addr->bytes[1] == 0x80))
		return false;
	netaddr_text(text, addr, true);
	return true;
}

/* ---- text ---- */

static void append_mode(struct out_text *text, const struct mode *mode)
{
	char words[RDMA_NAME_SIZE + 48];

	if (!mode->device)
		snprintf(words, sizeof(words), "SMC-%cv%u (loopback)", mode->family, mode->version);
	else if (mode->port)
		snprintf(words, sizeof(words), "SMC-%cv%u (%s port %u)", mode->family,
			 mode->version, mode->device, mode->port);
	else if (mode->fid)
		snprintf(words, sizeof(words), "SMC-%cv%u (ISMv%u FID %lx)", mode->family,
			 mode->version, mode->version, mode->fid);
	else
		snprintf(words, sizeof(words), "SMC-%cv%u (%s)", mode->family, mode->version,
			 mode->device);
	out_escaped(text, words, sizeof(words));
}

static void append_subnets(struct out_text *text, const struct doctor *doc, const struct use *use,
			   const struct mode *modes, size_t count)
{
	const struct netaddr_table *addrs = &doc->uses.facts.addrs;
	const char *far = reach(modes, count), *comma = "";
	char subnet[NETADDR_TEXT_SIZE];

	if (strcmp(far, "own")) {
		out_str(text, far);
		return;
	}
	for (size_t i = 0; i < addrs->count; i++) {
		if (!subnet_of(subnet, &addrs->addrs[i], use->net->name))
			continue;
		out_str(text, comma);
		out_str(text, subnet);
		comma = ", ";
	}
	if (!*comma)
		out_str(text, addrs->is_known ? "none" : SMC_PNET_NONE);
}

static void append_eids(struct out_text *text, const struct use_facts *facts)
{
	const char *none = facts->is_eid_known ? "none" : SMC_PNET_NONE;

	out_str(text, "  Advertising SEID:   ");
	if (facts->seid.has_eid && facts->seid.is_enabled)
		out_escaped(text, facts->seid.eid, sizeof(facts->seid.eid));
	else
		out_str(text, none);
	out_str(text, "\n  Advertising UEIDs:  ");
	for (size_t i = 0; i < facts->n_ueids; i++) {
		out_str(text, i ? ", " : "");
		out_escaped(text, facts->ueids[i], sizeof(facts->ueids[i]));
	}
	out_str(text, facts->n_ueids ? "" : none);
}

static void append_use(struct out_text *text, const struct doctor *doc, const struct use *use)
{
	struct mode modes[MAX_MODES];
	size_t count = find_modes(modes, doc, use);

	out_escaped(text, use->net->name, NETDEV_NAME_SIZE);
	out_str(text, "\n  Configuration:      ");
	for (size_t i = 0; i < count; i++) {
		out_str(text, i ? ", " : "");
		append_mode(text, &modes[i]);
	}
	out_str(text, count ? "\n  PNET ID:            " : "not configured\n  PNET ID:            ");
	if (*use->net->pnetid)
		out_escaped(text, use->net->pnetid, PNETID_SIZE);
	else
		out_str(text, doc->has_pnet ? "none" : SMC_PNET_NONE);
	/* A star stands for software, as in smc_rnics. */
	if (*use->net->pnetid && !pnet_row_is_hardware(use->net, &doc->netdevs))
		out_char(text, '*');
	out_char(text, '\n');
	append_eids(text, &doc->uses.facts);
	out_str(text, "\n  Reachable subnets:  ");
	append_subnets(text, doc, use, modes, count);
	out_char(text, '\n');
}

/* ---- JSON ---- */

static json_t *string(const char *text)
{
	return text && *text ? out_json_string(text, strlen(text)) : NULL;
}

static json_t *json_modes(const struct mode *modes, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		char family[] = { 'S', 'M', 'C', '-', modes[i].family, '\0' }, fid[20] = "";

		if (modes[i].fid)
			snprintf(fid, sizeof(fid), "%lx", modes[i].fid);
		json_array_append_new(array, json_pack(
			"{s:s, s:i, s:o*, s:o*, s:o*, s:o*, s:b}", "mode", family, "version",
			(int)modes[i].version, "device", string(modes[i].device), "port",
			modes[i].port ? json_integer(modes[i].port) : NULL, "fid", string(fid),
			"gid", string(modes[i].gid), "is_loopback", !modes[i].device));
	}
	return array;
}

static json_t *json_subnets(const struct doctor *doc, const struct use *use)
{
	const struct netaddr_table *addrs = &doc->uses.facts.addrs;
	json_t *array = addrs->is_known ? json_array() : NULL;
	char subnet[NETADDR_TEXT_SIZE];

	for (size_t i = 0; array && i < addrs->count; i++)
		if (subnet_of(subnet, &addrs->addrs[i], use->net->name))
			json_array_append_new(array, json_string(subnet));
	return array;
}

static json_t *json_use(const struct doctor *doc, const struct use *use)
{
	struct mode modes[MAX_MODES];
	size_t count = find_modes(modes, doc, use);
	const char *source = pnet_row_is_hardware(use->net, &doc->netdevs) ? "hardware" : "table";

	return json_pack("{s:o, s:o, s:o*, s:s*, s:s, s:o*}", "net_device", string(use->net->name),
			 "configuration", json_modes(modes, count), "pnetid",
			 string(use->net->pnetid), "pnetid_source",
			 *use->net->pnetid ? source : NULL, "reach", reach(modes, count),
			 "own_subnets", json_subnets(doc, use));
}

static json_t *json_ueids(const struct use_facts *facts)
{
	json_t *array = facts->is_eid_known ? json_array() : NULL;

	for (size_t i = 0; array && i < facts->n_ueids; i++)
		json_array_append_new(array, string(facts->ueids[i]));
	return array;
}

/* ---- all ---- */

static bool is_chosen(const struct doctor *doc, const struct use *use)
{
	unsigned long flags;

	if (doc->req->iface)
		return !strcmp(doc->req->iface, use->net->name);
	return !host_number(&flags, "%s/class/net/%s/flags", doc->sys, use->net->name) ||
	       flags & IFF_UP;
}

static int print_json(const struct doctor *doc)
{
	const struct use_facts *facts = &doc->uses.facts;
	bool has_seid = facts->seid.has_eid && facts->seid.is_enabled;
	json_t *array = json_array();

	for (size_t i = 0; i < doc->uses.count; i++)
		if (is_chosen(doc, &doc->uses.uses[i]))
			json_array_append_new(array, json_use(doc, &doc->uses.uses[i]));
	return chk_print_json(json_pack("{s:s, s:o, s:o*, s:o*}", "schema", "smc-tools/static/1",
					"net_devices", array, "seid",
					has_seid ? string(facts->seid.eid) : NULL, "ueids",
					json_ueids(facts)));
}

static int print_text(const struct doctor *doc)
{
	struct out_text text = { 0 };

	for (size_t i = 0; i < doc->uses.count; i++) {
		if (!is_chosen(doc, &doc->uses.uses[i]))
			continue;
		out_str(&text, text.len ? "\n" : "");
		append_use(&text, doc, &doc->uses.uses[i]);
	}
	return chk_print(&text);
}

int doctor_static(const struct doctor *doc)
{
	const char *iface = doc->req->iface;
	int status;

	if (iface && !use_of(&doc->uses, iface))
		return cli_error(&chk_tool, "there is no net device '%s'", iface);
	status = doc->req->is_json ? print_json(doc) : print_text(doc);
	if (status != CHK_OK)
		return status;
	if (!doc->has_smc)
		return CHK_UNTESTED;
	return use_is_any(&doc->uses, iface) ? CHK_OK : CHK_ERROR;
}
