// SPDX-License-Identifier: MIT
#include "settings/pnet_table.h"

#include "smc/genl_abi.h"

#define BOTH (SMC_PNET_HAS_NET | SMC_PNET_HAS_IB)

/* Four words, as in smc-tools 1.8.5. The kernel accepts Latin-1 letters from other programs. */
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

/* ---- requests ---- */

struct fetch {
	struct smc_pnet_table *table;
	struct smc_err *err;
};

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct fetch *fetch = arg;
	struct smc_pnet entry;
	int ret = smc_pnet_decode(&entry, nlh);

	if (ret)
		return smc_err_say(fetch->err, -ret, "the kernel sent a malformed PNET entry");
	smc_pnet_append(fetch->table, &entry);
	return 0;
}

int pnet_fetch(struct smc_genl *nl, struct smc_pnet_table *table, struct smc_err *err)
{
	struct fetch fetch = { table, err };

	*table = (struct smc_pnet_table){ 0 };
	return smc_genl_dump(nl, SMC_PNETID_GET, on_message, &fetch, err);
}

/* Prefix the sentence by "cannot WHAT NAME: ". */
static int say_cannot(struct smc_err *err, const char *what, const char *name)
{
	struct smc_err inner = *err;

	return smc_err_say(err, inner.code, "cannot %s%s: %.300s", what, name, inner.text);
}

int pnet_delete(struct pnet_tool *tool, const char *name)
{
	const struct smc_genl_attr attr = { SMC_PNETID_NAME, SMC_GENL_STR, name, 0 };
	int ret = smc_genl_do(tool->nl, SMC_PNETID_DEL, &attr, 1, tool->err);

	/* Both messages end with words of smc-tools 1.8.5, which playbooks look for. */
	if (ret == -ENOENT)
		return smc_err_say(tool->err, ENOENT, "no entry has PNET ID %s: Object not found",
				   name);
	return ret ? say_cannot(tool->err, "delete PNET ID ", name) : 0;
}

int pnet_flush(struct pnet_tool *tool)
{
	int ret = smc_genl_do(tool->nl, SMC_PNETID_FLUSH, NULL, 0, tool->err);

	/* Kernels before 5.1 return -ENOENT for an empty table. */
	if (ret == -ENOENT)
		return 0;
	return ret ? say_cannot(tool->err, "flush the PNET table", "") : 0;
}

/* ---- add, and reasons for a refusal ---- */

static int send_add(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	struct smc_genl_attr attrs[4] = { { SMC_PNETID_NAME, SMC_GENL_STR, entry->name, 0 } };
	size_t n = 1;

	if (entry->has & SMC_PNET_HAS_NET)
		attrs[n++] =
			(struct smc_genl_attr){ SMC_PNETID_ETHNAME, SMC_GENL_STR, entry->eth, 0 };
	if (entry->has & SMC_PNET_HAS_IB)
		attrs[n++] =
			(struct smc_genl_attr){ SMC_PNETID_IBNAME, SMC_GENL_STR, entry->ib, 0 };
	if (entry->has & SMC_PNET_HAS_PORT)
		attrs[n++] =
			(struct smc_genl_attr){ SMC_PNETID_IBPORT, SMC_GENL_U8, NULL, entry->port };
	return smc_genl_do(tool->nl, SMC_PNETID_ADD, attrs, n, tool->err);
}

/* PNET ID from hardware of an entry's device; NULL for none. */
static const char *hardware_id(const struct pnet_world *world, const struct smc_pnet *entry,
			       const char **device)
{
	const struct netdev *net = netdev_find(&world->nets, entry->eth);
	const struct rdma_dev *ib = rdma_find(&world->rdma, entry->ib);
	const struct ism_dev *ism = ism_find(&world->rdma, entry->ib);

	*device = entry->eth;
	if (entry->has & SMC_PNET_HAS_NET && net && net->hw_pnetid[0])
		return net->hw_pnetid;
	*device = entry->ib;
	if (!(entry->has & SMC_PNET_HAS_IB))
		return NULL;
	for (size_t i = 0; ib && i < ib->n_ports; i++)
		if (ib->ports[i].number == entry->port && ib->ports[i].hw_pnetid[0])
			return ib->ports[i].hw_pnetid;
	return !ib && ism && ism->hw_pnetid[0] ? ism->hw_pnetid : NULL;
}

static bool say_hardware(const struct pnet_world *world, const struct smc_pnet *entry,
			 struct smc_err *err)
{
	const char *device, *id = hardware_id(world, entry, &device);

	if (id)
		smc_err_say(err, EEXIST,
			    "'%s' has PNET ID %s from its hardware, which cannot be changed",
			    device, id);
	return id;
}

int pnet_say_exists(const struct smc_pnet_table *table, const struct pnet_world *world,
		    const struct smc_pnet *entry, struct smc_err *err)
{
	const struct smc_pnet *holder = smc_pnet_holder(table, entry);

	if (holder && holder->has & SMC_PNET_HAS_IB && entry->port != holder->port)
		return smc_err_say(err, EEXIST,
				   "'%s' already has PNET ID %s for port %u, and the table takes "
				   "one entry per device",
				   holder->ib, holder->name, holder->port);
	if (holder)
		return smc_err_say(err, EEXIST,
				   "'%s' already has PNET ID %s, from an entry in the table",
				   pnet_device(holder), holder->name);
	if (say_hardware(world, entry, err))
		return -EEXIST;
	if (entry->has & SMC_PNET_HAS_IB)
		return smc_err_say(err, EEXIST,
				   "the kernel already has '%s': only the initial network "
				   "namespace shows and accepts RDMA and ISM devices",
				   entry->ib);
	return smc_err_say(err, EEXIST, "the kernel already has an entry for '%s'", entry->eth);
}

static int find_why_exists(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	struct smc_pnet_table table AUTO(smc_pnet_free) = { 0 };
	struct pnet_world world AUTO(pnet_world_free) = { 0 };
	struct smc_err ignored;

	pnet_fetch(tool->nl, &table, &ignored);
	pnet_world_load(&world, tool->root, &ignored);
	return pnet_say_exists(&table, &world, entry, tool->err);
}

/* The kernel stores both parts of an entry separately, and succeeds if one of them is new. */
static void take_apart(struct smc_pnet *net, struct smc_pnet *ib, const struct smc_pnet *entry)
{
	*net = *ib = *entry;
	net->has = SMC_PNET_HAS_NET;
	ib->has &= ~(uint32_t)SMC_PNET_HAS_NET;
}

/* Check that each part is either new, or identical in the table. */
static int check_parts(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	const struct pnet_world nothing = { 0 };
	const struct smc_pnet *holder;
	struct smc_pnet_table table AUTO(smc_pnet_free) = { 0 };
	struct smc_pnet net, ib;
	int ret = pnet_fetch(tool->nl, &table, tool->err);

	take_apart(&net, &ib, entry);
	holder = smc_pnet_holder(&table, &net);
	if (!ret && holder && strcmp(holder->name, entry->name))
		ret = pnet_say_exists(&table, &nothing, &net, tool->err);
	holder = smc_pnet_holder(&table, &ib);
	if (!ret && holder && !smc_pnet_same(holder, &ib))
		ret = pnet_say_exists(&table, &nothing, &ib, tool->err);
	return ret;
}

/* The kernel dropped one part silently. The other stays: only a whole PNET ID can be deleted. */
static int say_dropped(struct pnet_tool *tool, const struct smc_pnet *kept,
		       const struct smc_pnet *dropped)
{
	const char *rule =
		dropped->has & SMC_PNET_HAS_NET ?
			"" :
			": only the initial network namespace accepts RDMA and ISM devices";
	struct pnet_world world AUTO(pnet_world_free) = { 0 };
	struct smc_err why, ignored;

	pnet_world_load(&world, tool->root, &ignored);
	if (!say_hardware(&world, dropped, &why))
		smc_err_say(&why, EEXIST, "the kernel did not keep '%s'%s", pnet_device(dropped),
			    rule);
	return smc_err_say(tool->err, EEXIST, "'%s' has PNET ID %s now, but %.300s",
			   pnet_device(kept), kept->name, why.text);
}

static int check_kept(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	struct smc_pnet_table table AUTO(smc_pnet_free) = { 0 };
	struct smc_pnet net, ib;
	bool has_net, has_ib;
	int ret = pnet_fetch(tool->nl, &table, tool->err);

	take_apart(&net, &ib, entry);
	has_net = smc_pnet_holder(&table, &net);
	has_ib = smc_pnet_holder(&table, &ib);
	if (ret || (has_net && has_ib))
		return ret;
	return has_net ? say_dropped(tool, &net, &ib) : say_dropped(tool, &ib, &net);
}

static int add(struct pnet_tool *tool, const struct smc_pnet *entry, bool has_both)
{
	int ret = has_both ? check_parts(tool, entry) : 0;

	if (ret)
		return ret;
	ret = send_add(tool, entry);
	if (ret == -EEXIST)
		return find_why_exists(tool, entry);
	return ret ? say_cannot(tool->err, "add PNET ID ", entry->name) : 0;
}

int pnet_add(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	bool has_both = (entry->has & BOTH) == BOTH;
	int ret = add(tool, entry, has_both);
	struct smc_err why = *tool->err;

	if (ret == -EEXIST)
		return smc_err_say(tool->err, EEXIST, "%.380s: Object exists", why.text);
	return !ret && has_both ? check_kept(tool, entry) : ret;
}

/* ---- replace ---- */

static bool has_entry(const struct smc_pnet_table *table, const struct smc_pnet *entry)
{
	const struct smc_pnet *holder = smc_pnet_holder(table, entry);

	return holder && smc_pnet_same(holder, entry);
}

static bool has_name(const struct smc_pnet_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->entries[i].name, name))
			return true;
	return false;
}

void pnet_plan_make(struct pnet_plan *plan, const struct smc_pnet_table *from,
		    const struct smc_pnet_table *to)
{
	*plan = (struct pnet_plan){ 0 };
	for (size_t i = 0; i < from->count; i++)
		if (!has_entry(to, &from->entries[i]) &&
		    !has_name(&plan->deletes, from->entries[i].name))
			smc_pnet_append(&plan->deletes, &from->entries[i]);
	for (size_t i = 0; i < to->count; i++)
		if (!has_entry(from, &to->entries[i]) ||
		    has_name(&plan->deletes, to->entries[i].name))
			smc_pnet_append(&plan->adds, &to->entries[i]);
}

void pnet_plan_free(struct pnet_plan *plan)
{
	smc_pnet_free(&plan->deletes);
	smc_pnet_free(&plan->adds);
}

static int change(struct pnet_tool *tool, const struct smc_pnet_table *from,
		  const struct smc_pnet_table *to)
{
	struct pnet_plan plan AUTO(pnet_plan_free) = { 0 };
	int ret = 0;

	pnet_plan_make(&plan, from, to);
	/* Deletions first: an added entry may name a device of a deleted PNET ID. */
	for (size_t i = 0; !ret && i < plan.deletes.count; i++)
		ret = pnet_delete(tool, plan.deletes.entries[i].name);
	for (size_t i = 0; !ret && i < plan.adds.count; i++)
		ret = pnet_add(tool, &plan.adds.entries[i]);
	return ret;
}

/* Undo the changes made before the failure. */
static int restore(struct pnet_tool *tool, const struct smc_pnet_table *before)
{
	struct smc_err *why = tool->err, inner = { 0 };
	struct pnet_tool quiet = { tool->nl, tool->root, &inner };
	struct smc_pnet_table now AUTO(smc_pnet_free) = { 0 };
	char text[sizeof(inner.text)];
	int ret;

	ret = pnet_fetch(quiet.nl, &now, &inner);
	if (!ret)
		ret = change(&quiet, &now, before);
	strcpy(text, why->text);
	return smc_err_say(why, why->code, "%.180s; the table is %s%.150s", text,
			   ret ? "not as it was: " : "as it was", ret ? inner.text : "");
}

int pnet_change(struct pnet_tool *tool, const struct smc_pnet_table *from,
		const struct smc_pnet_table *to)
{
	int ret = change(tool, from, to);

	return ret ? restore(tool, from) : 0;
}
