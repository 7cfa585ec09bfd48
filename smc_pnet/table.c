// SPDX-License-Identifier: MIT
/* The kernel's PNET table: show, add, delete, flush. */
#include "smc_pnet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "smc/abi.h"

/* ---- columns: as smc-tools 1.8.5 prints them, four words ---- */

static void text_name(struct out_text *text, const void *object)
{
	const struct smc_pnet *entry = object;

	/* The kernel takes letters of Latin-1 from others. */
	out_escaped(text, entry->name, sizeof(entry->name));
}

static json_t *json_name(const void *object)
{
	const struct smc_pnet *entry = object;

	return out_json_string(entry->name, sizeof(entry->name));
}

static void text_eth(struct out_text *text, const void *object)
{
	const struct smc_pnet *entry = object;

	if (entry->has & SMC_PNET_HAS_NET)
		out_escaped(text, entry->eth, sizeof(entry->eth));
	else
		out_str(text, SMC_PNET_NONE);
}

static json_t *json_eth(const void *object)
{
	const struct smc_pnet *entry = object;

	return entry->has & SMC_PNET_HAS_NET ? out_json_string(entry->eth, sizeof(entry->eth)) :
					       NULL;
}

static void text_ib(struct out_text *text, const void *object)
{
	const struct smc_pnet *entry = object;

	if (entry->has & SMC_PNET_HAS_IB)
		out_escaped(text, entry->ib, sizeof(entry->ib));
	else
		out_str(text, SMC_PNET_NONE);
}

static json_t *json_ib(const void *object)
{
	const struct smc_pnet *entry = object;

	return entry->has & SMC_PNET_HAS_IB ? out_json_string(entry->ib, sizeof(entry->ib)) : NULL;
}

static void text_port(struct out_text *text, const void *object)
{
	const struct smc_pnet *entry = object;

	out_dec(text, entry->has & SMC_PNET_HAS_PORT ? entry->port : SMC_PNET_NO_PORT, 0);
}

static json_t *json_port(const void *object)
{
	const struct smc_pnet *entry = object;

	return entry->has & SMC_PNET_HAS_PORT ? json_integer(entry->port) : NULL;
}

const struct out_col pnet_columns[] = {
	{ "pnetid", "PNET_ID", "pnetid", 0, .text = text_name, .json = json_name },
	{ "netdev", "Net-Dev", "net_device", 0, .text = text_eth, .json = json_eth },
	{ "ibdev", "IB-Dev", "ib_device", 0, .text = text_ib, .json = json_ib },
	{ "ibport", "Port", "ib_port", 0, .text = text_port, .json = json_port },
	{ 0 },
};

void pnet_append_entry(struct out_text *text, const struct smc_pnet *entry)
{
	for (const struct out_col *col = pnet_columns; col->text; col++) {
		if (col != pnet_columns)
			out_char(text, ' ');
		col->text(text, entry);
	}
}

/* ---- output ---- */

int pnet_write(struct out_text *text, struct smc_err *err)
{
	int ret = out_flush(text, STDOUT_FILENO);

	out_free(text);
	return ret ? smc_err_set(err, -ret, "cannot write to standard output") : 0;
}

int pnet_write_json(json_t *doc, struct smc_err *err)
{
	struct out_text text = { 0 };

	out_json_document(&text, doc, false);
	if (text.is_failed)
		return smc_err_set(err, ENOMEM, "cannot write JSON");
	return pnet_write(&text, err);
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
		return smc_err_say(fetch->err, -ret, "the kernel sent a PNET entry that is no entry");
	ret = smc_pnet_append(fetch->table, &entry);
	return ret ? smc_err_set(fetch->err, -ret, "cannot keep the PNET table") : 0;
}

int pnet_fetch(struct smc_genl *nl, struct smc_pnet_table *table, struct smc_err *err)
{
	struct fetch fetch = { table, err };

	*table = (struct smc_pnet_table){ 0 };
	return smc_genl_dump(nl, SMC_ABI_PNET_GET, on_message, &fetch, err);
}

static void clause(struct smc_err *err, const char *what, const char *on)
{
	struct smc_err inner = *err;

	smc_err_say(err, inner.code, "cannot %s%s: %.300s", what, on, inner.text);
}

static int send_add(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	struct smc_genl_attr attrs[4];
	size_t n = 0;

	attrs[n++] = (struct smc_genl_attr){ SMC_ABI_PNET_NAME, SMC_GENL_STR, entry->name, 0 };
	if (entry->has & SMC_PNET_HAS_NET)
		attrs[n++] = (struct smc_genl_attr){ SMC_ABI_PNET_ETHNAME, SMC_GENL_STR,
						     entry->eth, 0 };
	if (entry->has & SMC_PNET_HAS_IB)
		attrs[n++] = (struct smc_genl_attr){ SMC_ABI_PNET_IBNAME, SMC_GENL_STR, entry->ib,
						     0 };
	if (entry->has & SMC_PNET_HAS_PORT)
		attrs[n++] = (struct smc_genl_attr){ SMC_ABI_PNET_IBPORT, SMC_GENL_U8, NULL,
						     entry->port };
	return smc_genl_do(tool->nl, SMC_ABI_PNET_ADD, attrs, n, tool->err);
}

static void why_hardware(const char *device, const char *id, struct smc_err *err)
{
	smc_err_say(err, EEXIST, "'%s' has PNET ID %s from its hardware, which nothing replaces",
		    device, id);
}

static bool why_world(const struct pnet_world *world, const struct smc_pnet *entry,
		      struct smc_err *err)
{
	const struct netdev *net = netdev_find(&world->nets, entry->eth);
	const struct rdma_dev *ib = rdma_find(&world->rdma, entry->ib);
	const struct ism_dev *ism = ism_find(&world->rdma, entry->ib);

	if (entry->has & SMC_PNET_HAS_NET && net && net->hw_pnetid[0]) {
		why_hardware(entry->eth, net->hw_pnetid, err);
		return true;
	}
	if (!(entry->has & SMC_PNET_HAS_IB))
		return false;
	for (size_t i = 0; ib && i < ib->n_ports; i++) {
		if (ib->ports[i].number != entry->port || !ib->ports[i].hw_pnetid[0])
			continue;
		why_hardware(entry->ib, ib->ports[i].hw_pnetid, err);
		return true;
	}
	if (!ib && ism && ism->hw_pnetid[0]) {
		why_hardware(entry->ib, ism->hw_pnetid, err);
		return true;
	}
	return false;
}

void pnet_why_exists(const struct smc_pnet_table *table, const struct pnet_world *world,
		     const struct smc_pnet *entry, struct smc_err *err)
{
	const struct smc_pnet *holder = smc_pnet_holder(table, entry);

	if (holder && holder->has & SMC_PNET_HAS_NET)
		smc_err_say(err, EEXIST, "'%s' has PNET ID %s already, by an entry of the table",
			    holder->eth, holder->name);
	else if (holder && entry->port != holder->port)
		smc_err_say(err, EEXIST,
			    "'%s' has PNET ID %s for port %u already, and the table takes one "
			    "entry a device",
			    holder->ib, holder->name, holder->port);
	else if (holder)
		smc_err_say(err, EEXIST, "'%s' has PNET ID %s already, by an entry of the table",
			    holder->ib, holder->name);
	else if (why_world(world, entry, err))
		return;
	else if (entry->has & SMC_PNET_HAS_IB)
		smc_err_say(err, EEXIST,
			    "the kernel has '%s' already: only the initial network namespace "
			    "shows and takes RDMA and ISM devices",
			    entry->ib);
	else
		smc_err_say(err, EEXIST, "the kernel has an entry for '%s' already", entry->eth);
}

/* The kernel stores both parts of an entry on their own, and is content if one of them is new. */
static void take_apart(struct smc_pnet *net, struct smc_pnet *ib, const struct smc_pnet *entry)
{
	*net = *ib = *entry;
	net->has = SMC_PNET_HAS_NET;
	ib->has &= ~(uint32_t)SMC_PNET_HAS_NET;
}

static int check_parts(const struct smc_pnet_table *table, const struct smc_pnet *entry,
		       struct smc_err *err)
{
	const struct pnet_world nothing = { 0 };
	const struct smc_pnet *holder;
	struct smc_pnet net, ib;

	take_apart(&net, &ib, entry);
	holder = smc_pnet_holder(table, &net);
	if (holder && strcmp(holder->name, entry->name)) {
		pnet_why_exists(table, &nothing, &net, err);
		return -EEXIST;
	}
	holder = smc_pnet_holder(table, &ib);
	if (holder && !smc_pnet_same(holder, &ib)) {
		pnet_why_exists(table, &nothing, &ib, err);
		return -EEXIST;
	}
	return 0;
}

/* The other part was dropped without a word. What is there stays: a PNET ID goes as a whole only. */
static int say_dropped(struct pnet_tool *tool, const struct smc_pnet *kept,
		       const struct smc_pnet *dropped)
{
	const char *device = dropped->has & SMC_PNET_HAS_NET ? dropped->eth : dropped->ib;
	const char *rule = dropped->has & SMC_PNET_HAS_NET ? "" :
		": only the initial network namespace takes RDMA and ISM devices";
	struct pnet_world world = { 0 };
	struct smc_err why, ignored;

	pnet_world_load(&world, tool->root, &ignored);
	if (!why_world(&world, dropped, &why))
		smc_err_say(&why, EEXIST, "the kernel did not keep '%s'%s", device, rule);
	pnet_world_free(&world);
	return smc_err_say(tool->err, EEXIST, "'%s' has PNET ID %s now, but %.300s",
			   kept->has & SMC_PNET_HAS_NET ? kept->eth : kept->ib, kept->name, why.text);
}

static int check_kept(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	struct smc_pnet_table table;
	struct smc_pnet net, ib;
	bool has_net, has_ib;
	int ret = pnet_fetch(tool->nl, &table, tool->err);

	take_apart(&net, &ib, entry);
	has_net = smc_pnet_holder(&table, &net);
	has_ib = smc_pnet_holder(&table, &ib);
	smc_pnet_free(&table);
	if (ret || (has_net && has_ib))
		return ret;
	return has_net ? say_dropped(tool, &net, &ib) : say_dropped(tool, &ib, &net);
}

int pnet_add(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	const uint32_t both = SMC_PNET_HAS_NET | SMC_PNET_HAS_IB;
	struct smc_pnet_table table = { 0 };
	struct pnet_world world = { 0 };
	struct smc_err ignored;
	int ret = 0;

	if ((entry->has & both) == both) {
		ret = pnet_fetch(tool->nl, &table, tool->err);
		if (!ret)
			ret = check_parts(&table, entry, tool->err);
		smc_pnet_free(&table);
		if (ret)
			return ret;
	}
	ret = send_add(tool, entry);
	if (ret == -EEXIST) {
		pnet_fetch(tool->nl, &table, &ignored);
		pnet_world_load(&world, tool->root, &ignored);
		pnet_why_exists(&table, &world, entry, tool->err);
		pnet_world_free(&world);
		smc_pnet_free(&table);
	} else if (ret) {
		clause(tool->err, "add PNET ID ", entry->name);
	} else if ((entry->has & both) == both) {
		ret = check_kept(tool, entry);
	}
	return ret;
}

int pnet_delete(struct pnet_tool *tool, const char *name)
{
	const struct smc_genl_attr attr = { SMC_ABI_PNET_NAME, SMC_GENL_STR, name, 0 };
	int ret = smc_genl_do(tool->nl, SMC_ABI_PNET_DEL, &attr, 1, tool->err);

	if (ret == -ENOENT)
		return smc_err_say(tool->err, ENOENT, "no entry has PNET ID %s", name);
	if (ret)
		clause(tool->err, "delete PNET ID ", name);
	return ret;
}

int pnet_flush(struct pnet_tool *tool)
{
	int ret = smc_genl_do(tool->nl, SMC_ABI_PNET_FLUSH, NULL, 0, tool->err);

	/* Kernels before 5.1 said that an empty table cannot become empty. */
	if (ret == -ENOENT)
		return 0;
	if (ret)
		clause(tool->err, "flush the PNET table", "");
	return ret;
}

json_t *pnet_json_entries(const struct smc_pnet_table *table)
{
	return out_json_list(pnet_columns, table->entries, table->count, sizeof(*table->entries));
}

static int show_json(const struct smc_pnet_table *table, struct smc_err *err)
{
	return pnet_write_json(json_pack("{s:s, s:o}", "schema", "smc-tools/pnet/1", "entries",
					 pnet_json_entries(table)), err);
}

static int show_text(const struct smc_pnet_table *table, struct smc_err *err)
{
	struct out_text text = { 0 };

	for (size_t i = 0; i < table->count; i++) {
		pnet_append_entry(&text, &table->entries[i]);
		out_char(&text, '\n');
	}
	return pnet_write(&text, err);
}

/* By dump: asked for one PNET ID, the kernel silently stops at what fits into one page. */
static void keep_only(struct smc_pnet_table *table, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->entries[i].name, name))
			table->entries[kept++] = table->entries[i];
	table->count = kept;
}

int pnet_show(struct pnet_tool *tool, const char *name, bool is_json)
{
	struct smc_pnet_table table;
	int ret;

	ret = pnet_fetch(tool->nl, &table, tool->err);
	if (!ret && name) {
		keep_only(&table, name);
		if (!table.count)
			ret = smc_err_say(tool->err, ENOENT, "no entry has PNET ID %s", name);
	}
	if (!ret)
		ret = is_json ? show_json(&table, tool->err) : show_text(&table, tool->err);
	smc_pnet_free(&table);
	return ret;
}
