// SPDX-License-Identifier: MIT
/* Peers with which a service uses SMC, as rules of smc.conf(5). */
#include "base/array.h"
#include "base/scan.h"
#include "out/text.h"
#include "process/ask.h"
#include "settings/conf_files.h"
#include "smc_unit/unit.h"

/* Remove rules that the remaining files do not have, even if these are empty. */
#define WITHOUT DROPIN_MARK "exclusive policy\n"

/** struct peer - @net: "10.0.0.0/8" or "[fd00::]/8"; @ports: "80-90", "" for those of the unit */
struct peer {
	char net[INET6_ADDRSTRLEN + sizeof("[]/128")];
	char ports[sizeof("65535-65535")];
};

struct peers {
	struct peer *all;
	size_t count;
};

static int wrong(const struct cli_tool *tool, const char *item, const char *want)
{
	return cli_usage_error(tool, "'%s': expected %s", item, want);
}

/* smc_conf checks the rest: it applies all of the rules, or none. */
static int read_peer(struct peer *peer, const char *item, const struct cli_tool *tool)
{
	bool is_bracketed = *item == '[';
	const char *at = item;
	uint16_t low, high;
	unsigned int bits;
	uint8_t bytes[16];
	int family, len;

	if (!scan_net(&at, &family, bytes, &bits) ||
	    (*at && (*at != ':' || (family == AF_INET6 && !is_bracketed))))
		return wrong(tool, item,
			     "a network such as 10.0.0.0/8, fd00::/8, 10.9.0.7:5432 or "
			     "[fd00::]/8:5432");
	len = (int)(at - item);
	if (family == AF_INET || is_bracketed)
		snprintf(peer->net, sizeof(peer->net), "%.*s", len, item);
	else
		snprintf(peer->net, sizeof(peer->net), "[%.*s]%.*s", (int)strcspn(item, "/"), item,
			 len, item + strcspn(item, "/"));
	at += *at == ':';
	snprintf(peer->ports, sizeof(peer->ports), "%s", at);
	if (item[len] && (!scan_ports(&at, &low, &high) || *at))
		return wrong(tool, item,
			     "a port from 1 to 65535 after the colon, or a range such as "
			     "8000-8100");
	return 0;
}

/* Comma-separated networks. Return: 0, or an exit status after a message. */
static int read_peers(struct peers *peers, const char *list, const struct cli_tool *tool)
{
	char item[sizeof(struct peer) + 1];
	int len, ret;

	do {
		len = (int)strcspn(list, ",");
		snprintf(item, sizeof(item), "%.*s", len, list);
		ret = read_peer(smc_array_add(&peers->all, &peers->count), item, tool);
		list += len;
	} while (!ret && *list++);
	return ret;
}

/* ---- the rules ---- */

static int check_ports(const struct listeners *found, const struct unit *unit, struct smc_err *err)
{
	static const char hint[] = "name its ports, as in 10.0.0.0/8:6379";

	if (found->count)
		return 0;
	if (found->is_away)
		return smc_err_say(err, EINVAL,
				   "%s runs in a network namespace of its own: its "
				   "policy goes after 'netns' in smc.conf(5)",
				   unit->name);
	return smc_err_say(
		err, EINVAL,
		found->is_running ?
			"%s listens on no TCP port now: %s" :
			"%s is not running, so its ports are unknown: start it first, or %s",
		unit->name, hint);
}

static int compare_port(const void *one, const void *other)
{
	return *(const uint16_t *)one - *(const uint16_t *)other;
}

/* A line for each port of the unit, with the networks given without ports */
static void add_ports(struct out_text *text, struct listeners *found, const struct peers *peers)
{
	qsort(found->ports, found->count, sizeof(*found->ports), compare_port);
	for (size_t i = 0; i < found->count; i++) {
		if (i && found->ports[i] == found->ports[i - 1])
			continue;
		out_str(text, "allow from");
		for (size_t k = 0; k < peers->count; k++)
			if (!*peers->all[k].ports)
				out_printf(text, " %s:%u", peers->all[k].net, found->ports[i]);
		out_char(text, '\n');
	}
}

static int make_rules(struct out_text *text, const struct unit *unit, const struct peers *peers,
		      struct smc_err *err)
{
	struct listeners found = { 0 };
	bool need_ports = false;
	int ret = 0;

	for_each(peer, peers->all, peers->count) {
		if (*peer->ports)
			out_printf(text, "allow from %s:%s\n", peer->net, peer->ports);
		else
			need_ports = true;
	}
	if (!need_ports)
		return 0;
	ret = unit_listeners(&found, unit, err) ?: check_ports(&found, unit, err);
	if (!ret)
		add_ports(text, &found, peers);
	free(found.ports);
	return ret;
}

/* ---- their file ---- */

static int locate(const char *unit, struct dropin *out, struct smc_err *err)
{
	*out = (struct dropin){ .dir = CONF_DIR, .keeps_dir = true };
	if (snprintf(out->file, sizeof(out->file), CONF_DIR "/%s.conf", unit) < PATH_MAX)
		return 0;
	return smc_err_set(err, ENAMETOOLONG, "'%s'", unit);
}

static int apply(struct smc_err *err)
{
	return tool_ask("smc_conf", "apply", NULL, NULL, NULL, err);
}

/* Write and apply the rules, or restore the previous state. */
static int write_rules(const struct dropin *dropin, const char *text, struct smc_err *err)
{
	struct smc_err ignored;
	char *old AUTO_FREE = NULL, path[PATH_MAX];
	int ret = dropin_read(dropin->file, &old, err);

	if (!ret) /* if smc_conf is missing, apply() says so */
		ret = tool_find("smc_conf", path) ? dropin_write(dropin, text, err) : 0;
	if (ret >= 0) {
		ret = apply(err);
		if (ret && old)
			dropin_write(dropin, old, &ignored);
		else if (ret)
			dropin_remove(dropin, &ignored);
	}
	return ret;
}

int peers_disable(const char *unit, struct smc_err *err)
{
	struct dropin dropin;
	char *old AUTO_FREE = NULL;
	int ret = locate(unit, &dropin, err), applied;

	if (!ret)
		ret = dropin_read(dropin.file, &old, err);
	if (ret || !old)
		return ret;
	ret = dropin_write(&dropin, WITHOUT, err);
	if (ret < 0)
		return ret;
	applied = apply(err);
	ret = dropin_remove(&dropin, applied ? &(struct smc_err){ 0 } : err);
	return applied ? applied : ret;
}

bool peers_are_limited(const char *unit)
{
	struct smc_err ignored;
	struct dropin dropin;
	char *text AUTO_FREE = NULL;

	return !locate(unit, &dropin, &ignored) && !dropin_read(dropin.file, &text, &ignored) &&
	       text;
}

/* ---- smc_unit peers ---- */

/* smc-conf.service applies the policy at boot. */
static void warn_boot(const struct request *req)
{
	struct unit_props props AUTO(unit_props_free) = { 0 };

	if (systemctl_show(false, "smc-conf.service", "UnitFileState", &props, NULL))
		return;
	if (strcmp(unit_prop_text(&props, "UnitFileState"), "enabled"))
		unit_warn(req, "these rules are gone at the next boot: "
			       "'systemctl enable smc-conf' applies them again");
}

static int check_enabled(const struct unit *unit, struct smc_err *err)
{
	char *text AUTO_FREE = NULL;
	int ret = dropin_read(unit->dropin.file, &text, err);

	if (!ret && !text)
		ret = smc_err_say(err, ENOENT, "%s is not enabled: run 'smc_unit enable' first",
				  unit->name);
	return ret;
}

static int limit(const struct unit *unit, const struct peers *peers, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };
	struct dropin dropin;
	int ret = locate(unit->name, &dropin, err);

	out_str(&text, DROPIN_MARK);
	if (!ret)
		ret = make_rules(&text, unit, peers, err);
	if (!ret) {
		out_char(&text, '\0');
		ret = write_rules(&dropin, text.data, err);
	}
	if (!ret) {
		printf("%s: its peers are now limited by %s\n", unit->name, dropin.file);
		fflush(stdout);
		warn_boot(unit->req);
	}
	return ret;
}

static int lift(const struct unit *unit, struct smc_err *err)
{
	int ret = peers_disable(unit->name, err);

	if (ret >= 0)
		printf("%s: its peers are %s limited\n", unit->name, ret ? "no longer" : "not");
	return ret < 0 ? ret : 0;
}

int unit_peers(const struct request *req, const char *nets)
{
	bool is_all = !strcmp(nets, "all");
	struct unit unit = { .req = req };
	struct peers peers = { 0 };
	struct smc_err err = { 0 };
	int status = is_all ? 0 : read_peers(&peers, nets, req->launch.tool);
	int ret = status ? 0 : unit_load(req, &unit, &err);

	if (!status && !ret)
		ret = check_enabled(&unit, &err);
	if (!status && !ret)
		ret = is_all ? lift(&unit, &err) : limit(&unit, &peers, &err);
	free(unit.props.text);
	free(peers.all);
	return ret ? cli_error(req->launch.tool, "%s", err.text) : status;
}
