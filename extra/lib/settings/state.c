// SPDX-License-Identifier: MIT
/* Read the current settings of the kernel. */
#include "settings/settings.h"

#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "bpf/rights.h"
#include "host/file.h"
#include "net/netns.h"
#include "smc/genl_abi.h"
#include "smc/knob.h"

struct looking {
	struct settings *host;
	size_t at;
	bool has_policy;
	struct smc_err *err;
};

const char *settings_normal(const struct conf_item *item)
{
	const struct smc_knob *knob;

	switch (item->kind) {
	case CONF_SEID: return "on";
	case CONF_LIMIT: return "off";
	case CONF_KNOB: knob = smc_knob_find(item->object); return knob ? knob->normal_text : NULL;
	default: return NULL;
	}
}

bool settings_is_normal(const struct conf_item *item)
{
	const char *normal = settings_normal(item);

	return normal && !strcmp(item->value, normal);
}

static void add(struct looking *look, struct conf_item item)
{
	item.section = look->at;
	conf_add(&look->host->now, &item);
}

/* ---- EIDs and handshake limitation ---- */

/* Settings that an old kernel does not support are skipped. */
static int unless_old(int ret)
{
	return ret == -EOPNOTSUPP ? 0 : ret;
}

static void add_switch(struct looking *look, enum conf_kind kind, bool is_on)
{
	add(look, (struct conf_item){ .kind = kind, .object = "", .value = is_on ? "on" : "off" });
}

static int read_eids(struct looking *look, struct smc_genl *nl)
{
	struct smc_eids eids = { .count = 0 };
	struct smc_seid seid = { 0 };
	int ret = unless_old(smc_eids_read(&eids, nl, look->err));

	for (size_t i = 0; !ret && i < eids.count; i++)
		add(look,
		    (struct conf_item){ .kind = CONF_EID, .object = eids.eids[i], .value = "" });
	if (!ret)
		ret = unless_old(smc_seid_read(&seid, nl, look->err));
	if (!ret && seid.has_eid)
		add_switch(look, CONF_SEID, seid.is_enabled);
	return ret;
}

static int read_limit(struct looking *look, struct smc_genl *nl)
{
	bool is_on;
	int ret = smc_hs_read(&is_on, nl, look->err);

	if (!ret)
		add_switch(look, CONF_LIMIT, is_on);
	return unless_old(ret);
}

static int read_generic(struct looking *look)
{
	struct smc_genl *nl;
	int ret = smc_genl_open(&nl, SMC_GENL_FAMILY_NAME, look->err);

	if (!ret && !look->at)
		ret = read_eids(look, nl);
	if (!ret)
		ret = read_limit(look, nl);
	smc_genl_close(nl);
	return ret;
}

static void read_knobs(struct looking *look)
{
	char value[32];

	for (const struct smc_knob *knob = smc_knobs; knob->name; knob++)
		if (host_text(value, sizeof(value), "/proc/sys/net/smc/%s",
			      knob->name + strlen(SMC_KNOB_PREFIX)))
			add(look, (struct conf_item){ .kind = CONF_KNOB,
						      .object = knob->name,
						      .value = value });
}

static struct conf_item pnetid_item(const struct smc_pnet *entry)
{
	bool is_net = entry->has & SMC_PNET_HAS_NET;
	uint8_t port = entry->has & SMC_PNET_HAS_PORT ? entry->port : 1;

	return (struct conf_item){ .kind = CONF_PNETID,
				   .by = is_net ? CONF_BY_NET : CONF_BY_DEVICE,
				   .object = pnet_device(entry),
				   .value = entry->name,
				   .port = is_net ? 0 : port };
}

static int read_pnetids(struct looking *look)
{
	struct settings_netns *netns = &look->host->netns[look->at];
	char root[SYSFS_ROOT_SIZE];
	struct smc_genl *nl = NULL;
	int fd AUTO_CLOSE = -1, ret = sysfs_here(root, &fd, look->at, look->err);

	if (!ret)
		ret = smc_genl_open(&nl, SMCR_GENL_FAMILY_NAME, look->err);
	if (!ret)
		ret = pnet_fetch(nl, &netns->table, look->err);
	if (!ret)
		ret = pnet_world_load(&netns->world, root, look->err);
	smc_genl_close(nl);
	return ret;
}

static int look_around(void *arg)
{
	struct looking *look = arg;
	const struct settings_netns *netns = &look->host->netns[look->at];
	int ret = read_pnetids(look);

	/* Kernels before 5.11 only have PNET IDs. */
	if (!ret)
		ret = read_generic(look);
	if (ret == -ENOENT && netns->world.nets.count)
		ret = 0;
	if (ret)
		return ret;
	read_knobs(look);
	for (size_t i = 0; i < netns->table.count; i++)
		add(look, pnetid_item(&netns->table.entries[i]));
	return look->has_policy ? settings_policy_read(look->host, look->at, look->err) : 0;
}

/* True if the file names this kind of setting. Reading policy and scopes needs rights. */
static bool speaks_of(const struct conf *file, enum conf_kind kind)
{
	for (size_t i = 0; file && i < file->n_sections; i++)
		if (file->sections[i].exclusive & 1U << kind ||
		    (kind == CONF_POLICY && file->sections[i].has_policy))
			return true;
	for (size_t i = 0; file && i < file->count; i++)
		if (file->items[i].kind == kind)
			return true;
	return false;
}

/* ---- namespaces ---- */

static bool is_wanted(const struct conf *file, const char *name, bool all)
{
	for (size_t i = 0; !all && file && i < file->n_sections; i++)
		all = !strcmp(file->sections[i].netns, name) ||
		      !strcmp(file->sections[i].netns, "*");
	return all;
}

static int look_into(struct settings *host, const char *name, bool has_policy, struct smc_err *err)
{
	struct looking look = { host, host->n_netns, has_policy, err };
	struct settings_netns *netns = smc_array_add(&host->netns, &host->n_netns);

	netns->name = xstrdup(name);
	conf_section(&host->now, name);
	return smc_netns_run(name, look_around, &look, err);
}

static void netns_free(struct settings_netns *netns)
{
	smc_pnet_free(&netns->table);
	pnet_world_free(&netns->world);
	free(netns->name);
}

/* Drop the last namespace with its settings. */
static void forget(struct settings *host)
{
	netns_free(&host->netns[--host->n_netns]);
	while (host->now.count && host->now.items[host->now.count - 1].section == host->n_netns)
		host->now.count--;
	host->now.n_sections--;
}

int settings_read(struct settings *host, const struct conf *file, bool all, settings_note_fn note,
		  struct smc_err *err)
{
	/* Without root, the policy is skipped. */
	struct smc_err inner;
	bool has_policy = speaks_of(file, CONF_POLICY) || (all && !bpf_net_right(&inner));
	struct host_names names AUTO(host_names_free) = { 0 };
	int ret;

	ret = look_into(host, "", has_policy, err);
	if (!ret && (speaks_of(file, CONF_SCOPE) || (all && !geteuid())))
		ret = scopes_read(host, err);
	if (!ret && host_list(&names, "/run/netns"))
		ret = smc_err_set(err, errno, "cannot list the network namespaces");
	for (size_t i = 0; !ret && i < names.count; i++) {
		if (!is_wanted(file, names.names[i], all))
			continue;
		ret = look_into(host, names.names[i], has_policy, err);
		if (ret && all) {
			note(err);
			forget(host);
			ret = 0;
		}
	}
	return ret;
}

static int stat_netns(void *st)
{
	return stat("/proc/thread-self/ns/net", st) ? -errno : 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int settings_read_netns(struct settings *host, const struct conf *file, const char *netns,
			struct smc_err *err)
{
	bool has_policy = speaks_of(file, CONF_POLICY);
	struct host_names names AUTO(host_names_free) = { 0 };
	struct stat here, there, named;
	char path[PATH_MAX];
	int ret = smc_netns_run(netns, stat_netns, &there, err);

	host->is_one = true;
	if (!ret)
		ret = stat_netns(&here);
	host->first = !ret && !is_same(&here, &there);
	if (!ret)
		ret = look_into(host, "", has_policy && !host->first, err);
	if (!ret && host_list(&names, "/run/netns"))
		ret = smc_err_set(err, ENOMEM, "cannot list the network namespaces");
	for (size_t i = 0; !ret && i < names.count; i++) {
		snprintf(path, sizeof(path), "/run/netns/%s", names.names[i]);
		if (!stat(path, &named) && is_same(&there, &named))
			netns = names.names[i];
	}
	if (!ret && host->first)
		ret = look_into(host, netns, has_policy, err);
	return ret;
}

void settings_free(struct settings *host)
{
	if (host->lock > 0)
		close(host->lock);
	for (size_t i = 0; i < host->n_netns; i++)
		netns_free(&host->netns[i]);
	free(host->netns);
	free(host->changes);
	conf_free(&host->now);
	conf_free(&host->wanted);
	conf_free(&host->waiting);
}
