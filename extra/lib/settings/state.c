// SPDX-License-Identifier: MIT
/* Plan: read the current settings of the kernel, and find those that a file wants. */
#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "host/file.h"
#include "net/netns.h"
#include "settings/setting.h"
#include "smc/genl_abi.h"

/* ---- now ---- */

/* True if the file names this kind of setting. */
static bool speaks_of(const struct conf *file, const struct setting *kind)
{
	for (size_t i = 0; file && i < file->n_sections; i++)
		if (file->sections[i].exclusive & settings_bit(kind))
			return true;
	for (size_t i = 0; file && i < file->count; i++)
		if (file->items[i].kind == kind)
			return true;
	return false;
}

static int look_around(void *arg)
{
	struct settings_look *look = arg;
	int ret = smc_genl_open(&look->nl, SMC_GENL_FAMILY_NAME, look->err);

	/* Kernels before 5.11 only have PNET IDs. Reading these reports a kernel without SMC. */
	if (ret == -ENOENT)
		ret = 0;
	for (const struct setting *kind = settings_rows; !ret && kind->name; kind++) {
		if (kind->is_host && look->at)
			continue;
		look->kind = kind;
		if (!kind->may_read || speaks_of(look->host->file, kind) ||
		    speaks_of(&look->host->gone, kind) || (look->is_all && kind->may_read()))
			ret = kind->read(look);
	}
	smc_genl_close(look->nl);
	return ret;
}

static void add_netns(struct settings *host, const char *name)
{
	smc_array_add(&host->netns, &host->n_netns)->name = xstrdup(name);
	conf_section(&host->now, name);
}

static int look_into(struct settings_look *look, const char *name)
{
	look->at = look->host->n_netns;
	add_netns(look->host, name);
	return smc_netns_run(name, look_around, look, look->err);
}

static void netns_free(struct settings_netns *netns)
{
	smc_pnet_free(&netns->table);
	pnet_world_free(&netns->world);
	policy_free(&netns->policy);
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

static int stat_netns(void *st)
{
	return stat("/proc/thread-self/ns/net", st) ? -errno : 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Replace @netns by its name, if it has one, or by "" if it is the caller's. */
static int find_name(const char **netns, const struct host_names *names, struct smc_err *err)
{
	struct stat here = { 0 }, there, named;
	char path[PATH_MAX];
	int ret = smc_netns_run(*netns, stat_netns, &there, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < names->count; i++) {
		snprintf(path, sizeof(path), "/run/netns/%s", names->names[i]);
		if (!stat(path, &named) && is_same(&there, &named))
			*netns = names->names[i];
	}
	stat_netns(&here);
	if (is_same(&here, &there))
		*netns = "";
	return 0;
}

static int find_section(const struct conf *file, const char *name)
{
	for (size_t i = 0; file && i < file->n_sections; i++)
		if (!strcmp(file->sections[i].netns, name))
			return (int)i;
	return -1;
}

int settings_read(struct settings *host, const char *netns, settings_note_fn note,
		  struct smc_err *err)
{
	struct settings_look look = { .host = host, .is_all = note, .err = err };
	struct host_names names AUTO(host_names_free) = { 0 };
	int ret = host_list(&names, "/run/netns");

	if (ret)
		return smc_err_set(err, -ret, "cannot list the network namespaces");
	ret = netns ? find_name(&netns, &names, err) : 0;
	host->is_one = netns;
	host->first = netns && *netns;
	if (host->first)
		add_netns(host, "");
	if (!ret)
		ret = look_into(&look, netns ? netns : "");
	for (size_t i = 0; !ret && !netns && i < names.count; i++) {
		if (!note && find_section(host->file, names.names[i]) < 0 &&
		    find_section(host->file, "*") < 0)
			continue;
		ret = look_into(&look, names.names[i]);
		if (ret && note) {
			note(err);
			forget(host);
			ret = 0;
		}
	}
	return ret;
}

void settings_free(struct settings *host)
{
	for (size_t i = 0; i < host->n_netns; i++)
		netns_free(&host->netns[i]);
	free(host->netns);
	free(host->changes);
	conf_free(&host->now);
	conf_free(&host->wanted);
	conf_free(&host->gone);
	free(host->waiting);
	if (host->lock > 0)
		close(host->lock);
}

/* ---- wanted ---- */

int settings_add_wish(struct settings_wish *wish)
{
	const struct conf_item *item = &wish->item;
	const struct conf_item *other = conf_find(&wish->host->wanted, item->section, item);
	char place[CONF_PLACE_SIZE], before[CONF_PLACE_SIZE];

	if (!other)
		conf_add(&wish->host->wanted, item);
	if (!other || conf_has_value_of(other, item))
		return 0;
	return smc_err_say(wish->err, EINVAL, "%s: %.60s: has PNET ID %.16s by %.100s",
			   conf_place_text(place, &item->place), item->object, other->value,
			   conf_place_text(before, &other->place));
}

static void wait_for(struct settings *host, const struct conf_item *item)
{
	*smc_array_add(&host->waiting, &host->n_waiting) = item;
}

static bool is_overridden(const struct conf *file, size_t own, const struct conf_item *item)
{
	return item->kind->is_set ? conf_has_kind(file, item->kind, own) :
				    conf_find(file, own, item) != NULL;
}

/* Settings in a namespace's @own section override those of all, in @section. */
static int want_section(struct settings_wish *wish, int section, int own, size_t at)
{
	const struct conf *file = wish->host->file;
	int ret = 0;

	if (section >= 0)
		wish->host->netns[at].exclusive |= file->sections[section].exclusive;
	for (size_t i = 0; ret >= 0 && i < file->count; i++) {
		const struct conf_item *item = &file->items[i];

		if ((int)item->section != section ||
		    (own >= 0 && own != section && is_overridden(file, (size_t)own, item)))
			continue;
		wish->item = *item;
		wish->item.section = at;
		ret = item->kind->want ? item->kind->want(wish) : settings_add_wish(wish);
		if (ret > 0)
			wait_for(wish->host, item);
	}
	return ret < 0 ? ret : 0;
}

int settings_want(struct settings *host, struct smc_err *err)
{
	const struct conf *file = host->file;
	struct settings_wish wish = { .host = host, .err = err };
	int ret = 0;

	for (size_t at = 0; !ret && at < host->n_netns; at++) {
		int own = find_section(file, host->netns[at].name);

		conf_section(&host->wanted, host->netns[at].name);
		if (at >= host->first)
			ret = want_section(&wish, own, own, at);
		if (!ret && at >= host->first)
			ret = want_section(&wish, find_section(file, "*"), own, at);
	}
	for_each(item, file->items, ret || host->is_one ? 0 : file->count) {
		const char *netns = file->sections[item->section].netns;

		if (strcmp(netns, "*") && find_section(&host->now, netns) < 0)
			wait_for(host, item);
	}
	return ret;
}

void settings_waits(struct out_text *text, const struct settings *host)
{
	char place[CONF_PLACE_SIZE];

	for (size_t i = 0; i < host->n_waiting; i++) {
		const struct conf_item *item = host->waiting[i];
		const char *netns = host->file->sections[item->section].netns;

		out_printf(text, "%s: waits for %s%s: ", conf_place_text(place, &item->place),
			   *netns ? "network namespace " : item->kind->waits_for, netns);
		conf_append_line(text, item);
		out_char(text, '\n');
	}
}

int settings_plan(struct settings *host, const struct conf *file, const char *netns,
		  struct smc_err *err)
{
	int ret;

	host->file = host->device ? NULL : file;
	ret = settings_read(host, netns, NULL, err);
	host->file = file;
	if (!ret)
		ret = settings_want(host, err);
	return ret ? ret : settings_compare(host, err);
}
