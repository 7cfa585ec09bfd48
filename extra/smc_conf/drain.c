// SPDX-License-Identifier: MIT
/* Drain and undrain: the rules, and the file. */
#include "smc_conf/drain.h"

#include <fcntl.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "base/words.h"
#include "host/file.h"
#include "net/netns.h"
#include "net/pairing.h"
#include "settings/policy.h"
#include "settings/settings.h"

#define DIRECTORY "/etc/smc-tools"
#define NAME "drained"
#define FILE_MAX 65536

/* ---- the file ---- */

/* Characters that mean nothing to nft: "*" would stand for other names. */
static bool is_device(const char *name)
{
	return strlen(name) < RDMA_NAME_SIZE &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789._-@+")];
}

static bool is_good(struct drain *drain)
{
	bool good = drain->count % 2;

	if (drain->count == 1)
		return !strcmp(drain->words[0], "all") ||
		       netaddr_parse(&drain->net, drain->words[0]) ||
		       netaddr_host(&drain->net, drain->words[0]);
	for (size_t i = 1; good && i < drain->count; i += 2)
		good = words_have("net device", drain->words[i]) && is_device(drain->words[i + 1]);
	return good;
}

bool drain_parse(struct drains *drains, const char *line)
{
	struct drain drain = { .line = xstrdup(line) };
	bool good;

	drain.count = words_split(drain.line, drain.words, DRAIN_WORDS);
	good = is_good(&drain);
	if (good)
		*smc_array_add(&drains->entries, &drains->count) = drain;
	else
		free(drain.line);
	return good || !drain.count;
}

int drains_read(struct drains *drains, struct smc_err *err)
{
	size_t len;
	char *text AUTO_FREE = smc_read_file(DRAIN_FILE, O_NOFOLLOW, FILE_MAX, &len);
	char *rest = text, *line;

	if (!text && errno != ENOENT)
		return smc_err_set(err, errno, "cannot read " DRAIN_FILE);
	while ((line = strsep(&rest, "\n")))
		if (!drain_parse(drains, line))
			return smc_err_say(err, EINVAL, DRAIN_FILE " has a wrong line");
	return 0;
}

static int drains_write(const struct drains *drains, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };

	for_each(drain, drains->entries, drains->count)
		for (size_t i = 0; i < drain->count; i++)
			out_printf(&text, "%s%c", drain->words[i],
				   i + 1 < drain->count ? ' ' : '\n');
	return settings_write_file(DIRECTORY, NAME, text.data, text.len, err);
}

void drains_free(struct drains *drains)
{
	for_each(drain, drains->entries, drains->count)
		free(drain->line);
	free(drains->entries);
	*drains = (struct drains){ 0 };
}

/* ---- the rules ---- */

static const struct chain {
	const char *hook, *device, *addr;
} chains[] = { { "output", "oifname", "daddr" }, { "input", "iifname", "saddr" } };

static void append_rules(struct out_text *text, const struct drain *drain,
			 const struct chain *chain, bool is_own)
{
	static const char rule[] = POLICY_IS_SYN " " POLICY_HAS_OPTION " " POLICY_REMOVE_OPTION;
	char net[NETADDR_TEXT_SIZE];

	if (!strcmp(drain->words[0], "all")) {
		out_printf(text, "%s\n", rule);
	} else if (drain->count == 1) {
		netaddr_text(net, &drain->net, true);
		out_printf(text, "%s %s %s %s\n", drain->net.family == AF_INET ? "ip" : "ip6",
			   chain->addr, net, rule);
	}
	for (size_t i = 1; is_own && i < drain->count; i += 2)
		if (!strcmp(drain->words[i], "net"))
			out_printf(text, "%s \"%s\" %s\n", chain->device, drain->words[i + 1],
				   rule);
}

void drain_script(struct out_text *text, const struct drains *drains, bool is_own)
{
	static const char table[] = "table inet smc-tools-drain";

	/* Deleting a missing table would be an error. */
	out_printf(text, "add %s\ndelete %s\n", table, table);
	if (!drains->count)
		return;
	out_printf(text, "%s {\n", table);
	for_each(chain, chains, ARRAY_SIZE(chains)) {
		out_printf(text, "chain %s {\ntype filter hook %s priority mangle;\n", chain->hook,
			   chain->hook);
		for_each(drain, drains->entries, drains->count)
			append_rules(text, drain, chain, is_own);
		out_str(text, "}\n");
	}
	out_str(text, "}\n");
}

static int load_here(void *arg)
{
	const struct drain_place *place = arg;
	struct out_text script AUTO(out_free) = { 0 };

	/* The caller's own namespace may have a name, too. */
	if (!place->is_own && smc_netns_id() == place->own)
		return 0;
	drain_script(&script, place->arg, place->is_own);
	out_char(&script, '\0');
	return policy_nft_run(script.data, place->err);
}

int drain_walk(int (*fn)(void *place), void *arg, struct smc_err *err)
{
	struct drain_place place = { arg, true, smc_netns_id(), err };
	struct host_names names AUTO(host_names_free) = { 0 };
	int ret = fn(&place);

	if (!ret && host_list(&names, "/run/netns"))
		ret = smc_err_set(err, errno, "cannot list the network namespaces");
	place.is_own = false;
	for (size_t i = 0; !ret && i < names.count; i++)
		ret = smc_netns_run(names.names[i], fn, &place, err);
	return ret;
}

static int load(struct drains *drains, struct smc_err *err)
{
	return drain_walk(load_here, drains, err);
}

/* ---- devices ---- */

/* True if @row is @name, or the port of a net device of that name. */
static bool is_typed(const struct pnet_row *port, const struct pnet_rows *rows, const char *name)
{
	const struct pnet_row *net = pnet_row_of_net(rows, name);

	return !strcmp(port->name, name) || (net && pnet_row_serves(port, net));
}

/* Ports that the device is or uses, and all net devices that use these. */
static void append_ports(struct out_text *line, const struct pnet_rows *rows, const char *name)
{
	for_each(port, rows->rows, rows->count) {
		if (port->type != PNET_IB || !is_typed(port, rows, name))
			continue;
		out_printf(line, " device %s", port->name);
		for_each(net, rows->rows, rows->count)
			if (net->type == PNET_NET && net->net && pnet_row_serves(port, net))
				out_printf(line, " net %s", net->name);
	}
}

static int append_device(struct out_text *line, const char *name, struct smc_err *err)
{
	struct smc_pnet_table table AUTO(smc_pnet_free) = { 0 };
	struct pnet_rows rows AUTO(pnet_rows_free) = { 0 };
	struct pnet_world world = { 0 };
	size_t before = line->len;
	int ret = pnet_table_load(&table, err);

	if (!ret)
		ret = pnet_world_load(&world, "/sys", err);
	if (!ret) {
		pnet_rows_make(&rows, &table, &world);
		append_ports(line, &rows, name);
		pnet_world_free(&world);
	}
	if (ret || line->len > before)
		return ret;
	return smc_err_say(err, ENODEV,
			   "'%s' is neither 'all', a network, nor a device that has or uses RDMA",
			   name);
}

/* ---- commands ---- */

static int add(struct drains *drains, const char *what, struct smc_err *err)
{
	struct out_text line AUTO(out_free) = { 0 };
	int ret = 0;

	if (drain_parse(drains, what))
		return 0;
	out_str(&line, what);
	if (is_device(what))
		ret = append_device(&line, what, err);
	out_char(&line, '\0');
	if (!ret && !drain_parse(drains, line.data))
		ret = smc_err_say(err, EINVAL, "cannot drain '%.60s'", what);
	return ret;
}

/* Return: true if there was such a line. */
static bool drop(struct drains *drains, const char *what, bool is_all)
{
	size_t kept = 0, count = drains->count;

	for (size_t i = 0; i < count; i++)
		if (is_all || !strcmp(drains->entries[i].words[0], what))
			free(drains->entries[i].line);
		else
			drains->entries[kept++] = drains->entries[i];
	drains->count = kept;
	return kept < count || is_all;
}

int drain_change(const char *what, bool is_on, struct smc_err *err)
{
	struct drains drains AUTO(drains_free) = { 0 };
	struct smc_err inner;
	int ret = drains_read(&drains, err);

	if (ret)
		return ret;
	if (!drop(&drains, what, !is_on && !strcmp(what, "all")) && !is_on)
		return smc_err_say(err, ENOENT, "'%s' is not drained", what);
	ret = is_on ? add(&drains, what, err) : 0;
	if (ret)
		return ret;
	ret = load(&drains, err);
	if (!ret)
		ret = drains_write(&drains, err);
	if (!ret)
		return 0;
	/* The file has not changed: back to its rules. */
	drains_free(&drains);
	if (!drains_read(&drains, &inner))
		load(&drains, &inner);
	return ret;
}

int drain_again(const struct cli_tool *tool, bool is_applied, struct smc_err *err)
{
	struct drains drains AUTO(drains_free) = { 0 };
	struct drain_place here = { &drains, true, 0, err };
	int ret = drains_read(&drains, err);

	if (!ret && is_applied && drains.count)
		ret = load_here(&here);
	for_each(drain, drains.entries, ret ? 0 : drains.count)
		cli_note(tool, "drained, so new connections use TCP: %s", drain->words[0]);
	return ret;
}
