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
	{ "fid", "FID", "fid", 4, OUT_RIGHT, .text = text_fid, .json = json_fid },
	{ "power", "Power", "power", 5, .text = text_power, .json = json_power },
	{ "pciid", "PCI_ID", "pci_id", 12, .text = text_pci_id, .json = json_pci_id },
	{ "pchid", "PCHID", "pchid", 5, .text = text_pchid, .json = json_pchid },
	{ "type", "Type", "type", 15, .text = text_type, .json = json_type_word },
	{ "ids", "Type", "pci_ids", 15, .text = text_ids, .json = json_ids },
	{ "pft", "PFT", "pft", 4, .text = text_pft, .json = json_pft },
	{ "vf", "VF", "virtual_function", 3, .text = text_vf, .json = json_vf },
	{ "vfn", "VFN", "vfn", 3, .text = text_vfn, .json = json_vfn },
	{ "pport", "PPrt", "port", 4, .text = text_port, .json = json_port },
	{ "iport", "IPrt", "ib_port", 4, .text = text_ib_port, .json = json_ib_port },
	{ "pnetid", "PNET_ID", "pnetid", 17, .text = text_pnetid, .json = json_pnetid },
	{ "netdev", "Net-Dev", "net_device", 10, .text = text_netdev, .json = json_netdev },
	{ "ibdev", "IB-Dev", "ib_device", 10, .text = text_ibdev, .json = json_ibdev },
	{ "state", "State", "state", 7, .text = text_state, .json = json_state },
	{ "layer", "Link-Layer", "link_layer", 10,
	  .text = text_link_layer, .json = json_link_layer },
	{ "mtu", "MTU", "mtu", 5, .text = text_mtu, .json = json_mtu },
	{ "ibmtu", "IB-MTU", "active_mtu", 6, .text = text_active_mtu, .json = json_active_mtu },
	{ "driver", "Driver", "driver", 9, .text = text_driver, .json = json_driver },
	{ NULL, NULL, "name", 0, .json = json_name },
	{ NULL, NULL, "pnetid_source", 0, .json = json_source },
	{ 0 },
};
