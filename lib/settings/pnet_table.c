// SPDX-License-Identifier: MIT
/* The kernel's PNET table: read, delete, flush. */
#include "settings/pnet_table.h"

#include <errno.h>

#include "smc/abi.h"

/*
 * As smc-tools 1.8.5 prints them, four words. Other programs may have set letters of Latin-1, which
 * the kernel takes.
 */
const struct out_col pnet_columns[] = {
	{ "pnetid", "PNET_ID", "pnetid", 0, OUT_STR(smc_pnet, name) },
	{ "netdev", "Net-Dev", "net_device", 0, OUT_STR(smc_pnet, eth),
	  OUT_IF(smc_pnet, has, SMC_PNET_HAS_NET), .none = SMC_PNET_NONE },
	{ "ibdev", "IB-Dev", "ib_device", 0, OUT_STR(smc_pnet, ib),
	  OUT_IF(smc_pnet, has, SMC_PNET_HAS_IB), .none = SMC_PNET_NONE },
	{ "ibport", "Port", "ib_port", 0, OUT_DEC(smc_pnet, port, 0),
	  OUT_IF(smc_pnet, has, SMC_PNET_HAS_PORT), .none = "255" },
	{ 0 },
};

int pnet_make(struct smc_pnet *entry, const char *name, const char *eth, const char *ib,
	      const char *port, struct smc_err *err)
{
	int number = 1, ret;

	*entry = (struct smc_pnet){ 0 };
	ret = smc_pnet_name(entry->name, name, err);
	if (!ret && eth) {
		entry->has |= SMC_PNET_HAS_NET;
		ret = smc_pnet_eth(entry->eth, eth, err);
	}
	if (!ret && ib) {
		entry->has |= SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT;
		ret = smc_pnet_ib(entry->ib, ib, err);
	}
	if (!ret && port)
		number = smc_pnet_port(port, err);
	entry->port = (uint8_t)number;
	return number < 0 ? number : ret;
}

void pnet_append_entry(struct out_text *text, const struct smc_pnet *entry)
{
	for (const struct out_col *col = pnet_columns; col->name; col++) {
		if (col != pnet_columns)
			out_char(text, ' ');
		out_cell(text, col, entry);
	}
}

/* ---- requests ---- */

struct fetch {
	struct smc_pnet_table *table;
	struct smc_err *err;
};

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct fetch *fetch = arg;
	struct smc_pnet entry;
	int ret;

	ret = smc_pnet_decode(&entry, nlh);
	if (ret)
		return smc_err_say(fetch->err, -ret, "the kernel sent a malformed PNET entry");
	smc_pnet_append(fetch->table, &entry);
	return 0;
}

int pnet_fetch(struct smc_genl *nl, struct smc_pnet_table *table, struct smc_err *err)
{
	struct fetch fetch = { table, err };

	*table = (struct smc_pnet_table){ 0 };
	return smc_genl_dump(nl, SMC_ABI_PNET_GET, on_message, &fetch, err);
}

int pnet_say_cannot(struct smc_err *err, const char *what, const char *name)
{
	struct smc_err inner = *err;

	return smc_err_say(err, inner.code, "cannot %s%s: %.300s", what, name, inner.text);
}

int pnet_delete(struct pnet_tool *tool, const char *name)
{
	const struct smc_genl_attr attr = { SMC_ABI_PNET_NAME, SMC_GENL_STR, name, 0 };
	int ret = smc_genl_do(tool->nl, SMC_ABI_PNET_DEL, &attr, 1, tool->err);

	/* The last words of both are those of smc-tools 1.8.5, by which playbooks know them. */
	if (ret == -ENOENT)
		return smc_err_say(tool->err, ENOENT, "no entry has PNET ID %s: Object not found",
				   name);
	if (ret)
		return pnet_say_cannot(tool->err, "delete PNET ID ", name);
	return ret;
}

int pnet_flush(struct pnet_tool *tool)
{
	int ret = smc_genl_do(tool->nl, SMC_ABI_PNET_FLUSH, NULL, 0, tool->err);

	/* Kernels before 5.1 said that an empty table cannot become empty. */
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return pnet_say_cannot(tool->err, "flush the PNET table", "");
	return ret;
}
