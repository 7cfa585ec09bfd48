// SPDX-License-Identifier: MIT
/* PNET IDs of devices. */
#include <ctype.h>
#include <fcntl.h>

#include "base/array.h"
#include "base/write.h"
#include "net/netns.h"
#include "settings/setting.h"
#include "smc/genl_abi.h"

static const char by_device[] = "device";

/* ---- lines ---- */

/* An x in @form stands for one hexadecimal digit. */
static bool has_form(const char *word, const char *form)
{
	for (; *word && *form; word++, form++)
		if (*form == 'x' ? !isxdigit((unsigned char)*word) : *word != *form)
			return false;
	return *word == *form;
}

/* A PCI function, whose domain may be wide, or a CCW device. */
static int check_bus(const char *word, struct smc_err *err)
{
	static const char pci[] = "xxxxxxxx:xx:xx.x";
	size_t domain = strcspn(word, ":");

	if (has_form(word, "x.x.xxxx") ||
	    (domain >= 4 && domain <= 8 && has_form(word, &pci[8 - domain])))
		return 0;
	return smc_err_say(err, EINVAL,
			   "expected a PCI function, 0000:3b:00.0, or a CCW device, 0.0.f500");
}

/* 6 bytes, or 20 for IP over InfiniBand. */
static int check_mac(const char *word, struct smc_err *err)
{
	static const char form[] = "xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx";

	if (has_form(word, form) || has_form(word, &form[3 * (20 - 6)]))
		return 0;
	return smc_err_say(err, EINVAL, "expected a MAC address, 02:00:00:00:00:01");
}

/** struct way - a way to name a device; @check: of one in hexadecimal, NULL for a name */
static const struct way {
	const char *by;
	int (*check)(const char *word, struct smc_err *err);
} ways[] = {
	{ "net", NULL }, { "bus", check_bus }, { "mac", check_mac }, { by_device, NULL }, { 0 },
};

/* Entry of a net device, or of an RDMA or ISM device. */
static int make_entry(struct smc_pnet *entry, const struct conf_item *item, struct smc_err *err)
{
	bool is_device = !strcmp(item->by, by_device);
	char port[8];

	snprintf(port, sizeof(port), "%u", item->port);
	return pnet_make(entry, item->value, is_device ? NULL : item->object,
			 is_device ? item->object : NULL, is_device ? port : NULL, err);
}

static int parse_port(struct conf_line *line, size_t *at, struct conf_item *item)
{
	int port = 1;

	if (*line->conf->sections[line->section].netns)
		return conf_expected(
			line, *at - 1,
			"PNET IDs of RDMA and ISM devices belong before the first netns, or after host");
	if (*at < line->count && !strcmp(line->words[*at], "port")) {
		if (++*at == line->count || (port = smc_pnet_port(line->words[*at], line->err)) < 0)
			return conf_expected(line, *at, "expected port 1 or 2");
		++*at;
	}
	item->port = (uint8_t)port;
	return 0;
}

/* Parse one device at word @at, and advance @at. */
static int parse_device(struct conf_line *line, struct conf_item *item, size_t *at)
{
	const struct way *way = ways;
	struct smc_pnet entry;
	size_t object = *at + 1;
	int ret;

	while (way->by && strcmp(line->words[*at], way->by))
		way++;
	if (!way->by)
		return conf_expected(line, *at, "expected net, bus, mac or device");
	if (object >= line->count)
		return conf_expected(line, object, "expected a device");
	for (char *byte = line->words[object]; way->check && *byte; byte++)
		*byte = (char)tolower((unsigned char)*byte);
	line->bad = object;
	*at = object + 1;
	item->by = way->by;
	item->object = line->words[object];
	item->port = 0;
	ret = way->check ? way->check(item->object, line->err) :
			   make_entry(&entry, item, line->err);
	if (!ret && way->by == by_device)
		ret = parse_port(line, at, item);
	return ret ? ret : conf_accept(line, item, object);
}

int pnetids_parse(struct conf_line *line)
{
	char id[SMC_PNET_NAME_SIZE];
	struct conf_item item = { .value = id };
	size_t at = 2;
	int ret;

	if (line->count < 2)
		return conf_expected(line, 1, "expected a PNET ID");
	line->bad = 1;
	ret = smc_pnet_name(id, line->words[1], line->err);
	if (!ret && line->count < 3)
		return conf_expected(line, 2, "expected net, bus, mac or device");
	while (!ret && at < line->count)
		ret = parse_device(line, &item, &at);
	return ret;
}

/* ---- this host ---- */

int pnetids_read(struct settings_look *look)
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
	for_each(entry, netns->table.entries, ret ? 0 : netns->table.count) {
		bool is_net = entry->has & SMC_PNET_HAS_NET;
		uint8_t port = entry->has & SMC_PNET_HAS_PORT ? entry->port : 1;

		settings_found(look, (struct conf_item){ .by = is_net ? "net" : by_device,
							 .object = pnet_device(entry),
							 .value = entry->name,
							 .port = is_net ? 0 : port });
	}
	smc_genl_close(nl);
	return ret;
}

/* VLANs and the like share the MAC address of their device, and get its PNET ID. */
static bool is_named(const struct netdev *dev, const struct conf_item *item)
{
	if (!strcmp(item->by, "bus"))
		return !strcasecmp(dev->bus_id, item->object);
	return !strcmp(item->by, "mac") && !strcmp(dev->mac, item->object) &&
	       !strcmp(dev->base, dev->name);
}

int pnetids_want(struct settings_wish *wish)
{
	const struct netdev_table *nets = &wish->host->netns[wish->item.section].world.nets;
	const struct conf_item by = wish->item;
	int ret = 1;

	if (!strcmp(by.by, "net") || !strcmp(by.by, by_device))
		return settings_add_wish(wish);
	for (size_t i = 0; ret >= 0 && i < nets->count; i++) {
		if (!is_named(&nets->devs[i], &by))
			continue;
		wish->item.by = "net";
		wish->item.object = nets->devs[i].name;
		ret = settings_add_wish(wish);
	}
	return ret;
}

/* ---- changes: the kernel only deletes whole PNET IDs ---- */

static bool is_of(const struct smc_pnet *entry, const struct conf_item *item)
{
	const char *name = strcmp(item->by, by_device) ? entry->eth : entry->ib;

	return !strcmp(name, item->object);
}

static int change_table(const struct settings_netns *netns, const struct smc_pnet_table *from,
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

/*
 * Devices that keep their PNET ID lose it for a moment, or for good if this process is killed: so a
 * file has all of them meanwhile.
 */
static void write_unfinished(const struct settings_step *step)
{
	const struct settings *host = step->host;
	size_t at = step->changes->netns;
	struct out_text text AUTO(out_free) = { 0 };
	int dir AUTO_CLOSE = open(RUN_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (host->lock <= 0 || dir < 0 || strchr(host->netns[at].name, '/'))
		return;
	if (at) {
		out_str(&text, "netns");
		conf_append_word(&text, host->netns[at].name);
		out_char(&text, '\n');
	}
	for_each_of(item, &host->now, settings_any(step->changes)->kind, at)
	{
		conf_append_line(&text, item);
		out_char(&text, '\n');
	}
	smc_replace_file(dir, SETTINGS_UNFINISHED, text.data ? text.data : "", text.len, 0600);
}

static int change(struct settings_step *step, const struct smc_pnet_table *kept,
		  const struct smc_pnet_table *then)
{
	const struct settings_netns *netns = &step->host->netns[step->changes->netns];
	struct smc_err ignored;
	int ret;

	if (step->is_back)
		return change_table(netns, then, &netns->table, step->err);
	/* In two steps, so that an unchanged entry is added again if its device is new. */
	ret = change_table(netns, &netns->table, kept, step->err);
	if (ret)
		return ret;
	ret = change_table(netns, kept, then, step->err);
	if (ret)
		change_table(netns, kept, &netns->table, &ignored);
	return ret;
}

int pnetids_set(struct settings_step *step, const struct conf_item *from,
		const struct conf_item *to)
{
	const struct smc_pnet_table *now = &step->host->netns[step->changes->netns].table;
	struct smc_pnet_table kept AUTO(smc_pnet_free) = { 0 }, then AUTO(smc_pnet_free) = { 0 };
	int ret;

	(void)from, (void)to;
	for_each(entry, now->entries, now->count) {
		size_t i = 0;

		while (i < step->count && !is_of(entry, settings_any(&step->changes[i])))
			i++;
		if (i < step->count)
			continue;
		smc_pnet_append(&kept, entry);
		smc_pnet_append(&then, entry);
	}
	for_each(one, step->changes, step->count) {
		const struct conf_item *wanted = one->new;
		struct smc_pnet entry;

		if (wanted && !make_entry(&entry, wanted, NULL))
			smc_pnet_append(&then, &entry);
	}
	write_unfinished(step);
	ret = change(step, &kept, &then);
	if (step->host->lock > 0)
		unlink(RUN_DIR "/" SETTINGS_UNFINISHED);
	return ret;
}
