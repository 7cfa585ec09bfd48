// SPDX-License-Identifier: MIT
/* The columns of smc_rnics. */
#include "smc_rnics.h"

#include <string.h>

static void append_word(struct out_text *text, const char *word)
{
	if (*word)
		out_escaped(text, word, strlen(word));
	else
		out_str(text, SMC_PNET_NONE);
}

static json_t *json_word(const char *word)
{
	return *word ? out_json_string(word, strlen(word)) : NULL;
}

#define WORD_COLUMN(name)                                                                         \
	static void text_##name(struct out_text *text, const void *object)                        \
	{                                                                                         \
		append_word(text, ((const struct rnic *)object)->name);                           \
	}                                                                                         \
	static json_t *json_##name(const void *object)                                            \
	{                                                                                         \
		return json_word(((const struct rnic *)object)->name);                            \
	}

/* A number that is there if a bit, or else the number itself, says so. */
#define NUMBER_COLUMN(name, is_there, append, digits)                                             \
	static void text_##name(struct out_text *text, const void *object)                        \
	{                                                                                         \
		const struct rnic *rnic = object;                                                 \
                                                                                                  \
		if (is_there)                                                                     \
			append(text, rnic->name, digits);                                         \
		else                                                                              \
			out_str(text, SMC_PNET_NONE);                                             \
	}                                                                                         \
	static json_t *json_##name(const void *object)                                            \
	{                                                                                         \
		const struct rnic *rnic = object;                                                 \
                                                                                                  \
		return is_there ? json_integer(rnic->name) : NULL;                                \
	}

WORD_COLUMN(pci_id)
WORD_COLUMN(netdev)
WORD_COLUMN(ibdev)
WORD_COLUMN(state)
WORD_COLUMN(link_layer)
WORD_COLUMN(driver)
NUMBER_COLUMN(fid, rnic->has & RNIC_HAS_FID, out_hex, 0)
NUMBER_COLUMN(pchid, rnic->has & RNIC_HAS_PCHID, out_hex, 4)
NUMBER_COLUMN(vfn, rnic->has & RNIC_HAS_VFN, out_hex, 4)
NUMBER_COLUMN(port, rnic->port, out_dec, 0)
NUMBER_COLUMN(ib_port, rnic->ib_port, out_dec, 0)
NUMBER_COLUMN(mtu, rnic->mtu, out_dec, 0)
NUMBER_COLUMN(active_mtu, rnic->active_mtu, out_dec, 0)

static void text_type(struct out_text *text, const void *object)
{
	append_word(text, ((const struct rnic *)object)->type);
}

/* jansson has a json_type of its own. */
static json_t *json_type_word(const void *object)
{
	return json_word(((const struct rnic *)object)->type);
}

static void text_power(struct out_text *text, const void *object)
{
	const struct rnic *rnic = object;

	append_word(text, !(rnic->has & RNIC_HAS_POWER) ? "" : rnic->is_on ? "1" : "0");
}

static json_t *json_power(const void *object)
{
	const struct rnic *rnic = object;

	return rnic->has & RNIC_HAS_POWER ? json_boolean(rnic->is_on) : NULL;
}

static const char *pft_name(const struct rnic *rnic)
{
	if (!(rnic->has & RNIC_HAS_PFT))
		return "";
	switch (rnic->pft) {
	case 0x05: return "ISM";
	case 0x02: return "ROC";
	case 0x0a: return "ROC2";
	case 0x0c: return "NETH";
	case 0x0f: return "NETD";
	default: return NULL;
	}
}

static void text_pft(struct out_text *text, const void *object)
{
	const char *name = pft_name(object);

	if (name) {
		append_word(text, name);
		return;
	}
	out_str(text, "0x");
	out_hex(text, ((const struct rnic *)object)->pft, 2);
}

static json_t *json_pft(const void *object)
{
	const struct rnic *rnic = object;

	return rnic->has & RNIC_HAS_PFT ? json_integer(rnic->pft) : NULL;
}

static void text_vf(struct out_text *text, const void *object)
{
	const struct rnic *rnic = object;

	append_word(text, !(rnic->has & RNIC_HAS_VF) ? "" : rnic->is_vf ? "y" : "n");
}

static json_t *json_vf(const void *object)
{
	const struct rnic *rnic = object;

	return rnic->has & RNIC_HAS_VF ? json_boolean(rnic->is_vf) : NULL;
}

static void text_ids(struct out_text *text, const void *object)
{
	const struct rnic *rnic = object;

	if (!(rnic->has & RNIC_HAS_IDS)) {
		out_str(text, SMC_PNET_NONE);
		return;
	}
	out_hex(text, rnic->vendor, 4);
	out_char(text, ':');
	out_hex(text, rnic->device, 4);
}

static json_t *json_ids(const void *object)
{
	const struct rnic *rnic = object;

	return rnic->has & RNIC_HAS_IDS ? json_sprintf("%04x:%04x", rnic->vendor, rnic->device) :
					  NULL;
}

/* From the table, not from the hardware: marked. */
static void text_pnetid(struct out_text *text, const void *object)
{
	const struct rnic *rnic = object;

	append_word(text, rnic->pnetid);
	if (rnic->is_soft)
		out_char(text, '*');
}

static json_t *json_pnetid(const void *object)
{
	return json_word(((const struct rnic *)object)->pnetid);
}

static json_t *json_source(const void *object)
{
	const struct rnic *rnic = object;

	return rnic->pnetid[0] ? json_string(rnic->is_soft ? "table" : "hardware") : NULL;
}

static json_t *json_name(const void *object)
{
	return json_word(((const struct rnic *)object)->name);
}

const struct out_col rnic_columns[] = {
	{ "fid", "FID", "fid", 4, true, text_fid, json_fid },
	{ "power", "Power", "power", 5, false, text_power, json_power },
	{ "pciid", "PCI_ID", "pci_id", 12, false, text_pci_id, json_pci_id },
	{ "pchid", "PCHID", "pchid", 5, false, text_pchid, json_pchid },
	{ "type", "Type", "type", 15, false, text_type, json_type_word },
	{ "ids", "Type", "pci_ids", 15, false, text_ids, json_ids },
	{ "pft", "PFT", "pft", 4, false, text_pft, json_pft },
	{ "vf", "VF", "virtual_function", 3, false, text_vf, json_vf },
	{ "vfn", "VFN", "vfn", 3, false, text_vfn, json_vfn },
	{ "pport", "PPrt", "port", 4, false, text_port, json_port },
	{ "iport", "IPrt", "ib_port", 4, false, text_ib_port, json_ib_port },
	{ "pnetid", "PNET_ID", "pnetid", 17, false, text_pnetid, json_pnetid },
	{ "netdev", "Net-Dev", "net_device", 10, false, text_netdev, json_netdev },
	{ "ibdev", "IB-Dev", "ib_device", 10, false, text_ibdev, json_ibdev },
	{ "state", "State", "state", 7, false, text_state, json_state },
	{ "layer", "Link-Layer", "link_layer", 10, false, text_link_layer, json_link_layer },
	{ "mtu", "MTU", "mtu", 5, false, text_mtu, json_mtu },
	{ "ibmtu", "IB-MTU", "active_mtu", 6, false, text_active_mtu, json_active_mtu },
	{ "driver", "Driver", "driver", 9, false, text_driver, json_driver },
	{ NULL, NULL, "name", 0, false, NULL, json_name },
	{ NULL, NULL, "pnetid_source", 0, false, NULL, json_source },
	{ 0 },
};
