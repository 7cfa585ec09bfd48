// SPDX-License-Identifier: MIT
/* Apply all changes, or none. */
#include "settings/settings.h"

#include "host/file.h"
#include "net/netns.h"
#include "smc/genl_abi.h"
#include "smc/knob.h"

/** struct step - a change, with its namespace; @is_back: undo: from the new value to the old */
struct step {
	struct settings *host;
	size_t at;
	bool is_back;
	struct smc_err *err;
};

/* ---- PNET IDs: the kernel only deletes whole IDs, so a namespace is one step ---- */

static bool is_device(const struct smc_pnet *entry, const struct conf_item *item)
{
	if (item->by == CONF_BY_NET)
		return entry->has & SMC_PNET_HAS_NET && !strcmp(entry->eth, item->object);
	return entry->has & SMC_PNET_HAS_IB && !strcmp(entry->ib, item->object);
}

static void table_remove(struct smc_pnet_table *table, const struct conf_item *item)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++)
		if (!is_device(&table->entries[i], item))
			table->entries[kept++] = table->entries[i];
	table->count = kept;
}

static int table_add(struct smc_pnet_table *table, const struct conf_item *item,
		     struct smc_err *err)
{
	struct smc_pnet entry;
	char port[8];
	int ret;

	snprintf(port, sizeof(port), "%u", item->port);
	if (item->by == CONF_BY_NET)
		ret = pnet_make(&entry, item->value, item->object, NULL, NULL, err);
	else
		ret = pnet_make(&entry, item->value, NULL, item->object, port, err);
	if (!ret)
		smc_pnet_append(table, &entry);
	return ret;
}

static void table_copy(struct smc_pnet_table *to, const struct smc_pnet_table *from)
{
	for (size_t i = 0; i < from->count; i++)
		smc_pnet_append(to, &from->entries[i]);
}

static int change_table(struct settings_netns *netns, const struct smc_pnet_table *from,
			const struct smc_pnet_table *to, struct smc_err *err)
{
	char root[SYSFS_ROOT_SIZE];
	struct pnet_tool tool = { .root = root, .err = err };
	int fd AUTO_CLOSE = -1, ret = sysfs_here(root, &fd, *netns->name, err);

	if (!ret)
		ret = smc_genl_open(&tool.nl, SMCR_GENL_FAMILY_NAME, err);
	if (!ret)
		ret = pnet_change(&tool, from, to);
	smc_genl_close(tool.nl);
	return ret;
}

/* True if the change concerns PNET IDs of this namespace. */
static bool is_pnetid(const struct settings_change *change, size_t netns)
{
	return (change->old ? change->old : change->new)->kind == CONF_PNETID &&
	       change->netns == netns;
}

static int do_pnetids(struct step *step, size_t at)
{
	struct settings_netns *netns = &step->host->netns[at];
	struct smc_pnet_table to AUTO(smc_pnet_free) = { 0 };
	int ret = 0;

	table_copy(&to, &netns->table);
	for (size_t i = 0; !ret && i < step->host->n_changes; i++) {
		const struct settings_change *change = &step->host->changes[i];

		if (!is_pnetid(change, at))
			continue;
		table_remove(&to, change->old ? change->old : change->new);
		if (change->new)
			ret = table_add(&to, change->new, step->err);
	}
	if (ret)
		return ret;
	return step->is_back ? change_table(netns, &to, &netns->table, step->err) :
			       change_table(netns, &netns->table, &to, step->err);
}

/* ---- everything else ---- */

static int do_knob(const struct conf_item *item, struct smc_err *err)
{
	int ret = host_write(item->value, "/proc/sys/net/smc/%s",
			     item->object + strlen(SMC_KNOB_PREFIX));

	return ret ? smc_err_set(err, -ret, "cannot set %s to %s", item->object, item->value) : 0;
}

/* @to: NULL to remove an EID. */
static int do_generic(const struct conf_item *to, const struct conf_item *from, struct smc_err *err)
{
	struct smc_genl *nl;
	bool has_seid, is_on = to && !strcmp(to->value, "on");
	int ret = smc_genl_open(&nl, SMC_GENL_FAMILY_NAME, err);

	if (ret)
		return ret;
	if (!to)
		ret = smc_eid_remove(nl, from->object, &has_seid, err);
	else if (to->kind == CONF_EID)
		ret = smc_eid_add(nl, to->object, err);
	else if (to->kind == CONF_SEID)
		ret = smc_seid_switch(nl, is_on, err);
	else
		ret = smc_hs_switch(nl, is_on, err);
	smc_genl_close(nl);
	return ret;
}

static int do_step(void *arg)
{
	struct step *step = arg;
	const struct settings_change *change = &step->host->changes[step->at];
	const struct conf_item *to = step->is_back ? change->old : change->new;
	const struct conf_item *from = step->is_back ? change->new : change->old;

	switch ((to ? to : from)->kind) {
	case CONF_POLICY:
		return settings_policy_set(step->host, change->netns, step->is_back, step->err);
	case CONF_PNETID: return do_pnetids(step, change->netns);
	case CONF_KNOB: return do_knob(to, step->err);
	case CONF_SCOPE: return scope_set(to, from, step->err);
	default: return do_generic(to, from, step->err);
	}
}

static int go(struct step *step)
{
	const struct settings_change *changes = step->host->changes;
	size_t netns = changes[step->at].netns;

	/* The first PNET ID change of a namespace has made all others as well. */
	for (size_t i = 0; i < step->at && is_pnetid(&changes[step->at], netns); i++)
		if (is_pnetid(&changes[i], netns))
			return 0;
	return smc_netns_run(step->host->netns[netns].name, do_step, step, step->err);
}

/* Undo the changes before @step. Return: 0, or the first error. */
static int go_back(struct step step)
{
	int ret = 0;

	step.is_back = true;
	while (step.at--) {
		int one = go(&step);

		ret = ret ? ret : one;
	}
	return ret;
}

int settings_take_back(struct settings *host, struct smc_err *err)
{
	return go_back((struct step){ .host = host, .at = host->n_changes, .err = err });
}

/* @item: the first change that failed. */
static int fail(const struct step *step, const struct conf_item *item)
{
	struct smc_err why = *step->err, inner = { 0 };
	char place[CONF_PLACE_SIZE] = "";
	int ret = go_back((struct step){ .host = step->host, .at = step->at, .err = &inner });

	if (item && item->place.file)
		conf_place_text(place, &item->place);
	return smc_err_say(step->err, why.code, "%s%s%.160s; %s%.120s", place, *place ? ": " : "",
			   why.text, ret ? "not everything was restored: " : "nothing was changed",
			   ret ? inner.text : "");
}

int settings_apply(struct settings *host, struct smc_err *err)
{
	struct step step = { .host = host, .err = err };

	for (; step.at < host->n_changes; step.at++)
		if (go(&step))
			return fail(&step, host->changes[step.at].new);
	return 0;
}

/* ---- a device that was just named ---- */

static bool is_about(const struct settings *host, const struct conf_item *item, const char *device)
{
	const struct rdma_dev *rdma = rdma_find(&host->netns[0].world.rdma, device);

	if (item->section || item->kind != CONF_PNETID)
		return false;
	if (!strcmp(item->object, device))
		return true;
	return item->by == CONF_BY_DEVICE && rdma && *rdma->bus_id &&
	       !strcmp(item->object, rdma->bus_id);
}

int settings_apply_device(struct settings *host, const char *device, struct smc_err *err)
{
	struct settings_netns *here = &host->netns[0];
	struct smc_pnet_table without AUTO(smc_pnet_free) = { 0 }, to AUTO(smc_pnet_free) = { 0 };
	bool is_named = false;
	int ret = 0;

	table_copy(&without, &here->table);
	table_copy(&to, &here->table);
	for (size_t i = 0; !ret && i < host->wanted.count; i++) {
		const struct conf_item *item = &host->wanted.items[i];

		if (!is_about(host, item, device))
			continue;
		is_named = true;
		table_remove(&without, item);
		table_remove(&to, item);
		ret = table_add(&to, item, err);
	}
	if (!ret && is_named)
		ret = change_table(here, &here->table, &without, err);
	if (!ret && is_named)
		ret = change_table(here, &without, &to, err);
	return ret;
}
