// SPDX-License-Identifier: MIT
/* Match the settings of a file to the existing namespaces and devices. */
#include "settings/settings.h"

/** struct wish - a setting of the file, for one namespace */
struct wish {
	struct settings *host;
	const struct conf *file;
	struct conf_item item;
	struct smc_err *err;
};

/* The same device may be named in two ways. */
static int want(struct wish *wish)
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

/* VLANs and the like share the MAC address of their device, and get its PNET ID. */
static bool is_named(const struct netdev *dev, const struct conf_item *item)
{
	if (item->by == CONF_BY_BUS)
		return !strcasecmp(dev->bus_id, item->object);
	return !strcmp(dev->mac, item->object) && !strcmp(dev->base, dev->name);
}

static int want_named(struct wish *wish, const struct netdev_table *nets, bool *is_there)
{
	const struct conf_item by = wish->item;
	int ret = 0;

	for (size_t i = 0; !ret && i < nets->count; i++) {
		if (!is_named(&nets->devs[i], &by))
			continue;
		*is_there = true;
		wish->item.by = CONF_BY_NET;
		wish->item.object = nets->devs[i].name;
		ret = want(wish);
	}
	return ret;
}

static int want_one(struct wish *wish, const struct conf_item *item, size_t at)
{
	bool is_there = false;
	int ret;

	wish->item = *item;
	wish->item.section = at;
	if (item->kind == CONF_SCOPE) {
		ret = scope_user_number(&wish->host->wanted, &wish->item, wish->err);
		if (ret || scope_is_there(item->object))
			return ret ? ret : want(wish);
		conf_add(&wish->host->waiting, item);
		return 0;
	}
	if (item->kind != CONF_PNETID || item->by == CONF_BY_NET || item->by == CONF_BY_DEVICE)
		return want(wish);
	ret = want_named(wish, &wish->host->netns[at].world.nets, &is_there);
	if (!ret && !is_there)
		conf_add(&wish->host->waiting, item);
	return ret;
}

/* Settings in a namespace's own section override "*". */
static int want_section(struct wish *wish, int section, int own, size_t at)
{
	const struct conf *file = wish->file;
	int ret = 0;

	if (section < 0)
		return 0;
	wish->host->netns[at].exclusive |= file->sections[section].exclusive;
	if (file->sections[section].has_policy && !wish->host->netns[at].wants)
		wish->host->netns[at].wants = &file->sections[section];
	for (size_t i = 0; !ret && i < file->count; i++) {
		const struct conf_item *item = &file->items[i];

		if (item->section != (size_t)section ||
		    (own >= 0 && own != section && conf_find(file, (size_t)own, item)))
			continue;
		ret = want_one(wish, item, at);
	}
	return ret;
}

static int find_section(const struct conf *file, const char *name)
{
	for (size_t i = 0; i < file->n_sections; i++)
		if (!strcmp(file->sections[i].netns, name))
			return (int)i;
	return -1;
}

static bool has_netns(const struct settings *host, const char *name)
{
	for (size_t i = 0; i < host->n_netns; i++)
		if (!strcmp(host->netns[i].name, name))
			return true;
	return !strcmp(name, "*");
}

int settings_want(struct settings *host, const struct conf *file, struct smc_err *err)
{
	struct wish wish = { .host = host, .file = file, .err = err };
	int ret = 0;

	for (size_t i = 0; i < file->n_sections; i++)
		conf_section(&host->waiting, file->sections[i].netns);
	for (size_t at = 0; at < host->first; at++)
		conf_section(&host->wanted, host->netns[at].name);
	for (size_t at = host->first; !ret && at < host->n_netns; at++) {
		int own = find_section(file, host->netns[at].name);

		conf_section(&host->wanted, host->netns[at].name);
		ret = want_section(&wish, own, own, at);
		if (!ret)
			ret = want_section(&wish, find_section(file, "*"), own, at);
	}
	for (size_t i = 0; !ret && !host->is_one && i < file->count; i++)
		if (!has_netns(host, file->sections[file->items[i].section].netns))
			conf_add(&host->waiting, &file->items[i]);
	return ret;
}
