// SPDX-License-Identifier: MIT
/* Adding an entry to the kernel's PNET table, and why it may have refused. */
#include "settings/pnet_add.h"

#include <errno.h>
#include <string.h>

#include "smc/abi.h"

#define BOTH (SMC_PNET_HAS_NET | SMC_PNET_HAS_IB)

static int send_add(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	struct smc_genl_attr attrs[4];
	size_t n = 0;

	attrs[n++] = (struct smc_genl_attr){ SMC_ABI_PNET_NAME, SMC_GENL_STR, entry->name, 0 };
	if (entry->has & SMC_PNET_HAS_NET)
		attrs[n++] =
			(struct smc_genl_attr){ SMC_ABI_PNET_ETHNAME, SMC_GENL_STR, entry->eth, 0 };
	if (entry->has & SMC_PNET_HAS_IB)
		attrs[n++] =
			(struct smc_genl_attr){ SMC_ABI_PNET_IBNAME, SMC_GENL_STR, entry->ib, 0 };
	if (entry->has & SMC_PNET_HAS_PORT)
		attrs[n++] = (struct smc_genl_attr){ SMC_ABI_PNET_IBPORT, SMC_GENL_U8, NULL,
						     entry->port };
	return smc_genl_do(tool->nl, SMC_ABI_PNET_ADD, attrs, n, tool->err);
}

/* The PNET ID that hardware gives to a device of an entry; NULL for none. */
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
	struct smc_pnet_table table;
	struct pnet_world world = { 0 };
	struct smc_err ignored;

	pnet_fetch(tool->nl, &table, &ignored);
	pnet_world_load(&world, tool->root, &ignored);
	pnet_say_exists(&table, &world, entry, tool->err);
	pnet_world_free(&world);
	smc_pnet_free(&table);
	return -EEXIST;
}

/* ---- entries with both devices ---- */

/* The kernel stores both parts of an entry separately, and succeeds if one of them is new. */
static void take_apart(struct smc_pnet *net, struct smc_pnet *ib, const struct smc_pnet *entry)
{
	*net = *ib = *entry;
	net->has = SMC_PNET_HAS_NET;
	ib->has &= ~(uint32_t)SMC_PNET_HAS_NET;
}

/* Is each part either new, or in the table as it is? */
static int check_parts(struct pnet_tool *tool, const struct smc_pnet *entry)
{
	const struct pnet_world nothing = { 0 };
	const struct smc_pnet *holder;
	struct smc_pnet_table table;
	struct smc_pnet net, ib;
	int ret = pnet_fetch(tool->nl, &table, tool->err);

	take_apart(&net, &ib, entry);
	holder = smc_pnet_holder(&table, &net);
	if (!ret && holder && strcmp(holder->name, entry->name))
		ret = pnet_say_exists(&table, &nothing, &net, tool->err);
	holder = smc_pnet_holder(&table, &ib);
	if (!ret && holder && !smc_pnet_same(holder, &ib))
		ret = pnet_say_exists(&table, &nothing, &ib, tool->err);
	smc_pnet_free(&table);
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
	struct pnet_world world = { 0 };
	struct smc_err why, ignored;

	pnet_world_load(&world, tool->root, &ignored);
	if (!say_hardware(&world, dropped, &why))
		smc_err_say(&why, EEXIST, "the kernel did not keep '%s'%s", pnet_device(dropped),
			    rule);
	pnet_world_free(&world);
	return smc_err_say(tool->err, EEXIST, "'%s' has PNET ID %s now, but %.300s",
			   pnet_device(kept), kept->name, why.text);
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

static int add(struct pnet_tool *tool, const struct smc_pnet *entry, bool has_both)
{
	int ret = has_both ? check_parts(tool, entry) : 0;

	if (ret)
		return ret;
	ret = send_add(tool, entry);
	if (ret == -EEXIST)
		return find_why_exists(tool, entry);
	return ret ? pnet_say_cannot(tool->err, "add PNET ID ", entry->name) : 0;
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
