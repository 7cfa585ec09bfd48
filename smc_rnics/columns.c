// SPDX-License-Identifier: MIT
/* The columns of smc_rnics. */
#include "smc_rnics.h"

#include <string.h>

static const struct out_names power = OUT_NAMES(NULL, NULL, { "0", NULL }, { "1", NULL });
static const struct out_names virtual = OUT_NAMES(NULL, NULL, { "n", NULL }, { "y", NULL });
static const struct out_names source =
	OUT_NAMES(NULL, NULL, { "hardware", "hardware" }, { "table", "table" });
static const struct out_names pft =
	OUT_NAMES("0x", "", [0x02] = { "ROC", NULL }, [0x05] = { "ISM", NULL },
		  [0x0a] = { "ROC2", NULL }, [0x0c] = { "NETH", NULL }, [0x0f] = { "NETD", NULL });

static void text_ids(struct out_text *text, const void *value)
{
	const struct rnic *rnic = value;

	out_hex(text, rnic->vendor, 4);
	out_char(text, ':');
	out_hex(text, rnic->device, 4);
}

/* From the table, not from the hardware: marked. */
static void text_pnetid(struct out_text *text, const void *value)
{
	const struct rnic *rnic = value;

	out_escaped(text, rnic->pnetid, sizeof(rnic->pnetid));
	if (rnic->is_soft)
		out_char(text, '*');
}

static json_t *json_pnetid(const void *value)
{
	return out_json_str(((const struct rnic *)value)->pnetid);
}

#define IF(what) OUT_IF(rnic, has, RNIC_HAS_##what), .none = SMC_PNET_NONE
#define IF_SET OUT_OPTIONAL, .none = SMC_PNET_NONE

const struct out_col rnic_columns[] = {
	{ "fid", "FID", "fid", 4, OUT_RIGHT, OUT_HEX(rnic, fid, 0), IF(FID) },
	{ "power", "Power", "power", 5, OUT_FLAG(rnic, is_on, power), IF(POWER) },
	{ "pciid", "PCI_ID", "pci_id", 12, OUT_STR(rnic, pci_id), IF_SET },
	{ "pchid", "PCHID", "pchid", 5, OUT_HEX(rnic, pchid, 4), IF(PCHID) },
	{ "type", "Type", "type", 15, OUT_STR(rnic, type), IF_SET },
	{ "ids", "Type", "pci_ids", 15, OUT_TEXT(text_ids), IF(IDS) },
	{ "pft", "PFT", "pft", 4, OUT_NAME(rnic, pft, pft), .digits = 2, IF(PFT) },
	{ "vf", "VF", "virtual_function", 3, OUT_FLAG(rnic, is_vf, virtual), IF(VF) },
	{ "vfn", "VFN", "vfn", 3, OUT_HEX(rnic, vfn, 4), IF(VFN) },
	{ "pport", "PPrt", "port", 4, OUT_DEC(rnic, port, 0), IF_SET },
	{ "iport", "IPrt", "ib_port", 4, OUT_DEC(rnic, ib_port, 0), IF_SET },
	{ "pnetid", "PNET_ID", "pnetid", 17, .text = text_pnetid, .json = json_pnetid, IF(PNETID) },
	{ "netdev", "Net-Dev", "net_device", 10, OUT_STR(rnic, netdev), IF_SET },
	{ "ibdev", "IB-Dev", "ib_device", 10, OUT_STR(rnic, ibdev), IF_SET },
	{ "state", "State", "state", 7, OUT_STR(rnic, state), IF_SET },
	{ "layer", "Link-Layer", "link_layer", 10, OUT_STR(rnic, link_layer), IF_SET },
	{ "mtu", "MTU", "mtu", 5, OUT_DEC(rnic, mtu, 0), IF_SET },
	{ "ibmtu", "IB-MTU", "active_mtu", 6, OUT_DEC(rnic, active_mtu, 0), IF_SET },
	{ "driver", "Driver", "driver", 9, OUT_STR(rnic, driver), IF_SET },
	{ NULL, NULL, "name", 0, OUT_STR(rnic, name), OUT_OPTIONAL },
	{ NULL, NULL, "pnetid_source", 0, OUT_FLAG(rnic, is_soft, source), IF(PNETID) },
	{ 0 },
};
